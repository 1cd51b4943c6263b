import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { admin, client, freshKey, makeApp, makeForm } from "../support/service";

const acceptHtml = { Accept: "text/html" };

describe("The editor of a definition", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });

  const definitionOf = async (key: string) => (await integrator.get(`/forms/${key}/schema`)).body;
  const editorOf = async (key: string) =>
    (await admin("GET", `/forms/${key}`, undefined, acceptHtml)).text;

  /** The row of the field at this path, up to the next row. */
  const rowOf = (html: string, path: string) =>
    html.split('<li class="def"').find((row) => row.startsWith(` data-path="${path}"`)) ?? "";

  const draft = (fields: Record<string, string>[]) =>
    Object.fromEntries(
      fields.flatMap((field, index) =>
        Object.entries(field).map(([name, value]) => [`fields[${index}].${name}`, value]),
      ),
    );

  it("offers the apps by name where a field refers to one, and shows the name in the closed row", async () => {
    const app = await makeApp(integrator, [{ key: "a", type: "text" }], { name: "Our customers" });
    const option = (chosen: string) => `<option value="${app}"${chosen}>Our customers</option>`;
    const key = freshKey("form");
    const field = { type: "reference", label: "Customer" };
    const added = await admin("POST", "/forms?draft", { ...draft([field]) }, acceptHtml);
    expect(added.text).toContain(option(""));
    const saved = { name: key, key, do: "save", ...draft([{ ...field, app }]) };
    expect((await admin("POST", "/forms", saved)).status).toBe(201);
    const row = rowOf(await editorOf(key), "0");
    expect(row).toContain(option(' selected=""'));
    expect(row).toContain("App Our customers");
  });

  it("gives a new formula the most decimal places of its numbers, and a stored one what is entered", async () => {
    const key = freshKey("form");
    const numbers = [
      { type: "number", label: "Price", decimals: "2" },
      { type: "number", label: "Rate", decimals: "1" },
      { type: "number", label: "Count" },
    ];
    const formulas = [
      { type: "computed", label: "Total", formula: "price * rate", result: "number" },
      { type: "computed", label: "Twice", formula: "count * 2", result: "number" },
      {
        type: "computed",
        label: "Exact",
        formula: "price / rate",
        result: "number",
        decimals: "5",
      },
      { type: "computed", label: "High", formula: "price > 1", result: "boolean" },
    ];
    const fields = [...numbers, ...formulas];
    const created = await admin("POST", "/forms", { name: key, key, do: "save", ...draft(fields) });
    expect(created.status).toBe(201);
    const stored = await definitionOf(key);
    const decimals = stored.fields.map((field: { decimals?: number }) => field.decimals);
    expect(decimals).toEqual([2, 1, undefined, 2, undefined, 5, undefined]);
    const was = stored.fields.map((field: { key: string }) => field.key);
    const edited = fields.map((field, index) => ({ ...field, was: was[index], key: was[index] }));
    const version = String(stored.schema_version);
    const saved = await admin("POST", `/forms/${key}/fields`, {
      version,
      do: "save",
      ...draft(edited),
    });
    expect(saved.status).toBe(200);
    expect((await definitionOf(key)).fields[3].decimals).toBeUndefined();
  });

  it("accepts keys and formulas in the letters and signs of a Japanese keyboard", async () => {
    const key = freshKey("form");
    const fields = [
      { type: "number", label: "Price", key: "ｐｒｉｃｅ" },
      { type: "text", label: "Note", key: "note" },
      {
        type: "computed",
        label: "Total",
        formula: "note == '（×）' ？ ０ : （price×２）".replace("？", "?"),
        result: "number",
      },
    ];
    const sent = { name: key, key: key.replace("f", "ｆ"), do: "save", ...draft(fields) };
    const created = await admin("POST", "/forms", sent);
    expect([created.status, created.text]).toEqual([201, expect.any(String)]);
    const stored = (await definitionOf(key)).fields;
    expect(stored[0].key).toBe("price");
    expect(stored[2].formula).toBe("note == '（×）' ? 0 : (price*2)");
  });

  it("says that a field becomes required or optional, and what a draft still lacks", async () => {
    const key = await makeForm(integrator, [{ key: "people", label: "People", type: "number" }]);
    const outcomeOf = async (fields: Record<string, string>[]) => {
      const version = String((await definitionOf(key)).schema_version);
      const path = `/forms/${key}/fields?draft`;
      const headers = { ...acceptHtml, "Content-Type": "application/x-www-form-urlencoded" };
      const values = new URLSearchParams({ version, do: "check", ...draft(fields) }).toString();
      const { text } = await admin("POST", path, undefined, headers, values);
      const outcome = /id="outcome"[\s\S]*?<\/section>/.exec(text)?.[0] ?? text;
      return outcome.replaceAll(/<[^>]+>/g, "");
    };
    const people = {
      type: "number",
      label: "People",
      was: "people",
      key: "people",
      searchable: "on",
    };
    expect(await outcomeOf([{ ...people, required: "on" }])).toContain("Makes People required.");
    const room = { type: "select", label: "Room", options: "" };
    expect(await outcomeOf([people, room])).toContain("Add the missing options to finish.");
    const total = { type: "computed", label: "Total", formula: "", result: "number" };
    expect(await outcomeOf([people, room, total])).toContain(
      "Add the missing options and formulas to finish.",
    );
  });

  it("offers the time zones as a list", async () => {
    const { text } = await admin("GET", "/forms?new", undefined, acceptHtml);
    expect(text).toMatch(/<select[^>]*name="time_zone"/);
    const key = await makeForm(integrator, [], { time_zone: "Asia/Tokyo" });
    const settings = await admin("GET", `/forms/${key}/settings`, undefined, acceptHtml);
    expect(settings.text).toMatch(/<option value="Asia\/Tokyo" selected/);
  });

  it("asks for the decimal places of a formula beside its result, and once", async () => {
    const key = await makeForm(integrator, [
      { key: "price", type: "number", decimals: 2 },
      { key: "twice", type: "computed", formula: "price * 2", result: "number" },
    ]);
    const row = rowOf(await editorOf(key), "1");
    expect(row.split('name="fields[1].decimals"')).toHaveLength(2);
    expect(row.indexOf('name="fields[1].decimals"')).toBeLessThan(row.indexOf('class="more"'));
  });

  it("shows the result of a column's formula for the first row of the newest item", async () => {
    const columns = [
      { key: "quantity", type: "number" },
      { key: "price", type: "number", decimals: 2 },
      {
        key: "amount",
        type: "computed",
        formula: "quantity * price",
        result: "number",
        decimals: 2,
      },
    ];
    const title = { key: "title", type: "text" };
    const lines = { key: "lines", type: "line_items", fields: columns };
    const key = await makeForm(integrator, [title, lines]);
    const path = `/forms/${key}/submissions`;
    await integrator.post(path, { data: { title: "Desk", lines: [{ quantity: 3, price: 12.5 }] } });
    expect(rowOf(await editorOf(key), "1.2")).toMatch(/Result for row 1 of Desk: \s*37\.50/);
    await integrator.post(path, { data: { title: "Nothing", lines: [] } });
    expect(rowOf(await editorOf(key), "1.2")).not.toContain("Result for");
  });

  it("summarizes all rules of a closed row, with separators in numbers", async () => {
    const key = await makeForm(integrator, [
      {
        key: "amount",
        type: "number",
        integer: true,
        minimum: 1000,
        maximum: 2_500_000,
        searchable: false,
      },
      { key: "kind", type: "select", options: [{ value: "a", label: "Chair" }, { value: "b" }] },
      { key: "twice", type: "computed", formula: "amount * 2", result: "number" },
    ]);
    const html = await editorOf(key);
    const summaryOf = (path: string) => /<small>([^<]*)/.exec(rowOf(html, path))?.[1];
    expect(summaryOf("0")).toBe(
      "Minimum 1,000 · Maximum 2,500,000 · Whole numbers only · Not searchable",
    );
    expect(summaryOf("1")).toBe("Chair, b");
    expect(summaryOf("2")).toBe("= amount * 2");
  });
});
