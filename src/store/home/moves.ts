import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { MovingCollection } from "#store/data/move-sides.ts";
import { orm, type HomeDatabase, type PreparedStatement } from "#store/db/database.ts";
import { collectionMove } from "#store/db/home-schema.ts";
import { retryTransient } from "#store/db/retry.ts";
import { isActive } from "./move-sql.ts";

type MoveRow = typeof collectionMove.$inferSelect;

/** A move of a collection, and of the collections that are linked to it, to another database. */
export interface Move extends Omit<MoveRow, "collections" | "position"> {
  collections: MovingCollection[];
  /** The position at which copying or checking continues. */
  position: MovePosition | null;
}

/** The collection and the table (by index) that come next, and the last key of that table that is done. */
export interface MovePosition {
  collection: number;
  table: number;
  after: unknown[] | null;
}

const moveFromRow = (row: MoveRow): Move => ({
  ...row,
  collections: JSON.parse(row.collections) as MovingCollection[],
  position: row.position === null ? null : (JSON.parse(row.position) as MovePosition),
});

const maxListed = 100;

/** Lists unfinished moves and the moves that ended at or after `since`, newest first. */
export async function listMoves(home: HomeDatabase, since: number): Promise<Move[]> {
  const rows = await retryTransient(home, () =>
    orm(home)
      .select()
      .from(collectionMove)
      .where(sql`${sql.raw(isActive)} or phase = 'kept' or changed_at >= ${since}`)
      .orderBy(desc(collectionMove.id))
      .limit(maxListed),
  );
  return rows.map(moveFromRow);
}

/** After this time without progress, another run may replace a run. */
const leaseMs = 12_000;

/**
 * A restore may make the home database forget runs whose numbers other databases have stored. Each restore skips this
 * many numbers.
 */
const runsPerRestore = 1_000_000_000;

/**
 * Claims an unfinished move, or a copy that is due for erasure. Returns undefined if there is none, or if a run is
 * working on it. Each run has a higher number than all earlier runs of any move, because databases compare only
 * numbers.
 */
export async function claimMove(home: HomeDatabase, now: number): Promise<Move | undefined> {
  const sqlText = `update collection_move set run = max((select max(run) from collection_move), ?3) + 1, leased_until = ?2
    where id = (select id from collection_move where (${isActive} or phase = 'kept' and erase_at <= ?1)
      order by phase = 'kept', id limit 1) and leased_until <= ?1 returning id`;
  const values = [now, now + leaseMs, home.timeline.restores * runsPerRestore];
  const row = await retryTransient(home, () =>
    home.prepare<"home">(sqlText, values).first<{ id: number }>(),
  );
  return row ? findMove(home, row.id) : undefined;
}

/**
 * Gives the run a number above one that a database has stored and the home database has forgotten. Returns undefined if
 * a later run has begun.
 */
export async function renumberRun(
  home: HomeDatabase,
  { id, run }: Move,
  latest: number,
): Promise<Move | undefined> {
  const rows = await retryTransient(home, () =>
    orm(home)
      .update(collectionMove)
      .set({ run: sql`max((select max(run) from collection_move), ${latest}) + 1` })
      .where(and(eq(collectionMove.id, id), eq(collectionMove.run, run)))
      .returning(),
  );
  const [row] = rows;
  return row && moveFromRow(row);
}

export async function findMove(home: HomeDatabase, id: number): Promise<Move | undefined> {
  const [row] = await retryTransient(home, () =>
    orm(home).select().from(collectionMove).where(eq(collectionMove.id, id)),
  );
  return row && moveFromRow(row);
}

export type MoveUpdate = Partial<
  Pick<
    Move,
    | "phase"
    | "source"
    | "collections"
    | "position"
    | "total"
    | "done"
    | "announcedAt"
    | "movedAt"
    | "eraseAt"
    | "frozenMs"
    | "restores"
    | "problem"
  >
>;

/**
 * Saves the progress of a run and extends its claim. Returns undefined if a member stopped the move or a later run has
 * begun. A late save changes nothing, because later saves have changed the time.
 */
export async function saveMove(
  home: HomeDatabase,
  move: Move,
  update: MoveUpdate,
  now: number,
): Promise<Move | undefined> {
  const { collections, position, ...columns } = update;
  const rows = await retryTransient(home, () =>
    orm(home)
      .update(collectionMove)
      .set({
        ...columns,
        ...(collections ? { collections: JSON.stringify(collections) } : {}),
        ...(position === undefined ? {} : { position: position && JSON.stringify(position) }),
        changedAt: now,
        leasedUntil: now + leaseMs,
      })
      .where(
        and(
          eq(collectionMove.id, move.id),
          eq(collectionMove.run, move.run),
          // The second value of each list is for a repetition of a save whose response was lost.
          inArray(collectionMove.phase, [move.phase, update.phase ?? move.phase]),
          inArray(collectionMove.changedAt, [move.changedAt, now]),
        ),
      )
      .returning(),
  );
  const [row] = rows;
  return row && moveFromRow(row);
}

/** Lets the next run begin at once. */
export async function releaseMove(home: HomeDatabase, { id, run }: Move): Promise<void> {
  await retryTransient(home, () =>
    orm(home)
      .update(collectionMove)
      .set({ leasedUntil: 0 })
      .where(and(eq(collectionMove.id, id), eq(collectionMove.run, run))),
  );
}

/**
 * SQL for whether the move is still in the phase of this statement and no later run has begun. The statement may run
 * late.
 */
const isInPhase = ({ id, run, phase }: Move) =>
  `exists (select 1 from collection_move where id = ${id} and run = ${run} and phase = '${phase}')`;

/** Announces the move to all isolates. They notice within a minute. */
export async function announceMove(home: HomeDatabase, move: Move): Promise<void> {
  const insert = ({ id, name, epoch }: MovingCollection): PreparedStatement<"home"> => {
    const [kind, key] = name.split(":");
    return home.prepare<"home">(
      `insert into placement (collection_id, kind, key, database, epoch, state, moving)
        select ?1, ?2, ?3, ?4, ?5, 'placed', 1 where ${isInPhase(move)}
        on conflict (collection_id) do update set moving = 1`,
      [id, kind, key, move.source, epoch],
    );
  };
  await retryTransient(home, () => home.batch(move.collections.map(insert)));
}

/** Ends the announcement of a move that failed or was stopped. */
export async function withdraw(home: HomeDatabase, move: Move): Promise<void> {
  const ids = JSON.stringify(move.collections.map(({ id }) => id));
  await retryTransient(home, () =>
    home
      .prepare<"home">(
        `update placement set moving = 0
          where collection_id in (select value from json_each(?1)) and ${isInPhase(move)}`,
        [ids],
      )
      .run(),
  );
}

/** Makes the directory name the new database of the collections. No request uses the former one afterwards. */
export async function redirect(
  home: HomeDatabase,
  collections: readonly MovingCollection[],
  target: string,
): Promise<void> {
  const statements = collections.map(({ id, epoch }) =>
    home.prepare<"home">(
      "update placement set database = ?2, epoch = ?3, moving = 0 where collection_id = ?1 and epoch < ?3",
      [id, target, epoch + 1],
    ),
  );
  await retryTransient(home, () => home.batch(statements));
}
