/**
 * Merges what several databases list. For some seconds after a move, the former database still lists its copy of a
 * collection. Then the row with the higher rank stays, at the place of the first.
 */
export function mergeLists<Row>(
  lists: readonly (readonly Row[])[],
  nameOf: (row: Row) => unknown,
  rankOf: (row: Row) => number = () => 0,
): Row[] {
  const [only, ...others] = lists;
  if (others.length === 0) return [...(only ?? [])];
  const rows = new Map<unknown, Row>();
  for (const row of lists.flat()) {
    const name = nameOf(row);
    const known = rows.get(name);
    if (known === undefined || rankOf(row) > rankOf(known)) rows.set(name, row);
  }
  return [...rows.values()];
}
