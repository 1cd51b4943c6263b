import type { DataDatabase } from "#store/db/database.ts";
import { collectionDigits } from "#domain/item/item.ts";
import { heldTables } from "#store/db/moved-tables.ts";
import { retryTransient } from "#store/db/retry.ts";
import { hasPending, hasRepairs, idsOf, type Ids } from "./move-sql.ts";
import {
  guardRun,
  refuseIf,
  writeIfAllowed,
  writeNext,
  type MoveRole,
  type RunOrder,
} from "./move-guards.ts";
import { createTriggers, lacksTriggers } from "./move-log.ts";
import { deleteAll, selectAll, storeRows, type Row } from "./move-rows.ts";

/**
 * The statements of a move in the source and target databases, except those that copy rows. Each batch has a number.
 * After a later batch has run, a delayed batch can no longer store anything.
 */

/** A collection that moves. */
export interface MovingCollection {
  id: number;
  /** "form:purchase". */
  name: string;
  /** The epoch before the move. */
  epoch: number;
}

const insertMoving = (db: DataDatabase, { id }: MovingCollection, role: MoveRole, run: number) =>
  db.prepare<"data">(
    `insert into moving (collection_id, role, digits, run) values (?1, ?2, ?3, ?4)
      on conflict (collection_id) do update set role = excluded.role, run = max(run, excluded.run)`,
    [id, role, collectionDigits(id), run],
  );

/** Makes this run the latest in the databases, unless they have recorded a later one. Returns the latest run. */
export async function beginRun(dbs: readonly DataDatabase[], run: number): Promise<number> {
  let latest = run;
  for (const db of dbs) {
    const batch = [
      db.prepare<"data">(
        `insert into move_run (id, run, step) values (1, ?1, 0) on conflict (id)
          do update set step = iif(run < ?1, 0, step), run = max(run, ?1) returning run`,
        [run],
      ),
      db.prepare<"data">("update moving set run = max(run, ?1)", [run]),
    ];
    const [begun] = await retryTransient(db, () => db.batch<{ run: number }>(batch));
    latest = Math.max(latest, begun?.results[0]?.run ?? run);
  }
  return latest;
}

/** Prepares the target for rows that it does not own. Returns false if it owns one of the collections. */
export function receive(
  target: DataDatabase,
  collections: readonly MovingCollection[],
  order: RunOrder,
): Promise<boolean> {
  return writeIfAllowed(target, order, [
    refuseIf(
      target,
      `exists (select 1 from owner where collection_id in ${idsOf(collections)} and state <> 'moved')`,
    ),
    ...collections.flatMap((collection) => [
      target.prepare<"data">(
        "insert into owner (collection_id, epoch, state) values (?1, ?2, 'moved') on conflict do nothing",
        [collection.id, collection.epoch],
      ),
      insertMoving(target, collection, "target", order.run),
    ]),
  ]);
}

/** Creates the triggers that log changes. */
export async function startNoting(
  source: DataDatabase,
  collections: readonly MovingCollection[],
  order: RunOrder,
): Promise<void> {
  const statements = collections.flatMap((collection) => [
    // Collections of the home database that were never placed have no row in `owner`.
    source.prepare<"data">(
      "insert into owner (collection_id, epoch, state) values (?1, ?2, 'owned') on conflict do nothing",
      [collection.id, collection.epoch],
    ),
    insertMoving(source, collection, "source", order.run),
  ]);
  await writeNext(source, order, [...statements, ...createTriggers(source)]);
}

/** Rejects writes until the given time or until the move ends. */
export async function freeze(
  source: DataDatabase,
  collections: readonly MovingCollection[],
  order: RunOrder,
  until: number,
): Promise<void> {
  const sql = `update owner set state = 'frozen', frozen_until = ?1
    where collection_id in ${idsOf(collections)} and state <> 'moved'`;
  await writeNext(source, order, [
    guardRun(source, "source", order.run),
    source.prepare<"data">(sql, [until]),
  ]);
}

/** Accepts writes again. */
export async function unfreeze(
  source: DataDatabase,
  collections: readonly MovingCollection[],
  order: RunOrder,
): Promise<void> {
  const sql = `update owner set state = 'owned', frozen_until = 0
    where collection_id in ${idsOf(collections)} and state = 'frozen'`;
  await writeNext(source, order, [source.prepare<"data">(sql)]);
}

/** Returns a text that changes when a reference between collections of the database is added or removed. */
export async function loadLinksMark(source: DataDatabase): Promise<string> {
  const row = await retryTransient(source, () =>
    source.prepare<"data">(`select ${linksMark} as mark`).first<{ mark: string | null }>(),
  );
  return row?.mark ?? "";
}

const linksMark = `(select group_concat(id || ':' || revision) from (
  select id, revision from collection where instr(fields, '"type":"reference"') > 0 order by id))`;

async function isTrue(db: DataDatabase, condition: string): Promise<boolean> {
  const statement = db.prepare<"data">(`select ${condition} as is_true`);
  const row = await retryTransient(db, () => statement.first<{ is_true: number }>());
  return row?.is_true === 1;
}

/**
 * Whether a change of a definition waits until all items are checked. Such a change must finish in its own database.
 */
export const hasPendingDefinition = (db: DataDatabase, collections: Ids): Promise<boolean> =>
  isTrue(db, hasPending(collections));

/** Whether the database is repairing rows of any collection, after an upgrade or a restore. */
export const hasUnfinishedRepairs = (db: DataDatabase): Promise<boolean> => isTrue(db, hasRepairs);

/**
 * Gives up the collections in one transaction, which verifies that everything is copied. Returns false if a change is
 * not copied.
 */
export function surrender(
  source: DataDatabase,
  collections: readonly MovingCollection[],
  order: RunOrder,
  links: string,
): Promise<boolean> {
  const ids = idsOf(collections);
  return writeIfAllowed(source, order, [
    guardRun(source, "source", order.run),
    refuseIf(source, `exists (select 1 from move_log) or ${lacksTriggers()}`),
    refuseIf(
      source,
      `(select count(*) from owner where collection_id in ${ids} and state = 'frozen') <> ${collections.length}`,
    ),
    refuseIf(source, hasPending(collections)),
    refuseIf(source, `coalesce(${linksMark}, '') <> ?1`, [links]),
    source.prepare<"data">(`update owner set state = 'moved' where collection_id in ${ids}`),
    source.prepare<"data">("delete from moving where role = 'source'"),
  ]);
}

/** Whether the database no longer owns the collections, or never had them. */
export async function areMoved(
  db: DataDatabase,
  collections: readonly MovingCollection[],
): Promise<boolean> {
  const sql = `select count(*) as moved from owner where collection_id in ${idsOf(collections)} and state = 'moved'`;
  const row = await retryTransient(db, () => db.prepare<"data">(sql).first<{ moved: number }>());
  return row?.moved === collections.length;
}

/** Makes the other database the owner, and stores the rows that make the collections visible. Can be repeated. */
export async function takeOver(
  [source, target]: readonly [DataDatabase, DataDatabase],
  collections: readonly MovingCollection[],
  order: RunOrder,
): Promise<void> {
  const tables = heldTables();
  const ids = collections.map(({ id }) => id);
  const [isWaiting, found] = await Promise.all([
    areMoved(target, collections),
    retryTransient(source, () =>
      source.batch<Row>(tables.map((table) => selectAll(source, table, ids))),
    ),
  ]);
  if (!isWaiting) return;
  await writeNext(target, order, [
    guardRun(target, "target", order.run),
    ...tables.flatMap((table, index) => [
      deleteAll(target, table, ids),
      ...storeRows(target, table, found[index]?.results ?? []),
    ]),
    ...collections.map(({ id, epoch }) =>
      target.prepare<"data">(
        "update owner set epoch = ?2, state = 'owned', frozen_until = 0 where collection_id = ?1",
        [id, epoch + 1],
      ),
    ),
    target.prepare<"data">("delete from moving where role = 'target'"),
  ]);
}

/** Deletes the rows with which the former database works on the collections or lists them. */
export async function hideCopy(
  source: DataDatabase,
  collections: readonly MovingCollection[],
  what: "work" | "all",
  order: RunOrder,
): Promise<void> {
  const tables = heldTables().filter(({ name }) => what === "all" || name !== "collection");
  const ids = collections.map(({ id }) => id);
  await writeNext(source, order, [
    refuseIf(
      source,
      `exists (select 1 from owner where collection_id in ${idsOf(collections)} and state <> 'moved')`,
    ),
    ...tables.map((table) => deleteAll(source, table, ids)),
    // Unattached files count against the limit of their owner, so their rows are deleted too.
    source.prepare<"data">(
      `delete from file where collection_id in ${idsOf(collections)} and item is null`,
    ),
  ]);
}

/** Removes the state of a move that has not given up the collections. */
export async function forgetMove(db: DataDatabase, role: MoveRole, order: RunOrder): Promise<void> {
  await writeNext(db, order, [db.prepare<"data">(`delete from moving where role = '${role}'`)]);
}
