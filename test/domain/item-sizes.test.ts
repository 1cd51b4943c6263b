import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Slots } from "../../src/domain/data/compile.ts";
import type { Data, Value } from "../../src/domain/data/values.ts";
import { ItemSizes } from "../../src/domain/search/view-bound.ts";

const shown: Slots = new Map([
  ["1", null],
  ["2", null],
  ["3", ["4", "5"]],
]);
const lists = ["2", "3", "6"].map((slot) => ({ slot, cost: 7 }));

/** The smallest limit that an item with these sizes fits. */
function findSmallestLimit(sizes: ItemSizes): number {
  let limit = 0;
  while (!sizes.fit({ perByte: 1, lists, maxPerByte: 1000, maxCost: limit }, shown)) limit += 1;
  return limit;
}

const values: Record<string, readonly (Value | undefined)[]> = {
  1: [undefined, "a", "語é", 12, true],
  2: [undefined, ["a"], ["a", '"']],
  3: [undefined, [], [{ 4: "a" }], [{ 4: "a", 8: "語" }, { 5: 1 }], [{ 8: ["x", "y"] }]],
  6: [undefined, [{ 7: "a" }], [{ 7: "bc" }, {}]],
  9: [undefined, "hidden", ""],
};
const change = fc.record({
  slot: fc.constantFrom(...Object.keys(values)),
  choice: fc.nat(),
  isMeasured: fc.boolean(),
});

describe("The sizes of an item", () => {
  it("are the same for a state that follows others as for this state alone", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 10 }), (changes) => {
        let data: Data = {};
        let sizes = new ItemSizes(data);
        for (const { slot, choice, isMeasured } of changes) {
          const choices = values[slot] ?? [];
          const value = choices[choice % choices.length];
          const { [slot]: _, ...others } = data;
          data = value === undefined ? others : { ...others, [slot]: value };
          sizes = new ItemSizes(data, sizes);
          const alone = new ItemSizes(structuredClone(data));
          if (isMeasured) expect(findSmallestLimit(sizes)).toBe(findSmallestLimit(alone));
        }
      }),
    );
  });
});
