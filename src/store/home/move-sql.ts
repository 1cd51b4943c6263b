import { activePhases, stoppablePhases, type MovePhase } from "#domain/move.ts";

/**
 * The only rule for whether a move may start, and the statements that start and stop one. `npm run databases` also runs
 * them. They are therefore texts, and this file must not import code that needs the Worker.
 */

const listed = (phases: readonly MovePhase[]) => phases.map((phase) => `'${phase}'`).join(", ");
export const isActive = `phase in (${listed(activePhases)})`;

/** The current and the new database of the collections of a move. */
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

/** Writes a value into a statement, as a parameter or as a literal. */
export type WriteValue = (value: string | number | null) => string;

/**
 * SQL for the reason why the collections cannot move to the database. Null if they can. A database without a row was
 * bound by hand.
 */
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

/** SQL for the reason why the move cannot start. Null if it can. */
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

/** SQL that stores the move if it may start. It returns the id of the move. */
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

/** SQL that stops a move before its phase `flip`. The next run removes the copy. It returns the id of the move. */
export const updateStopped = (id: number, at: number, write: WriteValue): string =>
  `update collection_move set phase = 'stopping', position = null, problem = null, changed_at = ${write(at)}
    where id = ${write(id)} and phase in (${listed(stoppablePhases)}) returning id`;
