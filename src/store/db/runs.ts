/** D1 takes 2,000,000 bytes in a parameter. */
const mostBytes = 1_500_000;

export const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** Rows as JSON, in arrays of a size that D1 takes. */
export function runsOf(rows: readonly unknown[], most = mostBytes): string[] {
  return runs(
    rows.map((row) => JSON.stringify(row)),
    most,
  );
}

/** The same of rows that are JSON. */
export function runs(rows: readonly string[], most = mostBytes): string[] {
  const made: string[] = [];
  let run: string[] = [];
  let size = 0;
  for (const row of rows) {
    const length = byteLength(row) + 1;
    if (size + length > most && run.length > 0) {
      made.push(`[${run.join()}]`);
      run = [];
      size = 0;
    }
    run.push(row);
    size += length;
  }
  if (run.length > 0) made.push(`[${run.join()}]`);
  return made;
}
