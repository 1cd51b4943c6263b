import { and, gte, sql } from "drizzle-orm";
import { lazy } from "#domain/lazy.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { sequencesPerRestore } from "#domain/timeline.ts";
import { lastChangeSql } from "#store/data/changes.ts";
import {
  batchQueries,
  query,
  type DataDatabase,
  type Databases,
  type HomeDatabase,
} from "#store/db/database.ts";
import { isCopy } from "#store/db/moved-tables.ts";
import { retryTransient } from "#store/db/retry.ts";
import { databaseReport, dataDatabase } from "#store/db/schema.ts";
import { dataStatement, homeStatement } from "#store/db/statement.ts";

/** The last report of a database about its size and load. */
export interface DatabaseReport {
  /** The name of its binding. */
  name: string;
  bytes: number;
  collections: number;
  writesPerMinute: number;
  /** The region in which D1 runs the database. Null if D1 does not report it. */
  region: string | null;
  reportedAt: number;
}

/** The maximum number of collections to count. */
const maxCollections = sql.raw("10000");

/** A copy that a move left does not count. Its collection counts in the new database. */
const isMovedAway = sql.raw(isCopy("collection.id"));

/** A restore raises the numbers of changes, so only the position within a timeline counts. */
const changesSql = sql`(${lastChangeSql("c.id")} - c.id * ${sql.raw(String(sequencesPerCollection))})
  % ${sql.raw(String(sequencesPerRestore))}`;

const selectCounts = dataStatement((db) =>
  db
    .select({
      collections: sql<number>`count(*)`.as("collections"),
      changes: sql<number>`coalesce(sum(${changesSql}), 0)`.as("changes"),
    })
    .from(
      sql`(select id from collection where id > 0 and not ${isMovedAway} limit ${maxCollections}) c`,
    ),
);

type Counts = Pick<DatabaseReport, "collections"> & { changes: number };

type Report = Omit<DatabaseReport, "writesPerMinute"> & Pick<Counts, "changes">;

async function measure(db: DataDatabase, now: number): Promise<Report> {
  const { results, meta } = await retryTransient(db, () => selectCounts(db, {}).all<Counts>());
  const { size_after: bytes, served_by_region: region = null } = meta;
  const { collections = 0, changes = 0 } = results[0] ?? {};
  return { name: db.name, bytes, collections, changes, region, reportedAt: now };
}

/** When the number of collections changes, the sum changes without a write, so the previous rate stays for a minute. */
const rateSql = sql`iif(excluded.collections <> database_report.collections, database_report.writes_per_minute,
  max(0, cast(round((excluded.changes - database_report.changes) * 60000.0
    / (excluded.reported_at - database_report.reported_at)) as integer)))`;

const saveReports = homeStatement<{ reports: string }>((db, v) =>
  db
    .insert(databaseReport)
    .select(
      sql`select value ->> 'name', value ->> 'bytes', value ->> 'collections', value ->> 'changes', 0,
        value ->> 'region', value ->> 'reportedAt' from json_each(${v.reports}) where true`,
    )
    .onConflictDoUpdate({
      target: databaseReport.name,
      set: {
        writesPerMinute: rateSql,
        bytes: sql`excluded.bytes`,
        collections: sql`excluded.collections`,
        changes: sql`excluded.changes`,
        region: sql`excluded.region`,
        reportedAt: sql`excluded.reported_at`,
      },
      setWhere: sql`excluded.reported_at > database_report.reported_at`,
    }),
);

/** Stores the size and the counters of each database that responds. Throws the error of a database that does not. */
export async function reportDatabases(databases: Databases, now: number): Promise<Report[]> {
  const results = await Promise.allSettled(databases.dataDatabases().map((db) => measure(db, now)));
  const reports = results.flatMap((result) =>
    result.status === "fulfilled" ? [result.value] : [],
  );
  const { home } = databases;
  if (reports.length > 0)
    await retryTransient(home, () => saveReports(home, { reports: JSON.stringify(reports) }).run());
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
  return reports;
}

const reportColumns = lazy(() => ({
  name: databaseReport.name,
  bytes: databaseReport.bytes,
  collections: databaseReport.collections,
  writesPerMinute: databaseReport.writesPerMinute,
  region: databaseReport.region,
  reportedAt: databaseReport.reportedAt,
}));

/** Loads the reports of all databases, and the locations of the data databases, in one round trip. */
export async function loadReports(
  home: HomeDatabase,
): Promise<{ reports: DatabaseReport[]; sites: { name: string; location: string | null }[] }> {
  const [reports, sites] = await retryTransient(home, () =>
    batchQueries(home, [
      query(home, (on) => on.select(reportColumns()).from(databaseReport)),
      query(home, (on) =>
        on.select({ name: dataDatabase.name, location: dataDatabase.location }).from(dataDatabase),
      ),
    ]),
  );
  return { reports, sites };
}

/** Selects the databases that hold at least this many bytes and still report. */
export const selectLargeDatabases = (
  db: HomeDatabase,
  { minBytes, since }: { minBytes: number; since: number },
) =>
  query(db, (on) =>
    on
      .select(reportColumns())
      .from(databaseReport)
      .where(and(gte(databaseReport.bytes, minBytes), gte(databaseReport.reportedAt, since))),
  );
