import Papa from "papaparse";
import { beforeAll, describe, expect, it } from "vitest";
import { exports } from "cloudflare:workers";
import { root, type Client, type Json } from "../support/client";
import { client, makeForm } from "../support/service";

describe("Downloads", () => {
  it("returns every match over all pages as NDJSON, one item a line, up to the limit", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [{ key: "n", type: "number" }]);
    for (let n = 0; n < 12; n += 1) {
      await integrator.post(`/forms/${form}/submissions`, { data: { n } });
    }
    const search = { conditions: [{ field: "n", op: "gt", value: 1 }], sort: [{ field: "n" }] };
    const path = `/forms/${form}/submissions/search`;
    const Accept = "application/x-ndjson";
    const download = await integrator.post(path, search, { Accept });
    expect(download.headers.get("Content-Type")).toBe("application/x-ndjson");
    expect(download.headers.get("Content-Disposition")).toBe(
      `attachment; filename="${form}.ndjson"`,
    );
    const { body } = await integrator.post(path, search);
    const lines = (ndjson: string) =>
      ndjson
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    expect(lines(download.text)).toEqual(body.items);
    for (const response of [
      await integrator.post(path, { ...search, limit: 3 }, { Accept }),
      await integrator.post(`${path}?limit=3`, search, { Accept }),
    ]) {
      expect(lines(response.text)).toEqual(body.items.slice(0, 3));
    }
    const list = await integrator.get(`/forms/${form}/submissions`, { Accept });
    const page = await integrator.get(`/forms/${form}/submissions?limit=200`);
    expect(lines(list.text)).toEqual(page.body.items);
    const firstFive = await integrator.get(`/forms/${form}/submissions?limit=5`, { Accept });
    expect(lines(firstFive.text)).toEqual(page.body.items.slice(0, 5));
  });

  describe("CSV", () => {
    const columns = [
      { key: "t", type: "text", label: "Text" },
      { key: "p", type: "phone", label: "Phone" },
      { key: "n", type: "number", label: "Number" },
      { key: "b", type: "boolean", label: "Yes" },
      { key: "d", type: "date", label: "Day" },
      { key: "at", type: "datetime", label: "At" },
      {
        key: "k",
        type: "select",
        label: "Kind",
        options: [{ value: "a", label: "=Alpha" }, { value: "b" }],
      },
      {
        key: "m",
        type: "multi_select",
        label: "Many",
        options: [{ value: "x", label: "X, or so" }, { value: "y" }],
      },
      {
        key: "l",
        type: "line_items",
        label: "Lines",
        fields: [
          { key: "sku", type: "text", label: "SKU" },
          { key: "qty", type: "number", label: "Qty" },
        ],
      },
    ];
    const documents = [
      { t: 'say "hi", and\nmore', n: -5, l: [{ sku: "=1", qty: 1 }, { sku: "b,c" }], b: true },
      { t: "=1+1", p: "+81 3-1234-5678", k: "a", m: ["x", "y"], b: false },
      { t: "'quoted already", d: "2026-11-21", at: "2026-11-21T09:30:00+09:00" },
      { t: " spaces ", n: 0.1, k: "b" },
      { t: "\r\n\ttabs\u00a0and\r", n: 1e-7, l: [{ qty: 0 }] },
      { t: "-", n: 9_007_199_254_740_991, m: ["y"] },
      { t: "日本語 😀 ä", p: "0301234567" },
      {},
    ];
    let integrator: Client;
    let form: string;
    let items: Json[];
    beforeAll(async () => {
      integrator = await client();
      form = await makeForm(integrator, columns, { time_zone: "Asia/Tokyo" });
      for (const data of documents) await integrator.post(`/forms/${form}/submissions`, { data });
      items = (await integrator.get(`/forms/${form}/submissions`)).body.items;
    });
    const csv = async (Accept: string) => {
      const answer = await integrator.get(`/forms/${form}/submissions`, { Accept });
      // An independent reader of RFC 4180.
      const { data, errors } = Papa.parse<string[]>(answer.text.trimEnd());
      expect(errors).toEqual([]);
      return { type: answer.headers.get("Content-Type"), raw: answer.text, rows: data };
    };
    const system = [
      "id",
      "status",
      "version",
      "created_at",
      "created_by",
      "updated_at",
      "updated_by",
    ];

    it("is lossless: every cell has the stored value", async () => {
      const { type, rows, raw } = await csv("text/csv");
      expect(type).toBe("text/csv; charset=utf-8; header=present");
      const [head = [], ...lines] = rows;
      expect(head).toEqual([...system.map((name) => `$${name}`), ...columns.map(({ key }) => key)]);
      expect(lines).toHaveLength(items.length);
      for (const [index, item] of items.entries()) {
        const cells = lines[index] ?? [];
        const expected = [
          ...system.map((name) => item[name]),
          ...columns.map(({ key }) => item.data[key]),
        ];
        for (const [column, value] of expected.entries()) {
          const cell = cells[column];
          if (value === null) expect(cell).toBe("");
          else if (typeof value === "string") expect(cell).toBe(value);
          else expect(JSON.parse(cell ?? "")).toEqual(value);
        }
      }
      const searched = await integrator.post(
        `/forms/${form}/submissions/search`,
        { sort: [{ field: "$created_at" }] },
        { Accept: "text/csv" },
      );
      expect(searched.text).toBe(raw);
    });

    it("for spreadsheets has labels, readable dates and times, and no formulas", async () => {
      const { type, rows, raw } = await csv("text/csv; profile=spreadsheet");
      expect(type).toBe("text/csv; charset=utf-8; header=present; profile=spreadsheet");
      expect(raw.startsWith("Id,Status,Version,Created at,")).toBe(true);
      const request = new Request(`${root}/forms/${form}/submissions`, {
        headers: {
          Authorization: `Bearer ${integrator.bearer}`,
          Accept: "text/csv; profile=spreadsheet",
        },
      });
      const bytes = await (await exports.default.fetch(request)).bytes();
      expect(Array.from(bytes.slice(0, 3))).toEqual([0xef, 0xbb, 0xbf]);
      const [head = [], ...lines] = rows;
      expect(head.slice(7)).toEqual(columns.map((field) => (field as Json).label));
      const cell = (row: number, label: string) => lines[row]?.[head.indexOf(label)];
      expect([cell(1, "Text"), cell(1, "Phone"), cell(1, "Kind"), cell(1, "Many")]).toEqual([
        "'=1+1",
        "'+81 3-1234-5678",
        "'=Alpha",
        "X, or so, y",
      ]);
      expect([cell(0, "Yes"), cell(1, "Yes"), cell(2, "Yes")]).toEqual(["TRUE", "FALSE", ""]);
      expect([cell(2, "Day"), cell(2, "At")]).toEqual(["2026-11-21", "2026-11-21 09:30:00"]);
      expect([cell(0, "Number"), cell(2, "Text"), cell(6, "Text")]).toEqual([
        "-5",
        "'quoted already",
        "日本語 😀 ä",
      ]);
      expect(cell(0, "Lines")).toBe("SKU: =1; Qty: 1\nSKU: b,c");
      for (const line of lines) {
        for (const [column, cellText] of line.entries()) {
          if (head[column] !== "Number") expect(cellText).not.toMatch(/^\s*[=+\-@\t\r]/);
        }
      }
    });

    it("with rows=lines has a line for each row of line items", async () => {
      const { rows } = await csv("text/csv;profile=spreadsheet;rows=lines");
      const [head = [], ...lines] = rows;
      expect(head.slice(-4)).toEqual(["List", "Row", "Lines: SKU", "Lines: Qty"]);
      expect(lines).toHaveLength(items.length + 1);
      expect(lines.slice(0, 2).map((line) => line.slice(-4))).toEqual([
        ["Lines", "1", "'=1", "1"],
        ["Lines", "2", "b,c", ""],
      ]);
      expect(lines[0]?.[0]).toBe(lines[1]?.[0]);
      expect(lines[2]?.slice(-4)).toEqual(["", "", "", ""]);
    });
  });

  it("return 422 `invalid_input` for an invalid search before the download starts", async () => {
    const integrator = await client();
    const form = await makeForm(integrator);
    const body = { conditions: [{ field: "zzz", op: "eq", value: 1 }] };
    const answer = await integrator.post(`/forms/${form}/submissions/search`, body, {
      Accept: "text/csv",
    });
    expect([answer.status, answer.body.code]).toEqual([422, "invalid_input"]);
  });
});
