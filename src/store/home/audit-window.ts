import { sql, type SQL } from "drizzle-orm";
import type { Actor, AuditAction } from "#domain/audit.ts";
import { sequencesPerCollection, itemNumberRange } from "#domain/item/item.ts";
import type { Database, Databases, PreparedStatement, Scope } from "#store/db/database.ts";
import { Lists, type PlacedRow } from "#store/db/lists.ts";
import { isCopy } from "#store/db/moved-tables.ts";
import { retryTransient } from "#store/db/retry.ts";
import { dataStatement, placeholders } from "#store/db/statement.ts";
import { SubjectNames, selectCollectionNames, selectNames, type NameRow } from "./audit.ts";
import { lazy } from "#domain/lazy.ts";

/** The time and number of an entry. Together they order the log. */
export interface AuditPosition {
  at: number;
  number: number;
}

/** The number of entries that one page scans over all sources. An index for filters would add a row to every write. */
const maxScannedEntries = 5000;

interface AuditValues {
  at: number;
  number: number;
}

const v = placeholders<AuditValues>();
const sequencesPerCollectionSql = sql.raw(String(sequencesPerCollection));
const maxScannedSql = sql.raw(String(maxScannedEntries));

/**
 * A source is the changes of one collection, or the audit entries of a database, which have the collection id 0. Finds
 * the newest row of each source below the position. In each source, times grow with numbers, so a binary search finds
 * it. `row` is the column of the number.
 */
function newestRowsSql(source: SQL, table: SQL, row: SQL): SQL {
  const isBeforeSql = (number: SQL, direction: SQL) =>
    sql`(select at < ${v.at} or (at = ${v.at} and ${row} < ${v.number}) from ${table}
      where ${row} ${direction === asc ? sql`>=` : sql`<=`} ${number} order by ${row} ${direction} limit 1)`;
  const middle = sql`(low + high + 1) / 2`;
  const isMiddleBefore = isBeforeSql(middle, asc);
  return sql`(with recursive half (id, low, high) as (
      select id, iif(${isBeforeSql(sql`high`, desc)}, high, low), high from ${source} where high is not null
      union all
      select id, iif(${isMiddleBefore}, ${middle}, low), iif(${isMiddleBefore}, high, ${middle} - 1)
        from half where low < high)
    select id, low as newest from half where low >= high)`;
}

const isOwn = sql.raw(`not ${isCopy("s.id")}`);
const asc = sql`asc`;
const desc = sql`desc`;

/** The first change of collection `c` in ascending order, its last one in descending order. */
const boundaryChangeSql = (direction: SQL) =>
  sql`(select number from change where number > c.id * ${sequencesPerCollectionSql} and number < (c.id + 1) * ${sequencesPerCollectionSql}
    order by number ${direction} limit 1)`;
const changeSourcesSql = lazy(
  () => sql`(select c.id, ${boundaryChangeSql(asc)} as low, ${boundaryChangeSql(desc)} as high
  from (select abs(id) as id from collection) c
  order by c.id desc limit ${maxScannedSql})`,
);
const auditSourceSql = lazy(
  () => sql`(select 0 as id, min(id) as low, max(id) as high from audit_entry)`,
);

/** A page scans this many entries in each source. */
const maxRowsPerSourceSql = lazy(
  () =>
    sql`(select max(1, ${maxScannedSql} / (1 + count(*))) from (select 1 from collection limit ${maxScannedSql}))`,
);

/** The columns that changes and audit entries share. */
const sharedColumns = lazy(() => ({
  at: sql<number>`at`,
  actor: sql<Actor>`actor`,
  action: sql<string>`action`,
  collection_id: sql<number | null>`collection_id`,
  subject: sql<string>`subject`,
  version: sql<number | null>`version`,
  session: sql<string | null>`session`,
  request_id: sql<string>`request_id`,
  sent_request_id: sql<string | null>`sent_request_id`,
  detail: sql<string | null>`detail`,
}));

/** Selects changes of items and audit entries. */
const selectWindow = dataStatement<AuditValues>((db) =>
  db
    .select({
      isOwn: sql<number>`is_own`.as("isOwn"),
      number: sql<number>`number`,
      ...sharedColumns(),
      may_have_older: sql<number>`may_have_older`,
      receipt: sql<
        string | null
      >`iif(substr(subject, 1, 4) = 'rec_', (select receipt_number from item where id = subject), null)`.as(
        "receipt",
      ),
    })
    .from(
      sql`(select ${isOwn} as is_own, x.number, x.at, x.actor, coalesce(x.audit_action, x.action) as action, s.id as collection_id, x.item_id as subject, x.version,
          x.session, x.request_id, x.sent_request_id, null as detail,
          count(*) over (partition by s.id) >= ${maxRowsPerSourceSql()} as may_have_older
        from ${newestRowsSql(changeSourcesSql(), sql`change`, sql`number`)} s
        join change x on x.number in (select number from change
          where number > s.id * ${sequencesPerCollectionSql} and number <= s.newest order by number desc limit ${maxRowsPerSourceSql()})
        union all
        select 1, x.id, x.at, x.actor, x.action, x.collection_id, x.subject, x.version,
          x.session, x.request_id, x.sent_request_id, x.detail, count(*) over () >= ${maxRowsPerSourceSql()}
        from ${newestRowsSql(auditSourceSql(), sql`audit_entry`, sql`id`)} s
        join audit_entry x on x.id in (select id from audit_entry
          where id <= s.newest order by id desc limit ${maxRowsPerSourceSql()}))`,
    )
    .where(sql`at < ${v.at} or (at = ${v.at} and number < ${v.number})`)
    .orderBy(sql`at desc, number desc`),
);

export interface WindowRow extends AuditPosition, PlacedRow {
  actor: Actor;
  action: AuditAction;
  collection_id: number | null;
  subject: string;
  version: number | null;
  session: string | null;
  request_id: string;
  sent_request_id: string | null;
  detail: string | null;
  /** 1 if the scan read the maximum number of rows of this source, so that older entries may exist. */
  may_have_older: number;
  receipt: string | null;
}

/**
 * Each database numbers its own audit entries. The entries of data databases get an offset. The results stay below all
 * numbers of changes, so no two entries share a number.
 */
const entriesPerDatabase = itemNumberRange(1).above / 128;

/** Data databases are bound as DATA_01 to DATA_99. The home database has the lowest numbers. */
const entryOffset = (name: string) => (28 + Number(name.slice(-2))) * entriesPerDatabase;

/**
 * Loads the newest entries of each database that are older than a position. Two databases may contain the changes of a
 * collection.
 */
export async function loadWindows(
  { homeWithData, dataDatabases }: Databases,
  before: AuditPosition,
): Promise<{ windows: WindowRow[][]; names: SubjectNames }> {
  const loadRows = async <S extends Scope>(
    db: Database<S>,
    windowQuery: PreparedStatement<S>,
    nameQuery: PreparedStatement<S>,
  ): Promise<{ rows: WindowRow[]; names: NameRow[] }> => {
    const [entryResult, nameResult] = await retryTransient(db, () =>
      db.batch([windowQuery, nameQuery]),
    );
    return {
      rows: (entryResult?.results ?? []) as WindowRow[],
      names: (nameResult?.results ?? []) as NameRow[],
    };
  };
  const others = dataDatabases().filter(({ name }) => name !== homeWithData.name);
  const windows = await Promise.all([
    loadRows(homeWithData, selectWindow(homeWithData, before), selectNames(homeWithData, {})),
    ...others.map(async (db) => {
      const offset = entryOffset(db.name);
      const { at, number } = before;
      const isChange = number >= itemNumberRange(1).above;
      const position = { at, number: isChange ? number : Math.max(0, number - offset) };
      const { rows, names } = await loadRows(
        db,
        selectWindow(db, position),
        selectCollectionNames(db, {}),
      );
      return { rows: rows.map((row) => shiftEntry(row, offset)), names };
    }),
  ]);
  const names = new Lists(windows.map((window) => window.names)).merge(
    ({ subject, collection_id: id }) => `${subject} ${id}`,
  );
  return { windows: windows.map(({ rows }) => rows), names: new SubjectNames(names) };
}

function shiftEntry(row: WindowRow, offset: number): WindowRow {
  const isAuditEntry = sourceOf(row) === 0;
  return isAuditEntry ? { ...row, number: row.number + offset } : row;
}

/** Returns the collection id of a change. Audit entries have lower numbers, for which it returns 0. */
export const sourceOf = ({ number }: AuditPosition) =>
  Math.floor(number / itemNumberRange(1).above);

export const positionOf = ({ at, number }: AuditPosition): AuditPosition => ({ at, number });

export const isBefore = (a: AuditPosition, b: AuditPosition) =>
  a.at < b.at || (a.at === b.at && a.number < b.number);
