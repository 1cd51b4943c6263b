import type { CollectionKind } from "#domain/definition/collection.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";
import { formatTimestamp } from "#domain/time.ts";
import { reservedUntil } from "#store/data/deletions.ts";
import type { ReadContext } from "./context.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** Builds the 409 for the key of a deleted app or form. Undefined if the key is free. */
export async function reservedKeyProblem(
  { databases }: ReadContext,
  kind: CollectionKind,
  key: string,
): Promise<Problem | undefined> {
  const until = await reservedUntil(databases.named(kind, key), { kind, key });
  if (until === undefined) return undefined;
  return problem.schemaInUse(
    reasonFor("keyOfDeleted", { key, kind, until: formatTimestamp(until) }),
    { field: "key" },
  );
}
