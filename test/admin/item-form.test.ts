import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { host, type Client } from "../support/client";
import { admin, client, makeForm, ownerCookie } from "../support/service";

const fields = [
  { key: "title", label: "Title", type: "text", required: true },
  { key: "price", label: "Price", type: "number", decimals: 2 },
  {
    key: "lines",
    label: "Lines",
    type: "line_items",
    fields: [
      { key: "sku", label: "SKU", type: "text" },
      { key: "qty", label: "Qty", type: "number" },
    ],
  },
  {
    key: "total",
    label: "Total",
    type: "computed",
    formula: "sum(lines.map(row, row.qty)) * price",
    result: "number",
    decimals: 2,
  },
];

describe("The form of an item", () => {
  let integrator: Client;
  let path: string;
  let id: string;
  const page = async (suffix: string, values?: [string, string][]) => {
    const response = await exports.default.fetch(
      new Request(`${host}/admin${path}${suffix}`, {
        method: values ? "POST" : "GET",
        redirect: "manual",
        headers: { Cookie: await ownerCookie(), Accept: "text/html", Origin: host },
        ...(values ? { body: new URLSearchParams(values) } : {}),
      }),
    );
    return { status: response.status, text: await response.text() };
  };
  const row = (index: number, sku: string, qty: string, was?: string): [string, string][] => [
    [`lines[${index}].sku`, sku],
    [`lines[${index}].qty`, qty],
    ...(was === undefined ? [] : [[`lines[${index}].#`, was] as [string, string]]),
  ];
  const skus = (text: string) =>
    [...text.matchAll(/name="lines\[(?!999)\d+\]\.sku"[^>]* value="([^"]*)"/g)].map(
      ([, sku]) => sku,
    );
  beforeAll(async () => {
    integrator = await client();
    const form = await makeForm(integrator, fields);
    path = `/forms/${form}/items`;
    const data = { title: "A", price: 4198.8, lines: [{ sku: "a", qty: 1 }] };
    id = (await integrator.post(`/forms/${form}/submissions`, { data })).body.id;
  });

  it("reads full-width digits, signs and addresses in inputs and filters", async () => {
    const form = await makeForm(integrator, [
      { key: "amount", label: "Amount", type: "number", decimals: 1 },
      { key: "mail", label: "Mail", type: "email" },
      { key: "note", label: "Note", type: "text" },
    ]);
    const items = `/forms/${form}/items`;
    const response = await exports.default.fetch(
      new Request(`${host}/admin${items}`, {
        method: "POST",
        headers: { Cookie: await ownerCookie(), Origin: host },
        redirect: "manual",
        body: new URLSearchParams({
          amount: "－１，２３４．５",
          mail: "ａｉ＠example.com",
          note: "１５",
        }),
      }),
    );
    expect(response.status).toBe(303);
    const filter = `f.amount.eq=${encodeURIComponent("－１２３４．５")}`;
    const mail = `f.mail.eq=${encodeURIComponent("ａｉ＠example.com")}`;
    const { body } = await admin("GET", `${items}?${filter}&${mail}`);
    expect(body.items.map(({ data }: { data: object }) => data)).toEqual([
      { amount: -1234.5, mail: "ai@example.com", note: "１５" },
    ]);
  });

  it("shows money with the decimals of its field", async () => {
    const { text } = await page(`/${id}?edit`);
    expect(text).toMatch(/name="price"[^>]* value="4198.80"/);
    expect(text).toMatch(/<dt>Total<\/dt>\s*<dd>4,198.80<\/dd>/);
  });

  it("adds no blank row after an error, and keeps the order of the rows", async () => {
    const { status, text } = await page("", [
      ["$seen", "{}"],
      ["title", ""],
      ["price", "2.5"],
      ...row(0, "a", "1"),
      ...row(1, "", ""),
      ...row(2, "b", "2"),
    ]);
    expect([status, skus(text)]).toEqual([422, ["a", "b"]]);
  });

  it("moves and removes any row without scripts", async () => {
    const rows = [...row(0, "a", "1", "0"), ...row(1, "b", "2"), ...row(2, "c", "3")];
    const attribute = /name="\$seen" value="([^"]*)"/.exec((await page(`/${id}?edit`)).text)?.[1];
    const seen: [string, string] = ["$seen", attribute?.replaceAll("&quot;", '"') ?? ""];
    const moved = await page(`/${id}`, [seen, ...rows, ["$move", "lines:2:up"]]);
    expect([moved.status, skus(moved.text)]).toEqual([200, ["a", "c", "b"]]);
    const saved = await page(`/${id}`, [
      seen,
      ["title", "A"],
      ["price", "4198.80"],
      ...row(2, "c", "3"),
      ...row(0, "a", "1", "0"),
      ...row(1, "b", "2"),
      ["lines[1].-", "on"],
    ]);
    expect(saved.status).toBe(303);
    const { body } = await integrator.get(`/submissions/${id}`);
    expect(body.data.lines).toEqual([
      { sku: "c", qty: 3 },
      { sku: "a", qty: 1 },
    ]);
  });

  it("calculates what was typed, and stores nothing", async () => {
    const { text } = await page("", [
      ["$seen", "{}"],
      ["title", ""],
      ["price", "2.5"],
      ...row(0, "a", "3"),
      ["$preview", "1"],
    ]);
    expect(text).toMatch(/id="calculated".*<dd>7.50<\/dd>/s);
  });
});

describe("“Create another”", () => {
  it("says what was created, and keeps the values that items often share", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [
      { key: "title", type: "text", label: "Title" },
      { key: "room", type: "select", label: "Room", options: [{ value: "A" }, { value: "B" }] },
    ]);
    const base = `/forms/${form}/items`;
    const headers = { Accept: "text/html" };
    const body = { title: "Board meeting", room: "B", $another: "yes", $status: "submitted" };
    const created = await admin("POST", base, body, headers);
    expect(created.status).toBe(303);
    const to = created.headers.get("Location") ?? "";
    expect(to).toBe(`/admin${base}/new?like=%7B%22room%22%3A%22B%22%7D`);
    const { text } = await admin("GET", to.replace("/admin", ""), undefined, headers);
    expect(text).toMatch(/value="B" (selected|checked)/);
    expect(text).not.toContain("Board meeting");
    expect(text).toMatch(/name="\$another" value="yes" checked/);
    for (const like of ["x", "[]", '{"room":{}}', '{"title":"x"}']) {
      const path = `${base}/new?like=${encodeURIComponent(like)}`;
      expect((await admin("GET", path)).status).toBe(200);
    }
  });
});
