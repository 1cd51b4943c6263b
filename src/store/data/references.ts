import { isCopy } from "#store/db/moved-tables.ts";
import { sql, type SQL } from "drizzle-orm";
import { fieldsPerCollection } from "#domain/data/values.ts";
import { parseReceiptSequences, sequencesPerCollection } from "#domain/item/item.ts";
import type { Definition } from "#domain/definition/collection.ts";
import { referencePlaces } from "#domain/definition/reference-places.ts";
import type {
  CollectionDatabase,
  Database,
  DataDatabase,
  PreparedStatement,
} from "#store/db/database.ts";
import { collectionGuard, dataGuard, guardCode } from "#store/db/guard.ts";
import { retryTransient } from "#store/db/retry.ts";
import { collection } from "#store/db/schema.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import { parseFieldIds } from "./definition-head.ts";
import { preparePageStatement, type UnindexedFields } from "./search/batch.ts";
import { SearchValues } from "./search/search-values.ts";
import { recordCostSql, judgedSql } from "./search/shown.ts";
import { viewCostSql } from "./search/view-bound.ts";
import {
  collectionStatement,
  dataStatement,
  jsonChunks,
  type CollectionBind,
  type Placeholders,
} from "#store/db/statement.ts";

/**
 * The ID of a record and the key of its app. A null key stands for an app that the caller may not refer to. A caller
 * that sees only a view of the app adds the version of the record and the revision of the definition that it read.
 */
export type GuardedReference =
  | [id: string, app: string | null]
  | [id: string, app: string, version: number, revision: number];

interface ReferenceValues {
  references: string;
}

const collectionSpan = sql.raw(String(sequencesPerCollection));

/**
 * SQL for whether the record of reference `e` exists. Reads only indexes, because the number of an item contains its
 * collection. Looks up the app first, so that SQLite reads nothing in an app that the caller may not use.
 */
const hasRecord = sql`exists (select 1 from collection r cross join item target on target.id = e.value ->> 0
  and target.number > r.id * ${collectionSpan} and target.number < (r.id + 1) * ${collectionSpan}
  where r.kind = 'app' and r.key = e.value ->> 1
    and (e.value ->> 2 is null or (target.version = e.value ->> 2 and r.revision = e.value ->> 3)))`;

/** Selects the code of a guard if a reference has no record. */
export const unknownReferenceSql = ({ references }: Placeholders<ReferenceValues>) =>
  sql`select ${guardCode("unknown_reference")} as code
    where exists (select 1 from json_each(${references}) e where not ${hasRecord})`;

const referencesExist = dataGuard<ReferenceValues>(unknownReferenceSql);

/** Statements that abort their batch if a record that an item newly refers to does not exist. */
export const guardReferences = (
  references: readonly GuardedReference[],
): CollectionBind<object>[] =>
  jsonChunks(references).map((chunk) => (db) => referencesExist(db, { references: chunk }));

/** A record by its ID, its receipt number or a unique value. `instant` is the value as a date-time, if it is one. */
export type RecordName =
  | { id: string }
  | { receipt: string }
  | { key: string; value: string | number | boolean; instant: string | null };

/** The name of a record in an app. A null key stands for an app in which the caller may not use this name. */
export interface AppRecordName {
  app: string | null;
  name: RecordName;
}

const idColumns = { place: sql<number>`e.value ->> 0`.as("place"), id: sql<string>`i.id`.as("id") };
const appOf = sql`cross join collection c on c.kind = 'app' and c.key = e.value ->> 1`;

/** Rows: place, app, id. */
const selectByIds = dataStatement<{ rows: string }>((db, v) =>
  db.select(idColumns).from(
    sql`json_each(${v.rows}) e ${appOf} cross join item i on i.id = e.value ->> 2
      and i.number > c.id * ${collectionSpan} and i.number < (c.id + 1) * ${collectionSpan}`,
  ),
);

/** Rows: place, app, sequence, receipt number. */
const selectByReceipts = dataStatement<{ rows: string }>((db, v) =>
  db.select(idColumns).from(
    sql`json_each(${v.rows}) e ${appOf}
      cross join item i on i.number = c.id * ${collectionSpan} + (e.value ->> 2) and i.receipt_number = e.value ->> 3`,
  ),
);

/** Rows: place, app, key, value, value as a date-time. Reads each definition once, however many values there are. */
const selectByValues = dataStatement<{ rows: string }>((db, v) =>
  db.select(idColumns).from(
    sql`(select distinct c.id, c.key, f.value ->> 'key' as field, f.value ->> 'type' as type,
          c.id * ${sql.raw(String(fieldsPerCollection))} + (f.value ->> 'uniqueId') as number
          from (select distinct value ->> 1 as app from json_each(${v.rows})) a
          cross join collection c on c.kind = 'app' and c.key = a.app
          cross join json_each(c.fields, '$.fields') f
          where f.value ->> 'unique' and f.value ->> 'uniqueId' is not null) u
        cross join json_each(${v.rows}) e on e.value ->> 1 = u.key and e.value ->> 2 = u.field
        cross join unique_value n on n.field = u.number and n.value = case u.type
          when 'date' then substr(e.value ->> 3, 1, 10) when 'datetime' then e.value ->> 4
          else e.value ->> 3 end
        cross join item i on i.number = n.item`,
  ),
);

/**
 * Finds the IDs of the records with these names, in one round trip. Each result has the index of its name in `place`.
 */
export async function findRecordIds(
  db: CollectionDatabase,
  names: readonly AppRecordName[],
): Promise<Map<number, string>> {
  const ids: unknown[] = [];
  const receipts: unknown[] = [];
  const values: unknown[] = [];
  for (const [place, { app, name }] of names.entries()) {
    if ("id" in name) ids.push([place, app, name.id]);
    else if ("key" in name) values.push([place, app, name.key, name.value, name.instant]);
    else
      for (const sequence of parseReceiptSequences(name.receipt))
        receipts.push([place, app, sequence, name.receipt]);
  }
  const statements = [
    ...jsonChunks(ids).map((rows) => selectByIds(db, { rows })),
    ...jsonChunks(receipts).map((rows) => selectByReceipts(db, { rows })),
    ...jsonChunks(values).map((rows) => selectByValues(db, { rows })),
  ];
  if (statements.length === 0) return new Map();
  const results = await retryTransient(db, () =>
    db.batch<{ place: number; id: string }>(statements),
  );
  return new Map(results.flatMap((result) => result.results.map(({ place, id }) => [place, id])));
}

/** The cost of examining the records of a lookup, separately for those that the caller sees and all others. */
export interface RecordCosts {
  shown: number;
  hidden: number;
}

/**
 * The maximum costs of one lookup. A caller knows the records that it sees, so the lookup fails above their limit. Above
 * the other limit, the largest records count as hidden, because an error would show that hidden ones exist.
 */
export const maxRecordCosts: RecordCosts = { shown: 200_000_000, hidden: 500_000_000 };

interface VisibleVersions {
  revision: number | null;
  versions: Map<string, number>;
  costs: RecordCosts;
  unindexed: UnindexedFields;
}

/** SQL for the cost of deciding whether the caller sees an examined record. */
const examinationCostSql = (shownBy: ShownBy): string =>
  viewCostSql(shownBy, recordCostSql(shownBy, "e.bytes"), { seen: "e.seen", bytes: "e.bytes" });

/**
 * SQL for the table `examined` of the records in `items`, smallest first, with whether the caller sees each one
 * (`judgedSql`). It starts with a row without a record. The recursion examines one record after another, so that it can end at the
 * first one after a limit.
 */
function examinedTables(
  items: string,
  shownBy: ShownBy,
  limits: RecordCosts,
  values: SearchValues,
): string {
  const cost = examinationCostSql(shownBy);
  const shownSum = `(e.shown + iif(e.seen > 0, ${cost}, 0))`;
  const hiddenSum = `(e.hidden + iif(e.place = 0 or e.seen > 0, 0, ${cost}))`;
  return `placed as materialized (select *, row_number() over (order by bytes, number) as place from (${items})),
      examined(place, id, version, bytes, seen, shown, hidden) as (
        select 0, null, null, 0, 0, 0, 0
        union all select n.place, n.id, n.version, n.bytes, ${judgedSql(shownBy, values)}, ${shownSum}, ${hiddenSum}
        from examined e cross join placed n on n.place = e.place + 1 cross join item i on i.number = n.number
        where ${shownSum} <= ${limits.shown} and ${hiddenSum} <= ${limits.hidden})`;
}

/**
 * Finds the records of an app that a caller sees through a view, and the revision of the definition that was read with
 * them. Examines the smallest records first, and no more of them after a limit.
 */
export async function findVisibleVersions(
  db: CollectionDatabase,
  shownBy: ShownBy,
  ids: readonly string[],
  limits: RecordCosts,
): Promise<VisibleVersions> {
  const values = new SearchValues();
  const { collectionId } = db;
  const items = `select i.number, i.id, i.version, octet_length(i.data) as bytes
        from ${values.table([...new Set(ids)])} e cross join item i on i.id = e.value where i.collection_id = ${collectionId}`;
  const tables = examinedTables(items, shownBy, limits, values);
  const cost = examinationCostSql(shownBy);
  const statement = values.statement(`with ${tables}
    select c.revision, coalesce(x.newly_searchable, x.fields) as waiting, x.fields as outdated, r.*
    from collection c left join indexing x on x.collection_id = c.id
      cross join (select total(iif(e.seen > 0, ${cost}, 0)) as shown, total(iif(e.seen > 0, 0, ${cost})) as hidden,
        json_group_object(e.id, e.version) filter (where e.seen > 0) as versions from examined e where e.place > 0) r
    where c.id = ${collectionId}`);
  const row = await retryTransient(db, () =>
    preparePageStatement(db, statement).first<
      { revision: number; versions: string } & RecordCosts &
        Record<"waiting" | "outdated", string | null>
    >(),
  );
  const versions = JSON.parse(row?.versions ?? "{}") as Record<string, number>;
  return {
    revision: row?.revision ?? null,
    versions: new Map(Object.entries(versions)),
    costs: { shown: row?.shown ?? 0, hidden: row?.hidden ?? 0 },
    unindexed: {
      ids: parseFieldIds(row?.waiting),
      outdated: parseFieldIds(row?.outdated),
      done: 0,
      total: 0,
    },
  };
}

const selectApps = dataStatement<{ keys: string }>((db, v) =>
  db
    .select({ key: collection.key })
    .from(collection)
    .where(
      sql`${collection.kind} = 'app' and ${collection.key} in (select value from json_each(${v.keys}))`,
    ),
);

/** Returns the keys of the apps that exist. */
export async function findApps(db: DataDatabase, keys: readonly string[]): Promise<Set<string>> {
  const statement = selectApps(db, { keys: JSON.stringify([...new Set(keys)]) });
  const { results } = await retryTransient(db, () => statement.all<{ key: string }>());
  return new Set(results.map(({ key }) => key));
}

const appsExist = dataGuard<{ apps: string }>(
  (v) => sql`select ${guardCode("unknown_app")} as code from json_each(${v.apps}) e
    where not exists (select 1 from collection c where c.kind = 'app' and c.key = e.value
      and not ${sql.raw(isCopy("c.id"))})`,
);

/** Aborts the batch if the definition refers to an app that does not exist. A new app may refer to itself. */
export function guardApps(
  db: Database<"data">,
  { fields }: Definition,
): PreparedStatement<"data">[] {
  const apps = [...new Set(referencePlaces(fields.fields).map(({ app }) => app))];
  return apps.length === 0 ? [] : [appsExist(db, { apps: JSON.stringify(apps) })];
}

/** Selects a field of another collection that refers to this app: the collection as `kind:key`, and the field. */
const referringFields = (
  key: SQL,
  id: SQL,
) => sql`select c.kind || ':' || c.key as name, f.value ->> 'key' as field
  from collection c cross join json_each(c.fields, '$.fields') f
  where instr(c.fields, '"type":"reference"') > 0 and c.id > 0 and c.id <> ${id} and (f.value ->> 'app' = ${key}
    or exists (select 1 from json_each(f.value, '$.fields') r where r.value ->> 'app' = ${key}))`;

const selectReferringField = collectionStatement<{ key: string }>((db, v) =>
  db
    .select({ name: sql`name`.as("name"), field: sql`field`.as("field") })
    .from(sql`(${referringFields(sql`${v.key}`, sql`${v.collectionId}`)} limit 1)`),
);

/** Finds a field that refers to the app. */
export function findReferringField(
  db: CollectionDatabase,
  key: string,
): Promise<{ name: string; field: string } | null> {
  return retryTransient(db, () => selectReferringField(db, { key }).first());
}

/**
 * Aborts the batch if a field of another collection refers to this app, or will do so once a pending change takes
 * effect.
 */
export const guardUnreferenced = collectionGuard<{ key: string }>(
  (v) => sql`select ${guardCode("unknown_app")} as code
    where exists (${referringFields(sql`${v.key}`, sql`${v.collectionId}`)})
      or exists (select 1 from pending_change p where p.problem is null and p.collection_id <> ${v.collectionId}
        and instr(p.change, '"app":"' || ${v.key} || '"') > 0)`,
);
