import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffRows } from "../../src/domain/item/row-diff.ts";

const row = (sku: string, qty: number) => ({ sku, qty });

describe("The difference between two lists of rows", () => {
  it("names added, removed and changed rows, and only the changed cells", () => {
    expect(diffRows([row("A", 1), row("B", 2)], [row("X", 9), row("A", 1), row("B", 3)])).toEqual([
      {
        what: "added",
        row: 1,
        cells: [
          { key: "sku", from: null, to: "X" },
          { key: "qty", from: null, to: 9 },
        ],
      },
      { what: "changed", row: 3, cells: [{ key: "qty", from: 2, to: 3 }] },
    ]);
    expect(diffRows([row("A", 1), row("B", 2)], [row("B", 2)])).toMatchObject([
      { what: "removed", row: 1 },
    ]);
  });

  it("is empty for equal lists, and accounts for the difference in length", () => {
    const rows = fc.array(fc.record({ a: fc.integer({ min: 0, max: 2 }) }), { maxLength: 12 });
    fc.assert(
      fc.property(rows, rows, (before, after) => {
        const diffs = diffRows(before, after);
        expect(diffs.length === 0).toBe(JSON.stringify(before) === JSON.stringify(after));
        const count = (what: string) => diffs.filter((diff) => diff.what === what).length;
        expect(count("added") - count("removed")).toBe(after.length - before.length);
      }),
    );
  });

  it("compares many different rows in time", () => {
    const many = (start: number) => Array.from({ length: 1000 }, (_, i) => ({ a: start + i }));
    expect(diffRows(many(0), many(5000))).toHaveLength(1000);
  });
});
