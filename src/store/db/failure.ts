/** What went wrong in D1, told from the text of its message: it has no codes. */
export type Failure =
  /** The guard or a constraint refused the batch; nothing of it was stored. */
  | { kind: "guard"; constraint: string }
  | { kind: "unique"; table: string }
  /** May have been stored or not; worth another try. */
  | { kind: "transient" }
  /** Trying again at once would make it worse. */
  | { kind: "overloaded" }
  | { kind: "unknown" };

const transient = [
  "Network connection lost",
  "storage caused object to be reset",
  "reset because its code was updated",
  "Cannot resolve D1 DB due to transient issue",
  "Internal error while starting up D1 DB",
  "Failed to parse body as JSON",
  "Isolate Has exceeded",
  "Replica is unavailable",
  "Storage operation exceeded timeout",
  "Durable Object reset",
  "Durable Object storage",
  "Worker exceeded",
  "The script will never generate a response",
  "Internal error",
  "internal error",
  "Server Error",
  "SQLITE_BUSY",
  "database is locked",
];
const overloaded = [
  "D1 DB is overloaded",
  "exceeded its CPU time limit",
  "exceeded its memory limit",
  "D1 DB storage operation exceeded timeout",
  "Too many requests queued",
];

export function failureOf(error: unknown): Failure {
  const text = messages(error);
  const guard = /CHECK constraint failed: (\w+)/.exec(text)?.[1];
  if (guard) return { kind: "guard", constraint: guard };
  const table = /UNIQUE constraint failed: (\w+)\./.exec(text)?.[1];
  if (table) return { kind: "unique", table };
  if (overloaded.some((part) => text.includes(part))) return { kind: "overloaded" };
  if (transient.some((part) => text.includes(part))) return { kind: "transient" };
  return { kind: "unknown" };
}

/** A lone Drizzle query wraps D1's error in a `cause`; a batch throws it bare. */
function messages(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}\n${messages(error.cause)}`;
}
