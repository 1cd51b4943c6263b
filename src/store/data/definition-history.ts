import { sql, type SQL } from "drizzle-orm";
import type { Actor } from "#domain/audit.ts";
import type { CollectionKind, Definition } from "#domain/definition/collection.ts";
import type { DataDatabase, Databases } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import {
  dataStatement,
  jointStatement,
  type Builder,
  type Placeholders,
} from "#store/db/statement.ts";
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
  /** Null if it is too large for the list, or no longer stored. */
  definition: Definition | null;
  /** When, and by whom. Null if the audit no longer says. */
  change: { at: number; actor: Actor; actorName: string | null } | null;
}

export interface DefinitionHistory {
  current: CurrentCollection;
  /** Newest first, with the current one. */
  versions: DefinitionVersion[];
}

interface HistoryValues {
  kind: CollectionKind;
  key: string;
}

/** Larger definitions are compared one by one. */
const maxDefinitionLength = sql.raw("50000");
const maxListedVersions = sql.raw("30");
/** A page of the audit scans as many. */
const maxScannedEntries = sql.raw("5000");

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

const buildChanges = (name: SQL<string | null>) => (db: Builder, v: Placeholders<HistoryValues>) =>
  db
    .select({
      version: sql<number>`version`,
      at: sql<number>`at`,
      actor: sql<Actor>`actor`,
      actorName: name.as("actor_name"),
    })
    .from(sql`(select * from audit_entry order by id desc limit ${maxScannedEntries})`)
    .where(
      sql`collection_id = ${collectionIdSql(v)} and version is not null
          and action in ('definition.create', 'definition.change')`,
    );

const selectChanges = dataStatement<HistoryValues>(buildChanges(sql`null`));
const selectChangesWithNames = jointStatement<HistoryValues>(buildChanges(actorNameSql));

interface ChangeRow {
  version: number;
  at: number;
  actor: Actor;
  actor_name: string | null;
}

/** Loads the newest versions of a definition with their changes, in one round trip to each database. */
export async function loadDefinitionHistory(
  databases: Databases,
  kind: CollectionKind,
  key: string,
): Promise<DefinitionHistory | undefined> {
  const [currentResult, formerResult, changeResult] = await retryTransient(databases, () =>
    runBatch(databases, databases.named(kind, key), { kind, key }),
  );
  const rows = (currentResult?.results ?? []) as CurrentCollectionRow[];
  const current = currentFromRow(rows[0] ?? null, databases.timeline);
  if (!current) return undefined;
  const changes = (changeResult?.results ?? []) as ChangeRow[];
  const names = await loadNames(databases, changes);
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

function runBatch(
  { singleDatabase }: Databases,
  db: DataDatabase,
  values: HistoryValues,
): Promise<D1Result[]> {
  const name = { ...values, id: null };
  return singleDatabase
    ? singleDatabase.batch([
        selectByKey(singleDatabase, name),
        selectFormer(singleDatabase, values),
        selectChangesWithNames(singleDatabase, values),
      ])
    : db.batch([selectByKey(db, name), selectFormer(db, values), selectChanges(db, values)]);
}

const loadNames = ({ home, singleDatabase }: Databases, changes: readonly ChangeRow[]) =>
  singleDatabase
    ? new Map<string, string>()
    : loadActorNames(
        home,
        changes.map(({ actor }) => actor),
      );
