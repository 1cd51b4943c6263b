import { isCopy } from "#store/db/moved-tables.ts";
import type { DataDatabase, Databases } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { loadReach } from "#store/home/placements.ts";
import type { FileBucket, FileStore } from "./file-store.ts";
import { deleteRows, removing } from "./files.ts";

/** Steps that delete files. A step may stop at any point, and the next run continues. */

const filesPerStep = 200;

/** Only the database that owns a collection decides about its files, not a database with a copy of the rows. */
const isOwn = `not ${isCopy("file.collection_id")}`;
const claimExpired = `update file set remove_at = ${removing} where id in (
  select id from file where remove_at > ${removing} and remove_at <= ?1 and ${isOwn} order by remove_at limit ${filesPerStep})`;
const selectRemoving = `select id from file where remove_at = ${removing} and ${isOwn} limit ${filesPerStep}`;

/**
 * Deletes one step of the files that nothing needs: first the objects, then the rows. A file that is being deleted can
 * no longer be attached. Returns whether there were any.
 */
export async function sweepFiles(
  db: DataDatabase,
  files: Pick<FileStore, "delete">,
  now: number,
): Promise<boolean> {
  const results = await retryTransient(db, () =>
    db.batch<{ id: string }>([
      db.prepare<"data">(claimExpired, [now]),
      db.prepare<"data">(selectRemoving),
    ]),
  );
  const ids = (results[1]?.results ?? []).map(({ id }) => id);
  if (ids.length === 0) return false;
  await files.delete(ids);
  await deleteRows(db, ids, now);
  return true;
}

/** No upload lasts this long. An object that has no row after this time never gets one. */
const settledMs = 12 * 60 * 60_000;
const settled = `select removed_at, id from removed_file where removed_at <= ?1 order by removed_at, id limit ${filesPerStep}`;

/**
 * Deletes the objects of one step of the removed files again, because an upload that began before the removal may have
 * stored one later. Returns whether more may remain.
 */
export async function sweepRemovedFiles(
  db: DataDatabase,
  files: Pick<FileStore, "delete">,
  now: number,
): Promise<boolean> {
  const before = [now - settledMs];
  const { results } = await retryTransient(db, () =>
    db.prepare<"data">(settled, before).all<{ removed_at: number; id: string }>(),
  );
  if (results.length === 0) return false;
  await files.delete(results.map(({ id }) => id));
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

/** The next files that were removed from their items, in the order of the changes that removed them. */
const windowSql = `select id, detached from file where detached is not null and (detached, id) > (?1, ?2)
  order by detached, id limit ${changesPerStep}`;
const releaseForgotten = `update file set remove_at = ${removing}
  where remove_at is null and ${isOwn} and id in (select w.id from (${windowSql}) w
    left join change c on c.number = w.detached where c.former is null)`;
const selectWindowEnd = `select detached, id, count(*) over () as files from (${windowSql}) order by detached desc, id desc limit 1`;

/**
 * Marks one step of former files for removal once the history no longer has the values of the change that removed them.
 * Older values expire earlier, so no other change refers to these files. Returns whether more may remain.
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
  // After the last file, the next run starts from the beginning.
  const after = isFull ? `${end.detached} ${end.id}` : "";
  if (after !== "" || position[0] !== 0)
    await retryTransient(db, () => db.prepare<"data">(savePosition, [history, after]).run());
  return isFull;
}

const objectsPerStep = 1000;
/** The name under which the position in a bucket is stored. */
const objects = ({ jurisdiction }: FileBucket) =>
  jurisdiction === null ? "objects" : `objects ${jurisdiction}`;

/**
 * Deletes one step of the objects of a bucket that have no row, and copies misplaced objects to the bucket of their
 * jurisdiction. Objects without a row come only from a restore of a database to an earlier time, or from versions
 * before `removed_file`. `dbs` are all bound databases. Returns whether more may remain.
 */
export async function sweepObjects(
  databases: Databases,
  dbs: readonly DataDatabase[],
  files: FileStore,
  swept: FileBucket,
  now: number,
): Promise<boolean> {
  const { bucket } = swept;
  const [first] = dbs;
  if (!first) return false;
  const startAfter = await loadPosition(first, objects(swept));
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
  const keys = page.objects.map(({ key }) => key);
  const lastCarried =
    files.buckets.length > 1 ? await carryMisplaced(databases, dbs, files, swept, keys) : undefined;
  const after = lastCarried ?? (page.truncated ? (keys.at(-1) ?? "") : "");
  if (after !== startAfter)
    await retryTransient(first, () =>
      first.prepare<"data">(savePosition, [objects(swept), after]).run(),
    );
  return after !== "";
}

/** The maximum number of objects per step. Each one has up to 90 MB. */
const carriedPerStep = 20;

/**
 * Moves the objects whose rows are in databases with another bucket. Returns the key of the last moved object if more
 * remain.
 */
async function carryMisplaced(
  databases: Databases,
  dbs: readonly DataDatabase[],
  files: FileStore,
  { jurisdiction: from }: FileBucket,
  keys: readonly string[],
): Promise<string | undefined> {
  const targets = new Map<string, string | null>();
  const before = await loadReach(databases);
  if (before.missing.length > 0 || before.isMoving) return undefined;
  for (const db of dbs) {
    const to = databases.jurisdictions.get(db.name) ?? null;
    if (files.areTogether(from, to)) continue;
    const ownText = `select id from file where id in (select value from json_each(?1)) and ${isOwn}`;
    const { results } = await retryTransient(db, () =>
      db.prepare<"data">(ownText, [JSON.stringify(keys)]).all<{ id: string }>(),
    );
    for (const { id } of results) targets.set(id, to);
  }
  const misplaced = keys.filter((key) => targets.has(key)).slice(0, carriedPerStep);
  const copied: string[] = [];
  for (const id of misplaced) if (await files.copy(id, targets.get(id) ?? null)) copied.push(id);
  const after = await loadReach(databases);
  if (after.lastMove === before.lastMove)
    for (const id of copied) await files.deleteElsewhere([id], targets.get(id) ?? null);
  return targets.size > misplaced.length ? misplaced.at(-1) : undefined;
}

/**
 * Deletes the objects that have no row in any database. The directory names the database of each row, and only a move
 * changes it. If all databases are bound and no move runs during the check, no row can be missed.
 */
async function deleteOrphans(
  databases: Databases,
  dbs: readonly DataDatabase[],
  bucket: Pick<R2Bucket, "delete">,
  candidates: readonly string[],
): Promise<void> {
  const before = await loadReach(databases);
  if (before.missing.length > 0 || before.isMoving) return;
  const orphans = await withoutRows(dbs, candidates);
  const after = await loadReach(databases);
  if (orphans.length > 0 && after.lastMove === before.lastMove) await bucket.delete(orphans);
}

/** Returns the keys for which no database has a row. */
async function withoutRows(
  dbs: readonly DataDatabase[],
  keys: readonly string[],
): Promise<string[]> {
  let missingKeys = [...keys];
  for (const db of dbs) {
    if (missingKeys.length === 0) return [];
    const statement = db.prepare<"data">(
      "select value as key from json_each(?1) e where not exists (select 1 from file where id = e.value)",
      [JSON.stringify(missingKeys)],
    );
    const { results } = await retryTransient(db, () => statement.all<{ key: string }>());
    missingKeys = results.map(({ key }) => key);
  }
  return missingKeys;
}
