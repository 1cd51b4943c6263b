import { isCopy } from "#store/db/moved-tables.ts";
import type { DataDatabase, Databases } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { loadReach } from "#store/home/placements.ts";
import { deleteRows, removing } from "./files.ts";

/** Steps that delete files. Each may be interrupted at any point, and the next run continues. */

type Bucket = Pick<R2Bucket, "delete" | "list">;

const filesPerStep = 200;

/** The database that owns a collection decides about its files, not one that has a copy of their rows. */
const isOwn = `not ${isCopy("file.collection_id")}`;
const claimExpired = `update file set remove_at = ${removing} where id in (
  select id from file where remove_at > ${removing} and remove_at <= ?1 and ${isOwn} order by remove_at limit ${filesPerStep})`;
const selectRemoving = `select id from file where remove_at = ${removing} and ${isOwn} limit ${filesPerStep}`;

/**
 * Deletes one step of the files that nothing needs: first the objects, then the rows. Once claimed, a file can no longer
 * be attached. Returns whether there were any.
 */
export async function sweepFiles(db: DataDatabase, bucket: Bucket, now: number): Promise<boolean> {
  const results = await retryTransient(db, () =>
    db.batch<{ id: string }>([
      db.prepare<"data">(claimExpired, [now]),
      db.prepare<"data">(selectRemoving),
    ]),
  );
  const ids = (results[1]?.results ?? []).map(({ id }) => id);
  if (ids.length === 0) return false;
  await bucket.delete(ids);
  await deleteRows(db, ids, now);
  return true;
}

/** No upload lasts this long, so an object that has no row after this time never gets one. */
const settledMs = 12 * 60 * 60_000;
const settled = `select removed_at, id from removed_file where removed_at <= ?1 order by removed_at, id limit ${filesPerStep}`;

/**
 * Deletes the objects of one step of the removed files again, because an upload that began before the removal can have
 * stored one. Returns whether more may remain.
 */
export async function sweepRemovedFiles(
  db: DataDatabase,
  bucket: Bucket,
  now: number,
): Promise<boolean> {
  const before = [now - settledMs];
  const { results } = await retryTransient(db, () =>
    db.prepare<"data">(settled, before).all<{ removed_at: number; id: string }>(),
  );
  if (results.length === 0) return false;
  await bucket.delete(results.map(({ id }) => id));
  const rows = JSON.stringify(results.map((row) => [row.removed_at, row.id]));
  const deletion = `delete from removed_file where (removed_at, id) in
    (select value ->> 0, value ->> 1 from json_each(?1))`;
  await retryTransient(db, () => db.prepare<"data">(deletion, [rows]).run());
  return results.length === filesPerStep;
}

const selectPosition = "select after from file_sweep where name = ?1";
const savePosition =
  "insert into file_sweep (name, after) values (?1, ?2) on conflict (name) do update set after = excluded.after";

async function loadPosition(db: DataDatabase, name: string): Promise<string> {
  const statement = db.prepare<"data">(selectPosition, [name]);
  const row = await retryTransient(db, () => statement.first<{ after: string }>());
  return row?.after ?? "";
}

const changesPerStep = 1000;
const history = "history";

/** The next files that their items no longer have, in the order of the changes that removed them. */
const windowSql = `select id, detached from file where detached is not null and (detached, id) > (?1, ?2)
  order by detached, id limit ${changesPerStep}`;
const releaseForgotten = `update file set remove_at = ${removing}
  where remove_at is null and ${isOwn} and id in (select w.id from (${windowSql}) w
    left join change c on c.number = w.detached where c.former is null)`;
const selectWindowEnd = `select detached, id, count(*) over () as files from (${windowSql}) order by detached desc, id desc limit 1`;

/**
 * Gives up one step of the files that only the history had, once it no longer has the values of the change that removed
 * them. Older values expire earlier, so no other change refers to them. Returns whether more may remain.
 */
export async function releaseFormerFiles(db: DataDatabase): Promise<boolean> {
  const [detached = "0", id = ""] = (await loadPosition(db, history)).split(" ");
  const position = [Number(detached), id];
  const results = await retryTransient(db, () =>
    db.batch<{ detached: number; id: string; files: number }>([
      db.prepare<"data">(releaseForgotten, position),
      db.prepare<"data">(selectWindowEnd, position),
    ]),
  );
  const end = results[1]?.results[0];
  const isFull = end !== undefined && end.files === changesPerStep;
  // The next run starts over after the last file.
  const after = isFull ? `${end.detached} ${end.id}` : "";
  if (after !== "" || position[0] !== 0)
    await retryTransient(db, () => db.prepare<"data">(savePosition, [history, after]).run());
  return isFull;
}

const objectsPerStep = 1000;
const objects = "objects";

/**
 * Deletes one step of the objects that have no row. Only a restore of a database to an earlier time leaves such objects,
 * and versions before `removed_file` did. `dbs` are all bound databases. Returns whether more may remain.
 */
export async function sweepObjects(
  databases: Databases,
  dbs: readonly DataDatabase[],
  bucket: Bucket,
  now: number,
): Promise<boolean> {
  const [first] = dbs;
  if (!first) return false;
  const startAfter = await loadPosition(first, objects);
  const page = await bucket.list({
    limit: objectsPerStep,
    ...(startAfter === "" ? {} : { startAfter }),
  });
  const old = page.objects.filter(({ uploaded }) => uploaded.getTime() <= now - settledMs);
  const candidates = await withoutRows(
    dbs,
    old.map(({ key }) => key),
  );
  if (candidates.length > 0) await deleteOrphans(databases, dbs, bucket, candidates);
  const after = page.truncated ? (page.objects.at(-1)?.key ?? "") : "";
  if (after !== startAfter)
    await retryTransient(first, () => first.prepare<"data">(savePosition, [objects, after]).run());
  return page.truncated;
}

/**
 * Deletes those of the objects that really have no row. The directory names the database of each row, and only a move
 * changes that. So if all of them are bound and no move takes place meanwhile, no row can hide in another database.
 */
async function deleteOrphans(
  databases: Databases,
  dbs: readonly DataDatabase[],
  bucket: Bucket,
  candidates: readonly string[],
): Promise<void> {
  const before = await loadReach(databases);
  if (before.missing.length > 0 || before.isMoving) return;
  const orphans = await withoutRows(dbs, candidates);
  const after = await loadReach(databases);
  if (orphans.length > 0 && after.lastMove === before.lastMove) await bucket.delete(orphans);
}

/** Those of the keys for which no database has a row. */
async function withoutRows(
  dbs: readonly DataDatabase[],
  keys: readonly string[],
): Promise<string[]> {
  let missing = [...keys];
  for (const db of dbs) {
    if (missing.length === 0) return [];
    const statement = db.prepare<"data">(
      "select value as key from json_each(?1) e where not exists (select 1 from file where id = e.value)",
      [JSON.stringify(missing)],
    );
    const { results } = await retryTransient(db, () => statement.all<{ key: string }>());
    missing = results.map(({ key }) => key);
  }
  return missing;
}
