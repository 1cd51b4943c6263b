import type { LineItemRow, Value } from "#domain/data/values.ts";
import { rowLeaves, type LeafCondition } from "./tree.ts";
import type { ItemMatcher } from "./matches.ts";

/** The maximum work of testing conditions. A step reads about one character. */

/** The steps of testing one value and of folding one character, and the letters that one step compares at a position. */
const stepsPerTest = 20;
const stepsPerFoldedLetter = 8;
const lettersPerStep = 32;

/** The values in a slot, and the length of all texts among them. */
interface Size {
  count: number;
  length: number;
}

/** Returns the steps of a condition that its value decides. */
function leafSteps({ op, value: operand }: LeafCondition, { count, length }: Size): number {
  if (op === "contains") return length * (1 + operand.length / lettersPerStep);
  if (op === "starts_with") return count * operand.length;
  return Array.isArray(operand) ? count * operand.length : 0;
}

/** Returns the steps of conditions on an item that has new values in their fields, by the slots of the values. */
export function matchSteps(
  leaves: readonly LeafCondition[],
  matcher: ItemMatcher,
): [slot: string, column: string | null, steps: number][] {
  const sizes = new Map<string, Size>();
  const folded = new Set<string>();
  const sizeOf = (name: string, measure: () => Size): Size => {
    const size = sizes.get(name) ?? measure();
    sizes.set(name, size);
    return size;
  };
  const stepsOf = (leaf: LeafCondition, name: string, size: Size): number => {
    const isText = leaf.op === "contains" || leaf.op === "starts_with";
    const folding = isText && !folded.has(name) ? size.length * stepsPerFoldedLetter : 0;
    if (isText) folded.add(name);
    return size.count * stepsPerTest + leafSteps(leaf, size) + folding;
  };
  return leaves.flatMap((leaf): [string, string | null, number][] => {
    const { field, op } = leaf;
    if (matcher.hasFormerValue(field)) return [];
    const slot = slotOf(leaf);
    const value = matcher.valueOf(field);
    if (op !== "any" && op !== "none") {
      const size = sizeOf(slot, () => sizeOfValue(value));
      return [[slot, null, stepsOf(leaf, slot, size)]];
    }
    const rows = (Array.isArray(value) ? value : []) as readonly LineItemRow[];
    return rowLeaves(leaf).map((inner) => {
      const column = slotOf(inner);
      const name = `${slot}.${column}`;
      const size = sizeOf(name, () => sizeOfColumn(rows, column));
      return [slot, column, stepsOf(inner, name, size)];
    });
  });
}

const slotOf = ({ field: { source } }: LeafCondition): string =>
  source.in === "system" ? `$${source.name}` : source.slot;

function sizeOfValue(value: Value | null): Size {
  if (!Array.isArray(value))
    return { count: 1, length: typeof value === "string" ? value.length : 0 };
  return { count: value.length, length: 0 };
}

function sizeOfColumn(rows: readonly LineItemRow[], column: string): Size {
  let [count, length] = [0, 0];
  for (const row of rows) {
    const size = sizeOfValue(row[column] ?? null);
    count += size.count;
    length += size.length;
  }
  return { count, length };
}
