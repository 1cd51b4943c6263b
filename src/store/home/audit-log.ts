import { sql, type SQL } from "drizzle-orm";
import type { Actor, AuditAction } from "#domain/audit.ts";
import { placesPerCollection, numbersOf } from "#domain/item/item.ts";
import { parameters, statement } from "#store/db/statement.ts";
import { attempt } from "#store/db/retry.ts";
import { Names, selectNames, type NameRow } from "./audit.ts";

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

export const selectWindow = statement<AuditValues>((db) =>
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
      receipt: sql<
        string | null
      >`iif(substr(subject, 1, 4) = 'rec_', (select receipt_number from item where id = subject), null)`.as(
        "receipt",
      ),
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

export interface WindowRow extends AuditPlace {
  actor: Actor;
  action: AuditAction;
  collection_id: number | null;
  subject: string;
  version: number | null;
  session: string | null;
  request_id: string;
  sent_request_id: string | null;
  /** Whether its source has more than was looked at. */
  full: number;
  receipt: string | null;
}

/** Something that was done: a change of an item, or another act. */
export interface AuditEntry {
  /** Its number among the changes, or among the other acts: no two have the same. */
  number: number;
  at: number;
  actor: Actor;
  action: AuditAction;
  collectionId: number | null;
  subject: string;
  version: number | null;
  session: string | null;
  requestId: string;
  sentRequestId: string | null;
  /** The e-mail of a member, the name of a credential; null where they have none. */
  actorName: string | null;
  /** The same of a subject; the receipt number of a record, the name of an app or form. */
  subjectName: string | null;
  /** Where an item is, or was: `form:KEY`, and its name. */
  collection: string | null;
  collectionName: string | null;
}

export interface AuditFilter {
  /** The start of an actor (`member:ID`, `credential:ID`), or a part of an e-mail or of a credential's name. */
  actor?: string | undefined;
  /** The start of an action: `member`, `submission.create`. */
  action?: string | undefined;
  /** A subject as it is written (the id of an item, `form:KEY`), a receipt number, or an e-mail. */
  subject?: string | undefined;
  /** `form:KEY`, `app:KEY`: what was done to it, and in it. */
  collection?: string | undefined;
  /** Milliseconds since 1970. */
  from?: number | undefined;
  until?: number | undefined;
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
  const [window, named] = await attempt(() =>
    db.batch([selectWindow(db, from), selectNames(db, {})]),
  );
  const results = (window?.results ?? []) as WindowRow[];
  const names = new Names((named?.results ?? []) as NameRow[]);
  const edge = edgeOf(results);
  const known = results.filter((row) => !edge || !isBefore(row, edge));
  const passing = known.map((row) => entryOf(row, names)).filter((entry) => passes(filter, entry));
  const shown = passing.slice(0, limit);
  const last = shown.at(-1);
  const ended = edge !== undefined && filter.from !== undefined && edge.at < filter.from;
  const next = passing.length > limit && last ? placeOf(last) : edge && !ended ? edge : null;
  return { entries: shown, next };
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

function passes(filter: AuditFilter, entry: AuditEntry): boolean {
  const { actor, action, subject, collection, from } = filter;
  if (actor && !entry.actor.startsWith(actor) && !has(entry.actorName, actor)) return false;
  if (action && !entry.action.startsWith(action)) return false;
  if (subject && entry.subject !== subject && !isNamed(entry.subjectName, subject)) return false;
  if (collection && entry.subject !== collection && entry.collection !== collection) return false;
  return from === undefined || entry.at >= from;
}

const has = (name: string | null, part: string) =>
  name?.toLowerCase().includes(part.toLowerCase()) ?? false;
const isNamed = (name: string | null, text: string) => name?.toLowerCase() === text.toLowerCase();

function entryOf(row: WindowRow, names: Names): AuditEntry {
  const { collection_id: collectionId, request_id: requestId, receipt, ...rest } = row;
  const { sent_request_id: sentRequestId, full: _, ...entry } = rest;
  const place = names.collection(collectionId);
  return {
    ...entry,
    collectionId,
    requestId,
    sentRequestId,
    actorName: names.of(row.actor),
    subjectName: receipt ?? names.of(row.subject),
    collection: place?.subject ?? null,
    collectionName: place?.name ?? null,
  };
}
