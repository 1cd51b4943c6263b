type Row = Record<string, unknown>;

/**
 * A row of line items that was added, removed or changed. `row` is its number, from 1. A removed row has its former
 * number.
 */
export interface RowDiff {
  what: "added" | "removed" | "changed";
  row: number;
  /** The changed cells. For an added or removed row, all cells with a value. */
  cells: { key: string; from: unknown; to: unknown }[];
}

/** The maximum number of pairs of rows to compare. Beyond it, rows are compared by their numbers. */
const maxPairs = 250_000;

/** Compares two lists of rows. Equal rows stay together. The rows between them are compared in their order. */
export function diffRows(before: readonly Row[], after: readonly Row[]): RowDiff[] {
  const [old, current] = [before, after].map((rows) => rows.map((row) => JSON.stringify(row)));
  const anchors = findEqualRows(old ?? [], current ?? []);
  const diffs: RowDiff[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...anchors, [before.length, after.length] as const]) {
    for (; i < nextI || j < nextJ; i += 1, j += 1) {
      const from = i < nextI ? before[i] : undefined;
      const to = j < nextJ ? after[j] : undefined;
      const cells = diffCells(from ?? {}, to ?? {});
      if (from && to) diffs.push({ what: "changed", row: j + 1, cells });
      else if (to) diffs.push({ what: "added", row: j + 1, cells });
      else diffs.push({ what: "removed", row: i + 1, cells });
    }
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return diffs.filter(({ what, cells }) => what !== "changed" || cells.length > 0);
}

function diffCells(from: Row, to: Row): RowDiff["cells"] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .map((key) => ({ key, from: from[key] ?? null, to: to[key] ?? null }))
    .filter((cell) => JSON.stringify(cell.from) !== JSON.stringify(cell.to));
}

/** Pairs of equal rows in a longest common subsequence. */
function findEqualRows(before: readonly string[], after: readonly string[]): [number, number][] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start])
    start += 1;
  let end = 0;
  const shorter = Math.min(before.length, after.length) - start;
  while (end < shorter && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [height, width] = [before.length - start - end, after.length - start - end];
  const pairs = Array.from({ length: start }, (_, i): [number, number] => [i, i]);
  if (height * width <= maxPairs) {
    const middle = longestCommon(
      before.slice(start, start + height),
      after.slice(start, start + width),
    );
    pairs.push(...middle.map(([i, j]): [number, number] => [start + i, start + j]));
  }
  for (let k = end; k > 0; k -= 1) pairs.push([before.length - k, after.length - k]);
  return pairs;
}

function longestCommon(before: readonly string[], after: readonly string[]): [number, number][] {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < before.length && j < after.length;) {
    if (before[i] === after[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
