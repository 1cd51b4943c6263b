import type { MoveRefusal } from "#domain/move.ts";
import type { HomeDatabase, PreparedStatement } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { insertAuditEntryIfChanged, type AuditRecord } from "./audit.ts";
import {
  insertMove,
  moveRefusal,
  targetRefusal,
  updateStopped,
  type MoveRequest,
  type MoveTarget,
  type WriteValue,
} from "./move-sql.ts";
import { batchAsMember, type ActingMember } from "./sessions.ts";

/** Prepares a statement whose values are parameters. */
function prepare(
  home: HomeDatabase,
  build: (write: WriteValue) => string,
): PreparedStatement<"home"> {
  const values: unknown[] = [];
  const sql = build((value) => `?${values.push(value)}`);
  return home.prepare<"home">(sql, values);
}

async function findRefusal(
  home: HomeDatabase,
  build: (write: WriteValue) => string,
): Promise<MoveRefusal | null> {
  const row = await retryTransient(home, () =>
    prepare(home, (write) => `select ${build(write)} as refusal`).first<RefusalRow>(),
  );
  return row?.refusal ?? null;
}

interface RefusalRow {
  refusal: MoveRefusal | null;
}

export const findTargetRefusal = (home: HomeDatabase, target: MoveTarget) =>
  findRefusal(home, (write) => targetRefusal(target, write));

export const findMoveRefusal = (home: HomeDatabase, request: MoveRequest) =>
  findRefusal(home, (write) => moveRefusal(request, write));

/**
 * Starts a move and stores its audit entry in one batch. Returns the id of the move, or the reason why it cannot start.
 */
export async function startMove(
  home: HomeDatabase,
  member: ActingMember,
  request: MoveRequest,
  entry: AuditRecord,
): Promise<{ id: number } | { refusal: MoveRefusal }> {
  const [refused, inserted] = await batchAsMember(home, member, [
    prepare(home, (write) => `select ${moveRefusal(request, write)} as refusal`),
    prepare(home, (write) => insertMove(request, write)),
    insertAuditEntryIfChanged(home, entry),
  ]);
  const [row] = (inserted?.results ?? []) as { id: number }[];
  if (row) return { id: row.id };
  const [{ refusal } = { refusal: null }] = (refused?.results ?? []) as unknown as RefusalRow[];
  return { refusal: refusal ?? "busy" };
}

/** Stops a move and stores its audit entry in one batch. Returns false if the move can no longer be stopped. */
export async function stopMove(
  home: HomeDatabase,
  member: ActingMember,
  id: number,
  entry: AuditRecord,
): Promise<boolean> {
  const [stopped] = await batchAsMember(home, member, [
    prepare(home, (write) => updateStopped(id, entry.at, write)),
    insertAuditEntryIfChanged(home, entry),
  ]);
  return (stopped?.results.length ?? 0) > 0;
}
