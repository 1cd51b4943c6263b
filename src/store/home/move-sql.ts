import { activePhases, stoppablePhases, type MovePhase } from "#domain/move.ts";

/**
 * The only rule whether a move may start, and the statements that start and stop one. `npm run databases` runs them too,
 * so they are text, and this file needs nothing of the Worker.
 */

const listed = (phases: readonly MovePhase[]) => phases.map((phase) => `'${phase}'`).join(", ");
export const isActive = `phase in (${listed(activePhases)})`;

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
export function targetRefusal(request: MoveTarget, write: WriteValue): string {
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
