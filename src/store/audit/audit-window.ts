import { sql, type SQL } from "drizzle-orm";
import type { Actor } from "../../domain/actor";
import type { AuditAction } from "../../domain/audit-action";
import { placesPerCollection } from "../../domain/item/item";
import { parameters, statement } from "../db/statement";

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
