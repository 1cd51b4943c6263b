import { describe, expect, it, vi } from "vitest";
import type { Field } from "../../src/domain/definition/field.ts";
import { cellReader } from "../../src/domain/import/cells.ts";

const reading = { lossless: false, zone: "Europe/Berlin", commas: false };
const options = [
  { value: "x", label: "X, the first" },
  { value: "y", label: "Y" },
  { value: "x2", label: "X" },
];
const field = (type: string) => ({ key: "f", label: "F", type, options, fields: [] }) as never;
const read = (type: Field["type"], cell: string, rest = {}) =>
  cellReader(field(type), { ...reading, ...rest })(cell);

describe("A cell", () => {
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
    ["datetime", "2026-07-01 08:30", "2026-07-01T06:30:00.000Z"],
    ["datetime", "2026-07-01T08:30:00Z", "2026-07-01T08:30:00Z"],
    ["text", "'=1+1", "=1+1"],
    ["text", "'quoted'", "'quoted'"],
    ["text", "", null],
  ] as const)("of the type %s that says %j is %j", (type, cell, value) => {
    expect(read(type, cell)).toEqual(value);
  });

  it("with a decimal comma is a number where semicolons stand between cells", () => {
    expect(read("number", "-1,5", { commas: true })).toBe(-1.5);
  });

  it("is read in a time that grows with its length, and not with its options", () => {
    const many = Array.from({ length: 5000 }, (_, i) => ({ value: `v${i}`, label: `L, ${i}` }));
    const whole = { ...(field("multi_select") as object), options: many } as never;
    const readMany = cellReader(whole, reading);
    const folds = vi.spyOn(String.prototype, "toLowerCase");
    for (let i = 0; i < 1000; i += 1) readMany("v1;L, 2;?");
    readMany("?,".repeat(100_000));
    const looks = folds.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0);
    folds.mockRestore();
    expect(looks).toBeLessThan(1_000_000);
  });

  it("of a lossless file is what it says", () => {
    expect(read("text", "'=1+1", { lossless: true })).toBe("'=1+1");
  });
});
