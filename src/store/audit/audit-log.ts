import { sql, type SQL } from "drizzle-orm";
import type { Actor } from "../../domain/actor";
import { numbersOf, placesPerCollection } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { parameters, statement } from "../db/statement";

/** Something that was done: a change of an item, or another act. */
export interface AuditEntry {
  /** Its number among the changes, or among the other acts: no two have the same. */
  number: number;
  at: number;
  actor: Actor;
  action: string;
  collectionId: number | null;
  subject: string;
  version: number | null;
  session: string | null;
  requestId: string;
  sentRequestId: string | null;
}

export interface AuditFilter {
  /** The start of an actor: `member:ID`, `credential:ID`. */
  actor?: string | undefined;
  /** The start of an action: `member`, `submission.create`. */
  action?: string | undefined;
  /** A subject as it is written: the id of an item, `form:KEY`. */
  subject?: string | undefined;
  /** Milliseconds since 1970. */
  from?: number | undefined;
  until?: number | undefined;
}

/** An entry's time and number: the entries before it are older. */
export interface AuditPlace {
  at: number;
  number: number;
}

/**
 * What one page looks at, of all collections together: there is no index to filter by, as each would be a row more on
 * every write.
 */
const scanned = 5000;

interface AuditValues {
  at: number;
  number: number;
}

const v = parameters<AuditValues>();
const room = sql.raw(String(placesPerCollection));
const most = sql.raw(String(scanned));

/** Times grow with numbers in each source, so its place is found by halving. `row` is the table's name for a number. */
function placed(source: SQL, table: SQL, row: SQL): SQL {
  const older = (number: SQL, direction: SQL) =>
    sql`(select at < ${v.at} or (at = ${v.at} and ${row} < ${v.number}) from ${table}
      where ${row} ${direction === asc ? sql`>=` : sql`<=`} ${number} order by ${row} ${direction} limit 1)`;
  const middle = sql`(low + high + 1) / 2`;
  const olderThere = older(middle, asc);
  return sql`(with recursive half (id, low, high) as (
      select id, iif(${older(sql`high`, desc)}, high, low), high from ${source} where high is not null
      union all
      select id, iif(${olderThere}, ${middle}, low), iif(${olderThere}, high, ${middle} - 1)
        from half where low < high)
    select id, low as newest from half where low >= high)`;
}

const asc = sql`asc`;
const desc = sql`desc`;

const endOf = (direction: SQL) =>
  sql`(select number from change where number > c.id * ${room} and number < (c.id + 1) * ${room}
    order by number ${direction} limit 1)`;
const collections = sql`(select c.id, ${endOf(asc)} as low, ${endOf(desc)} as high from collection c
  order by c.id desc limit ${most})`;
const acts = sql`(select 0 as id, min(id) as low, max(id) as high from audit_entry)`;

/** Each source's share of what is looked at. */
const share = sql`(select max(1, ${most} / (1 + count(*))) from (select 1 from collection limit ${most}))`;

const selectWindow = statement<AuditValues>((db) =>
  db
    .select({
      number: sql<number>`number`,
      at: sql<number>`at`,
      actor: sql<Actor>`actor`,
      action: sql<string>`action`,
      collection_id: sql<number | null>`collection_id`,
      subject: sql<string>`subject`,
      version: sql<number | null>`version`,
      session: sql<string | null>`session`,
      request_id: sql<string>`request_id`,
      sent_request_id: sql<string | null>`sent_request_id`,
      full: sql<number>`full`,
    })
    .from(
      sql`(select x.number, x.at, x.actor, x.action, s.id as collection_id, x.item_id as subject, x.version,
          x.session, x.request_id, x.sent_request_id,
          count(*) over (partition by s.id) >= ${share} as full
        from ${placed(collections, sql`change`, sql`number`)} s
        join change x on x.number in (select number from change
          where number > s.id * ${room} and number <= s.newest order by number desc limit ${share})
        union all
        select x.id, x.at, x.actor, x.action, x.collection_id, x.subject, x.version,
          x.session, x.request_id, x.sent_request_id, count(*) over () >= ${share}
        from ${placed(acts, sql`audit_entry`, sql`id`)} s
        join audit_entry x on x.id in (select id from audit_entry
          where id <= s.newest order by id desc limit ${share}))`,
    )
    .where(sql`at < ${v.at} or (at = ${v.at} and number < ${v.number})`)
    .orderBy(sql`at desc, number desc`),
);

interface WindowRow extends AuditPlace {
  actor: Actor;
  action: string;
  collection_id: number | null;
  subject: string;
  version: number | null;
  session: string | null;
  request_id: string;
  sent_request_id: string | null;
  /** Whether its source has more than was looked at. */
  full: number;
}

/** The entries that pass, newest first, and where to go on: a page may be short, even empty, and still have a next. */
export async function readAudit(
  db: D1Database,
  filter: AuditFilter,
  before: AuditPlace | null,
  limit: number,
): Promise<{ entries: AuditEntry[]; next: AuditPlace | null }> {
  const until = filter.until === undefined ? null : { at: filter.until, number: 0 };
  const newest = { at: Number.MAX_SAFE_INTEGER, number: 0 };
  const from = [before, until].reduce((a, b) => (a && b ? earlier(a, b) : (a ?? b))) ?? newest;
  const { results } = await attempt(() => selectWindow(db, from).all<WindowRow>());
  const edge = edgeOf(results);
  const known = results.filter((row) => !edge || !isBefore(row, edge));
  const passing = known.filter((row) => passes(filter, row));
  const shown = passing.slice(0, limit);
  const last = shown.at(-1);
  const ended = edge !== undefined && filter.from !== undefined && edge.at < filter.from;
  const next = passing.length > limit && last ? placeOf(last) : edge && !ended ? edge : null;
  return { entries: shown.map(entryOf), next };
}

/** The newest of the places behind which a source has more that was not looked at: what is older is not known whole. */
function edgeOf(rows: readonly WindowRow[]): AuditPlace | undefined {
  const oldest = new Map<number, WindowRow>();
  for (const row of rows) if (row.full) oldest.set(sourceOf(row), row);
  return [...oldest.values()]
    .map(placeOf)
    .reduce<AuditPlace | undefined>(
      (newest, each) => (!newest || isBefore(newest, each) ? each : newest),
      undefined,
    );
}

/** The collection of a change; acts of others are numbered below the first of them. */
const sourceOf = ({ number }: AuditPlace) => Math.floor(number / numbersOf(1).above);

const placeOf = ({ at, number }: AuditPlace): AuditPlace => ({ at, number });

const isBefore = (a: AuditPlace, b: AuditPlace) =>
  a.at < b.at || (a.at === b.at && a.number < b.number);

const earlier = (a: AuditPlace, b: AuditPlace) => (isBefore(a, b) ? a : b);

function passes({ actor, action, subject, from }: AuditFilter, row: WindowRow): boolean {
  if (actor && !row.actor.startsWith(actor)) return false;
  if (action && !row.action.startsWith(action)) return false;
  if (subject && row.subject !== subject) return false;
  return from === undefined || row.at >= from;
}

function entryOf(row: WindowRow): AuditEntry {
  const { collection_id: collectionId, request_id: requestId, ...rest } = row;
  const { sent_request_id: sentRequestId, full: _, ...entry } = rest;
  return { ...entry, collectionId, requestId, sentRequestId };
}
