const counts = new Intl.NumberFormat("en");

/** As in “1,204”: the words around it are English. */
export function showCount(count: number): string {
  return counts.format(count);
}
