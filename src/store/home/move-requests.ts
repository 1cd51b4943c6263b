import { stoppablePhases, type MoveRefusal } from "#domain/move.ts";
import type { HomeDatabase, PreparedStatement } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { insertAuditEntryIfChanged, type AuditRecord } from "./audit.ts";
import { isActive, listed } from "./moves.ts";
import { batchAsMember, type ActingMember } from "./sessions.ts";

/**
 * The only rule whether a move may start, and the statements that start and stop one. `npm run databases` runs them too,
 * so they are text.
 */

/** Where the collections of a move are, and where they should go. */
export interface MoveTarget {
  source: string;
  target: string;
  /** The location in which the collections must stay. */
  location: string | null;
  /** The databases that are bound. */
  databases: readonly string[];
  at: number;
}

export interface MoveRequest extends MoveTarget {
  /** `form:purchase`. */
  name: string;
  collectionId: number;
  actor: string;
}

/** Writes a value into a statement: as a parameter, or as a literal where there are none. */
export type WriteValue = (value: string | number | null) => string;

/** Why the collections cannot go there; null if they can. A database without a row was bound by hand. */
function targetRefusal(request: MoveTarget, write: WriteValue): string {
  const target = write(request.target);
  const isSite = `from data_database where name = ${target}`;
  return `case
    when ${target} not in (select value from json_each(${write(JSON.stringify(request.databases))}))
      then 'unknown_database'
    when ${target} = ${write(request.source)} then 'same_database'
    when exists (select 1 ${isSite} and used_from > ${write(request.at)}) then 'database_not_ready'
    when ${write(request.location)} <> coalesce((select location ${isSite}), '') then 'other_location' end`;
}

/** Why the move cannot start; null if it can. */
export function moveRefusal(request: MoveRequest, write: WriteValue): string {
  const [id, source] = [write(request.collectionId), write(request.source)];
  return `coalesce(
    case when not exists (select 1 from placement
          where collection_id = ${id} and database = ${source} and state = 'placed')
        and not (${source} = 'DB' and exists (select 1 from collection where id = ${id})
          and not exists (select 1 from placement where collection_id = ${id}))
      then 'moved_meanwhile' end,
    ${targetRefusal(request, write)},
    case when exists (select 1 from collection_move where ${isActive}) then 'busy' end)`;
}

/** Stores the move, if it may start. Returns its id. */
export function insertMove(request: MoveRequest, write: WriteValue): string {
  const values = [
    write(request.name),
    write(request.target),
    "'requested'",
    write(request.actor),
    write(request.at),
    write(request.at),
  ];
  return `insert into collection_move (name, target, phase, actor, requested_at, changed_at)
    select ${values.join(", ")} where ${moveRefusal(request, write)} is null returning id`;
}

/** Stops a move that has not begun to flip. The next run removes the copy. Returns its id. */
export const updateStopped = (id: number, at: number, write: WriteValue): string =>
  `update collection_move set phase = 'stopping', position = null, problem = null, changed_at = ${write(at)}
    where id = ${write(id)} and phase in (${listed(stoppablePhases)}) returning id`;

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

/** Starts a move, with its audit entry, in one batch. Returns its id, or why it cannot start. */
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

/** Stops a move, with its audit entry, in one batch. Returns false if it cannot be stopped anymore. */
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
