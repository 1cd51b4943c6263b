/** The limits for comparing names. Longer names and further candidates are ignored. */
const maxLength = 40;
const maxCandidates = 50;

/** Returns the candidate that differs least from a name, if the name is probably a misspelling of it. Ignores case. */
export function findClosest(name: string, candidates: readonly string[]): string | undefined {
  const lowerName = name.toLowerCase();
  const equal = candidates.find((candidate) => candidate.toLowerCase() === lowerName);
  if (equal !== undefined || name.length > maxLength) return equal;
  const maxDistance = Math.max(1, Math.floor(name.length / 3));
  const close = candidates
    .filter(({ length }) => Math.abs(length - name.length) <= maxDistance)
    .slice(0, maxCandidates)
    .map((candidate) => ({ candidate, distance: editDistance(lowerName, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance);
  return close[0]?.candidate;
}

/** Returns the number of characters to insert, delete or replace (Levenshtein, 1965). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous.at(-1) ?? 0;
}
