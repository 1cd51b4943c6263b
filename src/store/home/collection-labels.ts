import { sql, type SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Resources } from "#domain/credential/credential.ts";
import type { CollectionKind, View } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { findNamedOperands } from "#domain/search/named-operands.ts";
import { actorNameSql } from "#store/data/changes.ts";
import { titleSql, type RecordTitle } from "#store/data/reference-titles.ts";
import {
  batchHomeAndData,
  query,
  type Database,
  type Databases,
  type HomeDatabase,
  type Scoped,
  type SingleDatabase,
} from "#store/db/database.ts";
import { compareNames, isOwnColumn, type Lists, type PlacedRow } from "#store/db/lists.ts";
import { retryTransient } from "#store/db/retry.ts";
import { loadActorNames } from "./audit.ts";
import { labelsSql, type LabelChoice, type LabelScope } from "./label-sql.ts";

/** An app or form that a credential or webhook can select. */
export interface StoredLabel {
  id: number;
  /** The version of the definition. */
  version: number;
  kind: CollectionKind;
  key: string;
  name: string;
  /** The views through which a credential can see the collection, as far as the label contains them. */
  views: readonly View[];
  /**
   * The views of the collection that the label omits. With “others”, it contains the views that resources name. With
   * “all”, those were too large too.
   */
  omits: "nothing" | "others" | "all";
  /** The fields that the views name. Empty if there are no views, unless the query selects all fields, or if too large. */
  fields: readonly Field[];
}

type LabelRow = Omit<StoredLabel, "views" | "fields"> & { views: string; fields: string };

const labelFromRow = ({ views, fields, ...label }: LabelRow): StoredLabel => ({
  ...label,
  views: JSON.parse(views) as View[],
  fields: JSON.parse(fields) as Field[],
});

const labelColumn = <Name extends keyof LabelRow>(name: Name) =>
  sql<LabelRow[Name]>`${sql.raw(`c.${name}`)}`.as(name);

/** Selects the labels of a data database, ordered by kind and name. */
function selectCollectionLabels(db: Database<"data">, scope: LabelScope) {
  return query(db, (builder) =>
    builder
      .select({
        isOwn: isOwnColumn("c.id"),
        id: labelColumn("id"),
        version: labelColumn("version"),
        kind: labelColumn("kind"),
        key: labelColumn("key"),
        name: labelColumn("name"),
        views: labelColumn("views"),
        omits: labelColumn("omits"),
        fields: labelColumn("fields"),
      })
      .from(sql`${labelsSql(scope)} c`)
      .orderBy(sql`c.kind, c.name`),
  );
}

/** The maximum number of records and of actors whose names a page contains. All others appear with their IDs. */
const maxNames = 500;

/** Selects texts with these prefixes from the views of labels. Parses only the views that contain one. */
function textsInViews(name: string, starts: readonly string[], scope: LabelScope): SQL {
  const any = (test: (start: string) => string) => sql.raw(starts.map(test).join(" or "));
  return sql`(select distinct e.atom as ${sql.raw(name)} from ${labelsSql(scope)} c
    cross join json_tree(c.views) e
    where (${any((start) => `instr(c.views, '"${start}') > 0`)})
      and e.type = 'text' and (${any((start) => `e.atom glob '${start}*'`)}) limit ${sql.raw(String(maxNames))})`;
}

/** Selects the records that views in a data database name. */
function selectRecordsInViews(db: Database<"data">, scope: LabelScope) {
  return query(db, (builder) =>
    builder
      .select({
        isOwn: isOwnColumn("a.id"),
        id: sql<string>`i.id`.as("id"),
        app: sql<string>`a.key`.as("app"),
        receiptNumber: sql<string>`i.receipt_number`.as("receiptNumber"),
        title: titleSql.as("title"),
      })
      .from(
        sql`${textsInViews("id", ["rec_"], scope)} e cross join item i on i.id = e.id
          cross join collection a on a.id = i.collection_id and a.kind = 'app'`,
      ),
  );
}

/** Selects the names of the actors that views in the home database name. */
function selectActorsInViews(db: SingleDatabase, scope: LabelScope) {
  return query(db, (builder) =>
    builder
      .select({
        actor: sql<string>`actor`.as("actor"),
        name: sql<string | null>`${actorNameSql}`.as("name"),
      })
      .from(textsInViews("actor", ["member:", "credential:"], scope)),
  );
}

/** The apps and forms, with the records and actors that their views name. */
export interface StoredLabels {
  labels: StoredLabel[];
  records: RecordTitle[];
  actorNames: ReadonlyMap<string, string>;
}

/** The queries for `mergeLabels` in each data database. The home database needs `selectActorsInViews`. */
const labelQueries = (db: Database<"data">, scope: LabelScope) =>
  [selectCollectionLabels(db, scope), selectRecordsInViews(db, scope)] as const;

type LabelLists = readonly [Lists<LabelRow & PlacedRow>, Lists<RecordTitle & PlacedRow>];

/** Merges the rows. Takes another round trip for actors that only views in data databases name. */
async function mergeLabels(
  { singleDatabase, home }: Databases,
  [labelLists, recordLists]: LabelLists,
  actors: readonly { actor: string; name: string | null }[],
): Promise<StoredLabels> {
  const labels = labelLists
    .merge(({ kind, key }) => `${kind}:${key}`, byKindAndName)
    .map(labelFromRow);
  const names = new Map(
    actors.flatMap(({ actor, name }) => (name === null ? [] : [[actor, name] as const])),
  );
  const otherActors = singleDatabase
    ? []
    : findNamedOperands(labels.map(({ views }) => views)).actors.filter(
        (actor) => !names.has(actor),
      );
  const otherNames = await loadActorNames(home, otherActors.slice(0, maxNames));
  return {
    labels,
    records: recordLists.merge(({ id }) => id),
    actorNames: new Map([...names, ...otherNames]),
  };
}

const byKindAndName = (one: LabelRow, other: LabelRow) =>
  one.kind === other.kind ? compareNames(one, other) : one.kind < other.kind ? -1 : 1;

/**
 * Loads the labels of all apps and forms, with the views that the resources name. Takes one round trip with a single
 * database.
 */
export async function listLabels(
  databases: Databases,
  resources: Resources,
  choice: LabelChoice | null,
): Promise<StoredLabels> {
  const scope = labelScope(databases, sql`${JSON.stringify(resources)}`, choice);
  const [[actors], lists] = await retryTransient(databases, () =>
    batchHomeAndData(
      databases,
      (db) => [selectActorsInViews(db, scope)],
      (db) => labelQueries(db, scope),
    ),
  );
  return mergeLabels(databases, lists, actors);
}

const labelScope = (
  databases: Databases,
  resources: SQL,
  choice: LabelChoice | null,
): LabelScope => ({ resources, choice, databases: databases.dataDatabases().length });

/** A row of the home database that names resources, like a credential. */
interface Holder<Row, Found> {
  select: (db: HomeDatabase) => Scoped<"home", BatchItem<"sqlite"> & Promise<Row[]>>;
  fromRow: (row: Row) => Found;
  resourcesOf: (found: Found) => Resources;
  /** SQL for the same resources as JSON. */
  resourcesSql: SQL;
}

/**
 * Loads a row that names resources, and the labels of all apps and forms. They contain the views that it names, and with
 * a choice also others. Takes one round trip with a single database, otherwise two.
 */
export async function findWithLabels<Row, Found>(
  databases: Databases,
  { select, fromRow, resourcesOf, resourcesSql }: Holder<Row, Found>,
  choice: LabelChoice | null,
): Promise<{ found: Found; stored: StoredLabels } | undefined> {
  const { singleDatabase, home } = databases;
  if (!singleDatabase) {
    const [row] = await retryTransient(home, () => select(home));
    if (!row) return undefined;
    const found = fromRow(row);
    return { found, stored: await listLabels(databases, resourcesOf(found), choice) };
  }
  const scope = labelScope(databases, resourcesSql, choice);
  const [[rows, actors], lists] = await retryTransient(databases, () =>
    batchHomeAndData(
      databases,
      (db) => [select(db), selectActorsInViews(db, scope)],
      (db) => labelQueries(db, scope),
    ),
  );
  const [row] = rows as Row[];
  if (!row) return undefined;
  return { found: fromRow(row), stored: await mergeLabels(databases, lists, actors) };
}
