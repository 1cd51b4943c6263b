import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { host, type Client, type Json } from "../support/client";
import { client, makeForm, ownerCookie } from "../support/service";

describe("Line items with more cells than fit on a page", () => {
  let integrator: Client;
  let form: string;
  let id: string;
  const columns = Array.from({ length: 199 }, (_, index) => ({
    key: `c${index}`,
    type: "text",
    searchable: false,
  }));
  const list = (key: string, max_rows: number) => ({
    key,
    type: "line_items",
    max_rows,
    fields: columns,
  });
  const page = async (path: string, values?: Record<string, string>) => {
    const response = await exports.default.fetch(
      new Request(`${host}/admin/forms/${form}/items/${path}`, {
        method: values ? "POST" : "GET",
        redirect: "manual",
        headers: { Cookie: await ownerCookie(), Accept: "text/html", Origin: host },
        ...(values ? { body: new URLSearchParams(values) } : {}),
      }),
    );
    return { status: response.status, text: await response.text() };
  };
  const storedItem = async (): Promise<Json> => (await integrator.get(`/submissions/${id}`)).body;
  /** The values that the form on a page would submit without edits. */
  const formValues = (text: string) => {
    const values: Record<string, string> = {};
    for (const [input] of text.matchAll(/<input[^>]*>/g)) {
      const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1];
      const name = attribute("name");
      if (name === undefined || /type="(checkbox|radio)"/.test(input)) continue;
      values[name] = (attribute("value") ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    }
    return values;
  };

  beforeAll(async () => {
    integrator = await client();
    const title = { key: "title", type: "text" };
    form = await makeForm(integrator, [title, list("few", 30), list("many", 450)]);
    const lines = Array.from({ length: 450 }, (_, index) => ({ c0: `row ${index}` }));
    const data = { title: "before", few: [{ c0: "first" }, { c0: "second" }], many: lines };
    const created = await integrator.post(`/forms/${form}/submissions`, { data });
    id = created.body.id;
  });

  it("are cut off on the item's page, with the number of rows", async () => {
    const { status, text } = await page(id);
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(1_500_000);
    expect(text).toContain("row 72");
    expect(text).not.toContain("row 73");
    expect(text).toContain("Showing the first 73 of 450 rows.");
    expect(text).toContain("second");
  });

  it("have no inputs in a form, and stay unchanged when it is saved", async () => {
    const { text } = await page(`${id}?edit`);
    expect(text).toContain("A list of 450 rows can’t be edited on this page.");
    expect(text).not.toContain('name="many[');
    const values = formValues(text);
    expect(values["few[1].c0"]).toBe("second");
    const response = await page(id, { ...values, title: "after", "few[1].c0": "changed" });
    expect(response.status).toBe(303);
    const { data } = await storedItem();
    expect([data.title, data.few[1].c0, data.many.length, data.many[449].c0]).toEqual([
      "after",
      "changed",
      450,
      "row 449",
    ]);
  });

  it("return 422 and store nothing when a form submits too many of them", async () => {
    const { version } = await storedItem();
    const values = formValues((await page(`${id}?edit`)).text);
    const rows = (key: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, row) => [`${key}[${row}].c0`, "x"]));
    // One list over the limit, then two lists that exceed it only together.
    for (const cells of [rows("few", 160), { ...rows("few", 100), ...rows("many", 60) }]) {
      const { status, text } = await page(id, { ...values, ...cells });
      expect(status).toBe(422);
      expect(text.length).toBeLessThan(100_000);
    }
    expect((await storedItem()).version).toBe(version);
  });
});
