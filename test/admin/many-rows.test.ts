import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { host, type Client, type Json } from "../support/client";
import { client, makeForm, ownerCookie } from "../support/service";

describe("Line items with more cells than a page has room for", () => {
  let integrator: Client;
  let form: string;
  let id: string;
  const columns = Array.from({ length: 199 }, (_, at) => ({
    key: `c${at}`,
    type: "text",
    searchable: false,
  }));
  const list = (key: string, max_rows: number) => ({
    key,
    type: "line_items",
    max_rows,
    fields: columns,
  });
  const page = async (path: string, sent?: Record<string, string>) => {
    const response = await exports.default.fetch(
      new Request(`${host}/admin/forms/${form}/items/${path}`, {
        method: sent ? "POST" : "GET",
        redirect: "manual",
        headers: { Cookie: await ownerCookie(), Accept: "text/html", Origin: host },
        ...(sent ? { body: new URLSearchParams(sent) } : {}),
      }),
    );
    return { status: response.status, text: await response.text() };
  };
  const stored = async (): Promise<Json> => (await integrator.get(`/submissions/${id}`)).body;
  /** What the form on a page would send, untouched. */
  const untouched = (text: string) => {
    const sent: Record<string, string> = {};
    for (const [input] of text.matchAll(/<input[^>]*>/g)) {
      const of = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1];
      const name = of("name");
      if (name === undefined || /type="(checkbox|radio)"/.test(input)) continue;
      sent[name] = (of("value") ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    }
    return sent;
  };

  beforeAll(async () => {
    integrator = await client();
    const title = { key: "title", type: "text" };
    form = await makeForm(integrator, [title, list("few", 30), list("many", 450)]);
    const lines = Array.from({ length: 450 }, (_, at) => ({ c0: `row ${at}` }));
    const data = { title: "before", few: [{ c0: "first" }, { c0: "second" }], many: lines };
    const made = await integrator.post(`/forms/${form}/submissions`, { data });
    id = made.body.id;
  });

  it("its page shows the first of them, and says how many there are", async () => {
    const { status, text } = await page(id);
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(1_500_000);
    expect(text).toContain("row 72");
    expect(text).not.toContain("row 73");
    expect(text).toContain("The first 73 of 450 rows.");
    expect(text).toContain("second");
  });

  it("a form has no inputs for them, and they stay as they are when it is saved", async () => {
    const { text } = await page(`${id}?edit`);
    expect(text).toContain("450 rows are too many to change on a page.");
    expect(text).not.toContain('name="many[');
    const sent = untouched(text);
    expect(sent["few[1].c0"]).toBe("second");
    const saved = await page(id, { ...sent, title: "after", "few[1].c0": "changed" });
    expect(saved.status).toBe(303);
    const { data } = await stored();
    expect([data.title, data.few[1].c0, data.many.length, data.many[449].c0]).toEqual([
      "after",
      "changed",
      450,
      "row 449",
    ]);
  });

  it("a form that sends more of them than any page has is refused, and stores nothing", async () => {
    const { version } = await stored();
    const sent = untouched((await page(`${id}?edit`)).text);
    const rows = (key: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, row) => [`${key}[${row}].c0`, "x"]));
    // In one list, and in two that are within the bounds each.
    for (const cells of [rows("few", 160), { ...rows("few", 100), ...rows("many", 60) }]) {
      const { status, text } = await page(id, { ...sent, ...cells });
      expect(status).toBe(422);
      expect(text.length).toBeLessThan(100_000);
    }
    expect((await stored()).version).toBe(version);
  });
});
