import { describe, expect, it, vi } from "vitest";
import type { Field } from "../../src/domain/definition/field.ts";
import { createCellReader } from "../../src/domain/import/cells.ts";

const readerOptions = {
  isLossless: false,
  zone: "Europe/Berlin",
  numbers: "plain" as const,
  dates: "iso" as const,
};
const options = [
  { value: "x", label: "X, the first" },
  { value: "y", label: "Y" },
  { value: "x2", label: "X" },
];
const field = (type: string) => ({ key: "f", label: "F", type, options, fields: [] }) as never;
const readCell = (type: Field["type"], cell: string, overrides = {}) =>
  createCellReader(field(type), { ...readerOptions, ...overrides })(cell);

const waves = [
  { value: "short", label: "10〜20" },
  { value: "long", label: "—、20〜30" },
];

describe("An imported cell", () => {
  it("matches labels in the characters of Windows' Shift_JIS, which has ～ for 〜", () => {
    const reader = (type: string) =>
      createCellReader({ key: "f", label: "F", type, options: waves } as never, readerOptions);
    expect(reader("select")("10～20")).toBe("short");
    expect(reader("multi_select")("―、20～30、10～20")).toEqual(["long", "short"]);
  });

  it("is read in time that grows with its length, whatever it repeats", () => {
    const start = performance.now();
    const cell = `a${" ".repeat(50_000)}\nb`;
    expect(readCell("datetime", cell)).toBe(cell);
    expect(performance.now() - start).toBeLessThan(500);
  });

  it.each([
    ["number", "1.50", 1.5],
    ["number", "1,5", "1,5"],
    ["number", "0x10", "0x10"],
    ["number", "1e400", expect.anything()],
    ["boolean", "TRUE", true],
    ["boolean", "No", false],
    ["boolean", "1", "1"],
    ["boolean", "constructor", "constructor"],
    ["select", "y", "y"],
    ["select", " x, THE first ", "x"],
    ["select", "other", "other"],
    ["multi_select", "X, the first, Y", ["x", "y"]],
    ["multi_select", "x2;X;other", ["x2", "x2", "other"]],
    ["multi_select", "y , X, THE first\n\nX", ["y", "x", "x2"]],
    ["multi_select", "X, the second", ["x2", "the second"]],
    ["multi_select", "y,y,x,x,y", ["y", "y", "x", "x,y"]],
    ["multi_select", '["x","y"]', ["x", "y"]],
    ["line_items", '[{"a":1}]', [{ a: 1 }]],
    ["line_items", "A: 1", "A: 1"],
    ["multi_select", "Y、X, the first，x2；y", ["y", "x", "x2", "y"]],
    ["number", "１５", 15],
    ["number", "－３", -3],
    ["number", "−３．５", -3.5],
    ["number", "１，２３４．５", 1234.5],
    ["number", "１，２３４", "１，２３４"],
    ["email", "ａｉ＠example.com", "ai@example.com"],
    ["phone", "０３－１２３４－５６７８", "03-1234-5678"],
    ["date", "2026/12/1", "2026-12-01"],
    ["date", "２０２６／１２／０１", "2026-12-01"],
    ["date", "2026年12月5日", "2026-12-05"],
    ["date", "2026-1-5", "2026-01-05"],
    ["date", "2026/12-1", "2026/12-1"],
    ["date", "1/12/2026", "1/12/2026"],
    ["datetime", "2026/12/1 9:00", "2026-12-01T08:00:00.000Z"],
    ["datetime", "2026年12月1日9時05分", "2026-12-01T08:05:00.000Z"],
    ["datetime", "2026/12/1", "2026/12/1"],
    ["datetime", "2026-07-01 08:30", "2026-07-01T06:30:00.000Z"],
    ["datetime", "2026-07-01T08:30:00Z", "2026-07-01T08:30:00Z"],
    ["text", "'=1+1", "=1+1"],
    ["text", "'quoted'", "'quoted'"],
    ["text", "a;'=1\n'＋2\t' -3", "a;=1\n＋2\t -3"],
    ["text", "", null],
  ] as const)("of the type %s with the text %j is read as %j", (type, cell, value) => {
    expect(readCell(type, cell)).toEqual(value);
  });

  it("with a decimal comma is read as a number when semicolons separate the cells", () => {
    expect(
      readCell("number", "-1,5", { numbers: "plain_comma" as const, dates: "iso" as const }),
    ).toBe(-1.5);
  });

  it("is read in time proportional to its length, independent of the number of options", () => {
    const manyOptions = Array.from({ length: 5000 }, (_, i) => ({
      value: `v${i}`,
      label: `L, ${i}`,
    }));
    const fieldWithManyOptions = {
      ...(field("multi_select") as object),
      options: manyOptions,
    } as never;
    const readManyOptions = createCellReader(fieldWithManyOptions, readerOptions);
    const toLowerCase = vi.spyOn(String.prototype, "toLowerCase");
    for (let i = 0; i < 1000; i += 1) readManyOptions("v1;L, 2;?");
    readManyOptions("?,".repeat(100_000));
    const examinedCharacters = toLowerCase.mock.contexts.reduce(
      (sum: number, text) => sum + String(text).length,
      0,
    );
    toLowerCase.mockRestore();
    expect(examinedCharacters).toBeLessThan(1_000_000);
  });

  it("of a lossless file is read unchanged", () => {
    expect(readCell("text", "'=1+1", { isLossless: true })).toBe("'=1+1");
  });

  it.each([
    ["¥1,201", 1201],
    ["￥1,201", 1201],
    ["\\1,201", 1201],
    ["1,202円", 1202],
    ["-¥5", -5],
    ["$5", 5],
    ["１，２１０", 1210],
  ])("reads the number of %s, with or without a currency", (cell, value) => {
    expect(readCell("number", cell, { numbers: "point" })).toBe(value);
  });

  it("reads an amount in euros with a decimal comma", () => {
    expect(readCell("number", "€ 12,50", { numbers: "comma" })).toBe(12.5);
  });
});
