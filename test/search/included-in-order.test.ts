import { describe, expect, it } from "vitest";
import type { Item } from "../../src/domain/item/item.ts";
import { includedFor, namesInOrder } from "../../src/store/data/search/included-in-order.ts";

/** The page was read, then its records together with the page as it is now. It may only show items whose records it has. */

const expanded = [{ app: "a", slot: "1", list: null, collectionId: 7, shownBy: null }];
const item = (reference?: string) =>
  ({ data: reference === undefined ? {} : { 1: reference } }) as unknown as Item;
const names = namesInOrder([item("x"), item("y"), item("x"), item("z")], expanded);

describe("A page with the records of its items ends", () => {
  const overflowOf = (references: (string | undefined)[], overflow: number | null = null) =>
    includedFor(references.map(item), expanded, names, { records: [], overflow }).overflow;

  it("nowhere if all records were looked up and fit", () => {
    expect(names.map(([id, , place]) => [id, place])).toEqual([
      ["x", 1],
      ["y", 2],
      ["z", 4],
    ]);
    expect(overflowOf(["x", "y", "x", "z"])).toBe(null);
    expect(overflowOf([undefined, "z", "y"])).toBe(null);
  });

  it("before the first item that refers to a record that was not looked up", () => {
    expect(overflowOf(["x", "new", "y"])).toBe(2);
    expect(overflowOf(["new", "x"])).toBe(1);
  });

  it("before the first item that refers to a record that does not fit, wherever the item is now", () => {
    expect(overflowOf(["x", "y", "x", "z"], 4)).toBe(4);
    expect(overflowOf(["x", "z", "y"], 4)).toBe(2);
    expect(overflowOf(["x", "y"], 2)).toBe(2);
  });
});
