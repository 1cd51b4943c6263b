import { sql } from "drizzle-orm";
import type { Actor } from "#domain/audit.ts";
import type { CollectionKind, Definition } from "#domain/definition/collection.ts";
import type { Databases } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { dataStatement, jointStatement, type Placeholders } from "#store/db/statement.ts";
import { loadActorNames } from "#store/home/audit.ts";
import { actorNameSql } from "./changes.ts";
import {
  currentFromRow,
  selectByKey,
  type CurrentCollection,
  type CurrentCollectionRow,
} from "./collections.ts";

/** A version of a definition. */
export interface DefinitionVersion {
  version: number;
  /** Null if the definition is too large for the list or no longer stored. */
  definition: Definition | null;
  /** The change that created the version. Null if the audit log no longer contains it. */
  change: { at: number; actor: Actor; actorName: string | null } | null;
}

export interface DefinitionHistory {
  current: CurrentCollection;
  /** Newest first, including the current version. */
  versions: DefinitionVersion[];
}

interface HistoryValues {
  kind: CollectionKind;
  key: string;
}

/** The list omits larger definitions. Callers compare those one by one. */
const maxDefinitionLength = sql.raw("50000");
const maxListedVersions = sql.raw("30");
/** The same number as a page of the audit log scans. */
const maxScannedEntries = sql.raw("5000");

const changeColumns = {
  collection_id: sql<number>`collection_id`,
  version: sql<number>`version`,
  at: sql<number>`at`,
  actor: sql<Actor>`actor`,
};

const collectionIdSql = ({ kind, key }: Placeholders<HistoryValues>) =>
  sql`(select id from collection where kind = ${kind} and key = ${key})`;

const selectFormer = dataStatement<HistoryValues>((db, v) =>
  db
    .select({ version: sql<number>`version`, definition: sql<string | null>`listed`.as("listed") })
    .from(
      sql`(select version, iif(length(definition) <= ${maxDefinitionLength}, definition, null) as listed
        from former_definition where collection_id = ${collectionIdSql(v)} order by version desc limit ${maxListedVersions})`,
    ),
);

const isDefinitionChange = sql`version is not null and action in ('definition.create', 'definition.change')`;

const newestEntries = sql`(select * from audit_entry order by id desc limit ${maxScannedEntries})`;

/** Runs in a database that has the collection and also members and credentials. */
const selectNamedChanges = jointStatement<HistoryValues>((db, v) =>
  db
    .select({ ...changeColumns, actorName: actorNameSql.as("actor_name") })
    .from(newestEntries)
    .where(sql`collection_id = ${collectionIdSql(v)} and ${isDefinitionChange}`),
);

/**
 * Runs in a database that may have had the collection. An earlier collection can have had its key, so the caller
 * compares ids.
 */
const selectChanges = dataStatement<{ name: string }>((db, v) =>
  db
    .select({ ...changeColumns, actorName: sql<null>`null`.as("actor_name") })
    .from(newestEntries)
    .where(sql`subject = ${v.name} and ${isDefinitionChange}`),
);

interface ChangeRow {
  collection_id: number;
  version: number;
  at: number;
  actor: Actor;
  actor_name: string | null;
}

/** Loads the newest versions of a definition and their changes, in one round trip to each database. */
export async function loadDefinitionHistory(
  databases: Databases,
  kind: CollectionKind,
  key: string,
): Promise<DefinitionHistory | undefined> {
  const { singleDatabase } = databases;
  const [[currentResult, formerResult, changeResult], otherChanges] = await Promise.all([
    retryTransient(databases, () => loadVersions(databases, { kind, key })),
    singleDatabase ? [] : loadChanges(databases, `${kind}:${key}`),
  ]);
  const rows = (currentResult?.results ?? []) as CurrentCollectionRow[];
  const current = currentFromRow(rows[0] ?? null, databases.timeline);
  if (!current) return undefined;
  const changeRows = [...((changeResult?.results ?? []) as ChangeRow[]), ...otherChanges];
  const changes = changeRows.filter((row) => row.collection_id === current.collection.id);
  const names = singleDatabase ? new Map<string, string>() : await loadNames(databases, changes);
  const changeByVersion = new Map(changes.map((row) => [row.version, row]));
  const former = (formerResult?.results ?? []) as { version: number; listed: string | null }[];
  const { version, definition } = current.collection;
  const listed = [
    { version, definition },
    ...former.map((row) => ({
      version: row.version,
      definition: row.listed === null ? null : (JSON.parse(row.listed) as Definition),
    })),
  ];
  const versions = listed.map((entry) => {
    const row = changeByVersion.get(entry.version);
    const actorName = row ? (row.actor_name ?? names.get(row.actor) ?? null) : null;
    return { ...entry, change: row ? { at: row.at, actor: row.actor, actorName } : null };
  });
  return { current, versions };
}

/** Loads the versions, and with a single database also their changes. */
function loadVersions(
  { singleDatabase, named }: Databases,
  values: HistoryValues,
): Promise<D1Result[]> {
  const name = { ...values, id: null };
  if (singleDatabase)
    return singleDatabase.batch([
      selectByKey(singleDatabase, name),
      selectFormer(singleDatabase, values),
      selectNamedChanges(singleDatabase, values),
    ]);
  const db = named(values.kind, values.key);
  return db.batch([selectByKey(db, name), selectFormer(db, values)]);
}

/** Loads the changes from every database, because audit entries stay where they were written when a collection moves. */
async function loadChanges(databases: Databases, name: string): Promise<ChangeRow[]> {
  const results = databases
    .dataDatabases()
    .map((db) => retryTransient(db, () => selectChanges(db, { name }).all<ChangeRow>()));
  return (await Promise.all(results)).flatMap((result) => result.results);
}

const loadNames = ({ home }: Databases, changes: readonly ChangeRow[]) =>
  loadActorNames(
    home,
    changes.map(({ actor }) => actor),
  );
