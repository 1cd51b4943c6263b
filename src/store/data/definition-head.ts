import { sql, type SQL } from "drizzle-orm";
import type { Collection, CollectionKind, Definition } from "#domain/definition/collection.ts";
import type { FieldSet } from "#domain/definition/field.ts";
import type { PendingChange, StoredCollection } from "./collections.ts";
import { collection } from "#store/db/schema.ts";
import { attempt } from "#store/db/retry.ts";
import { parameters, statement } from "#store/db/statement.ts";

/** How an app or form is named: its id too, where it is known. */
export interface CollectionName {
  kind: CollectionKind;
  key: string;
  id: number | null;
}

/**
 * What comes with all that is read of a collection: which definition holds. The whole of it comes along where whoever
 * asks does not have it, so that nobody has to ask once more.
 */
export interface Head {
  id: number;
  /** Null where it is the one that was said to be known. */
  fresh: StoredCollection | null;
}

export interface HeadRow {
  collection_id: number;
  /** The columns but `fields`, JSON. */
  definition: string | null;
  fields: string | null;
  /** What a pending change asks of writes, JSON. */
  pending: string | null;
}

/** Known definitions for a statement: by collections, the stamp of the one that is known. JSON. */
export function knownStamps(known: Iterable<Pick<Collection, "id" | "stamp">>): string {
  return JSON.stringify(
    Object.fromEntries(Array.from(known, ({ id, stamp }) => [`c${id}`, stamp])),
  );
}

const stamp = sql`(${collection.revision} || ' ' || ${collection.updatedAt})`;

/** A head's columns in a statement that reads `collection`; `known` is of `knownStamps`. */
export function headColumns(known: SQL) {
  const isKnown = sql`(${known} ->> ('c' || ${collection.id})) is ${stamp}`;
  const unlessKnown = <T>(value: SQL, name: string) =>
    sql<T | null>`iif(${isKnown}, null, ${value})`.as(name);
  return {
    collection_id: sql<number>`${collection.id}`.as("collection_id"),
    definition: unlessKnown<string>(definitionColumns, "definition"),
    fields: unlessKnown<string>(sql`${collection.fields}`, "fields"),
    pending: unlessKnown<string>(
      sql`(select p.change from pending_change p
        where p.collection_id = ${collection.id} and p.problem is null)`,
      "pending",
    ),
  };
}

const definitionColumns = sql`json_object('kind', ${collection.kind}, 'key', ${collection.key},
  'version', ${collection.version}, 'revision', ${collection.revision}, 'stamp', ${stamp},
  'fieldsVersion', ${collection.fieldsVersion}, 'name', ${collection.name},
  'description', ${collection.description}, 'timeZone', ${collection.timeZone},
  'receiptPrefix', ${collection.receiptPrefix}, 'state', ${collection.state},
  'opensAt', ${collection.opensAt}, 'closesAt', ${collection.closesAt},
  'maxSubmissions', ${collection.maxSubmissions}, 'historyDays', ${collection.historyDays})`;

type Row = typeof collection.$inferSelect;

/** What of a stored collection is in its definition column. */
type DefinitionRow = Omit<Row, "id" | "fields" | "createdAt" | "updatedAt" | "listened"> & {
  stamp: string;
};

export function headFromRow({ collection_id: id, definition, fields, pending }: HeadRow): Head {
  if (definition === null || fields === null) return { id, fresh: null };
  const row = JSON.parse(definition) as DefinitionRow;
  const { kind, key, version, revision, fieldsVersion, stamp: own } = row;
  const change = pending === null ? null : (JSON.parse(pending) as PendingChange);
  const obeyed = change && { emptied: change.emptied, gained: change.gained };
  const said = definitionOf(row, fields);
  const versions = { version, revision, stamp: own, fieldsVersion };
  const read = { id, kind, key, ...versions, pending: obeyed, definition: said };
  return { id, fresh: { collection: read, bytes: fields.length } };
}

function definitionOf(row: DefinitionRow, fields: string): Definition {
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
    fields: JSON.parse(fields) as FieldSet,
  };
}

interface Values {
  /** Pairs of kind and key, JSON. */
  names: string;
  mostBytes: number;
}

const named = parameters<Values>();
const total = sql`(select coalesce(sum(octet_length(c.fields)), 0) from json_each(${named.names}) n
  join collection c on c.kind = n.value ->> 0 and c.key = n.value ->> 1)`;

const measure = statement<Values>((db) =>
  db
    .select({ count: sql<number>`count(*)`.as("count"), bytes: total.as("bytes") })
    .from(sql`json_each(${named.names}) n`)
    .innerJoin(
      collection,
      sql`${collection.kind} = n.value ->> 0 and ${collection.key} = n.value ->> 1`,
    ),
);

/** What is pending is not read: it may be as large as what holds. */
const select = statement<Values>((db) =>
  db
    .select({ ...headColumns(sql`'{}'`), pending: sql<null>`null`.as("pending") })
    .from(sql`json_each(${named.names}) n`)
    .innerJoin(
      collection,
      sql`${collection.kind} = n.value ->> 0 and ${collection.key} = n.value ->> 1`,
    )
    .where(sql`${total} <= ${named.mostBytes}`)
    .orderBy(sql`n.key`),
);

export interface Several {
  /** How many of them there are. */
  count: number;
  /** Of their fields, as they are stored. */
  bytes: number;
  /** In the order in which they were named; none where they have more bytes together than they may. */
  collections: Collection[];
}

/** Several definitions, in one round trip. What is too much together is not read. */
export async function findSeveral(
  db: D1Database,
  names: readonly { kind: CollectionKind; key: string }[],
  mostBytes: number,
): Promise<Several> {
  const pairs = JSON.stringify(names.map(({ kind, key }) => [kind, key]));
  const values = { names: pairs, mostBytes };
  const [sizes, found] = await attempt(() =>
    db.batch<HeadRow | Several>([measure(db, values), select(db, values)]),
  );
  const [size] = (sizes?.results ?? []) as Several[];
  const rows = (found?.results ?? []) as HeadRow[];
  return {
    count: size?.count ?? 0,
    bytes: size?.bytes ?? 0,
    collections: rows.flatMap((row) => headFromRow(row).fresh?.collection ?? []),
  };
}
