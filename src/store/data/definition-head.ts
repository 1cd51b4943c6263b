import { lazySql } from "#store/db/lazy.ts";
import type { Databases } from "#store/db/database.ts";
import { sql, type SQL, type SQLWrapper } from "drizzle-orm";
import type {
  Collection,
  CollectionKind,
  Definition,
  Retention,
  View,
} from "#domain/definition/collection.ts";
import type { FieldSet } from "#domain/definition/field.ts";
import type { PendingChange, StoredCollection } from "./collections.ts";
import { collection } from "#store/db/schema.ts";
import { isOwnColumn, Lists, type PlacedRow } from "#store/db/lists.ts";
import { retryTransient } from "#store/db/retry.ts";
import { placeholders, dataStatement } from "#store/db/statement.ts";

/** The kind and key of an app or form, with its id if the caller knows it. */
export interface CollectionName {
  kind: CollectionKind;
  key: string;
  id: number | null;
}

/**
 * Each read of a collection returns its id and its current definition in the same query. The read omits the definition
 * if the caller has it cached.
 */
export interface DefinitionHead {
  id: number;
  /** Null when the definition that the caller has cached is current. */
  freshCollection: StoredCollection | null;
}

export interface DefinitionHeadRow {
  collection_id: number;
  /** All columns except `fields`, JSON. */
  definition: string | null;
  fields: string | null;
  /** The rules of a pending change that writes must follow, JSON. */
  pending: string | null;
}

/** Builds a JSON object for a statement: the stamp of each cached definition, by collection. */
export function cachedStampsJson(collections: Iterable<Pick<Collection, "id" | "stamp">>): string {
  return JSON.stringify(
    Object.fromEntries(Array.from(collections, ({ id, stamp }) => [`c${id}`, stamp])),
  );
}

const stamp = lazySql(() => sql`(${collection.revision} || ' ' || ${collection.updatedAt})`);

/** The columns of a head, for a statement that reads `collection`. `stamps` is the result of `cachedStampsJson`. */
export function definitionHeadColumns(stamps: SQL) {
  const isCached = sql`(${stamps} ->> ('c' || ${collection.id})) is ${stamp}`;
  const unlessCached = <T>(value: SQLWrapper, name: string) =>
    sql<T | null>`iif(${isCached}, null, ${value})`.as(name);
  return {
    collection_id: sql<number>`${collection.id}`.as("collection_id"),
    definition: unlessCached<string>(definitionColumns, "definition"),
    fields: unlessCached<string>(sql`${collection.fields}`, "fields"),
    pending: unlessCached<string>(
      sql`(select p.change from pending_change p
        where p.collection_id = ${collection.id} and p.problem is null)`,
      "pending",
    ),
  };
}

/**
 * The fields of a collection whose entries are being rebuilt or whose results are being recalculated. `parseFieldIds`
 * parses them. Null if `isNarrow` is 0: only callers that see a view need them, and reading them costs a row.
 */
export const outdatedColumn = (isNarrow: SQL) => ({
  outdated: sql<
    string | null
  >`iif(${isNarrow}, (select fields from indexing where collection_id = ${collection.id}), null)`.as(
    "outdated",
  ),
});

export type OutdatedRow = Record<"outdated", string | null>;

/** Parses a list of field ids from JSON. Null stands for an empty list. */
export const parseFieldIds = (ids: string | null | undefined): number[] =>
  JSON.parse(ids ?? "[]") as number[];

const definitionColumns = lazySql(
  () => sql`json_object('kind', ${collection.kind}, 'key', ${collection.key},
  'version', ${collection.version}, 'revision', ${collection.revision}, 'stamp', ${stamp},
  'fieldsVersion', ${collection.fieldsVersion}, 'name', ${collection.name},
  'description', ${collection.description}, 'timeZone', ${collection.timeZone},
  'receiptPrefix', ${collection.receiptPrefix}, 'state', ${collection.state},
  'opensAt', ${collection.opensAt}, 'closesAt', ${collection.closesAt},
  'maxSubmissions', ${collection.maxSubmissions}, 'historyDays', ${collection.historyDays},
  'retain', ${collection.retain}, 'location', ${collection.location}, 'views', json(${collection.views}),
  'viewVersions', json(${collection.viewVersions}))`,
);

type Row = typeof collection.$inferSelect;

/** The columns that are in the `definition` JSON. */
type DefinitionRow = Omit<
  Row,
  "id" | "fields" | "views" | "viewVersions" | "createdAt" | "updatedAt" | "listened"
> & {
  stamp: string;
  views: View[];
  viewVersions: Collection["viewVersions"] | null;
};

export function definitionHeadFromRow({
  collection_id: id,
  definition,
  fields,
  pending,
}: DefinitionHeadRow): DefinitionHead {
  if (definition === null || fields === null) return { id, freshCollection: null };
  const row = JSON.parse(definition) as DefinitionRow;
  const { kind, key, version, revision, fieldsVersion, stamp: rowStamp } = row;
  const change = pending === null ? null : (JSON.parse(pending) as PendingChange);
  const pendingRules = change && { emptied: change.emptied, gained: change.gained };
  const currentDefinition = definitionFromRow(row, fields);
  const viewVersions = row.viewVersions ?? assumeChanged(row);
  const versions = { version, revision, stamp: rowStamp, fieldsVersion, viewVersions };
  const currentCollection = {
    id,
    kind,
    key,
    ...versions,
    pending: pendingRules,
    definition: currentDefinition,
  };
  return {
    id,
    freshCollection: { collection: currentCollection, bytes: storedBytes(fields, row.views) },
  };
}

/**
 * Handles a row of a version of the service that does not record changes of views. Assumes that every view has changed.
 */
const assumeChanged = ({ views, version }: DefinitionRow) =>
  Object.fromEntries(views.map(({ key }) => [key, { conditions: version, meaning: version }]));

function definitionFromRow(row: DefinitionRow, fields: string): Definition {
  return {
    name: row.name,
    description: row.description,
    time_zone: row.timeZone,
    receipt_prefix: row.receiptPrefix,
    acceptance: {
      state: row.state,
      opens_at: row.opensAt,
      closes_at: row.closesAt,
      max_submissions: row.maxSubmissions,
    },
    history_days: row.historyDays,
    views: row.views,
    retain: row.retain === null ? null : (JSON.parse(row.retain) as Retention),
    ...(row.location === null ? {} : { location: row.location }),
    fields: JSON.parse(fields) as FieldSet,
  };
}

const storedBytes = (fields: string, views: readonly View[]) =>
  fields.length + (views.length > 0 ? JSON.stringify(views).length : 0);

interface DefinitionsValues {
  /** Pairs of kind and key, JSON. */
  names: string;
  maxBytes: number;
}

const v = placeholders<DefinitionsValues>();
const totalBytes = lazySql(
  () => sql`(select coalesce(sum(octet_length(c.fields)), 0) from json_each(${v.names}) n
  join collection c on c.kind = n.value ->> 0 and c.key = n.value ->> 1)`,
);

interface DefinitionSize extends PlacedRow {
  id: number;
  bytes: number;
}

const selectSizes = dataStatement<DefinitionsValues>((db) =>
  db
    .select({
      isOwn: isOwnColumn("collection.id"),
      id: collection.id,
      bytes: sql<number>`octet_length(${collection.fields})`.as("bytes"),
    })
    .from(sql`json_each(${v.names}) n`)
    .innerJoin(
      collection,
      sql`${collection.kind} = n.value ->> 0 and ${collection.key} = n.value ->> 1`,
    ),
);

/** Skips pending changes, which may be as large as the definition itself. */
const selectDefinitions = dataStatement<DefinitionsValues>((db) =>
  db
    .select({
      ...definitionHeadColumns(sql`'{}'`),
      isOwn: isOwnColumn("collection.id"),
      pending: sql<null>`null`.as("pending"),
    })
    .from(sql`json_each(${v.names}) n`)
    .innerJoin(
      collection,
      sql`${collection.kind} = n.value ->> 0 and ${collection.key} = n.value ->> 1`,
    )
    .where(sql`${totalBytes} <= ${v.maxBytes}`)
    .orderBy(sql`n.key`),
);

export interface LoadedDefinitions {
  /** How many of the named collections exist. */
  count: number;
  /** The total stored size of their fields. */
  bytes: number;
  /** In the order of the names. Empty when their total size exceeds the limit. */
  collections: Collection[];
}

/** Loads several definitions in one round trip, or none if they are too large together. */
export async function loadDefinitions(
  databases: Databases,
  names: readonly { kind: CollectionKind; key: string }[],
  maxBytes: number,
): Promise<LoadedDefinitions> {
  const pairs = JSON.stringify(names.map(({ kind, key }) => [kind, key]));
  const values = { names: pairs, maxBytes };
  const results = await Promise.all(
    databases.dataDatabases().map(async (db) => {
      const [sizes, rows] = await retryTransient(db, () =>
        db.batch([selectSizes(db, values), selectDefinitions(db, values)]),
      );
      return {
        sizes: (sizes?.results ?? []) as DefinitionSize[],
        heads: (rows?.results ?? []) as (DefinitionHeadRow & PlacedRow)[],
      };
    }),
  );
  const sizes = new Lists(results.map((result) => result.sizes)).merge(({ id }) => id);
  const heads = new Lists(results.map((result) => result.heads)).merge((row) => row.collection_id);
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  const indexOf = ({ kind, key }: Collection) =>
    names.findIndex((name) => name.kind === kind && name.key === key);
  const collections = heads.flatMap(
    (row) => definitionHeadFromRow(row).freshCollection?.collection ?? [],
  );
  return {
    count: sizes.length,
    bytes,
    collections: bytes > maxBytes ? [] : collections.toSorted((a, b) => indexOf(a) - indexOf(b)),
  };
}

/** The maximum number of definitions in memory at the same time. */
const definitionsPerRead = 10;

/** Loads definitions of any number and size, a few at a time. */
export async function* readDefinitions(
  databases: Databases,
  names: readonly { kind: CollectionKind; key: string }[],
): AsyncGenerator<Collection> {
  for (let start = 0; start < names.length; start += definitionsPerRead) {
    const part = names.slice(start, start + definitionsPerRead);
    yield* (await loadDefinitions(databases, part, Number.MAX_SAFE_INTEGER)).collections;
  }
}
