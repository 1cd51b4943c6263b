import { sql, type SQL } from "drizzle-orm";
import type { Actor } from "#domain/audit.ts";
import type { ItemAction } from "#domain/item/change.ts";
import { placesPerCollection } from "#domain/item/item.ts";
import { change, erasure } from "#store/db/schema.ts";
import { parameters, statement, type Bind, type Parameters } from "#store/db/statement.ts";
import type { Value } from "#domain/data/values.ts";
import { attempt } from "#store/db/retry.ts";

/** A change as it was written. */
export interface Change {
  /** Its collection's id and its place in the order of commit. */
  number: number;
  at: number;
  actor: Actor;
  action: ItemAction;
  /** The number of its item. */
  item: number;
  itemId: string;
  version: number;
  /** Ids of the fields. */
  fields: number[];
}

/** A change by the names of its columns, whatever it is selected from. */
export const changeColumns = {
  number: sql<number>`number`,
  at: sql<number>`at`,
  actor: sql<Actor>`actor`,
  action: sql<ItemAction>`action`,
  item: sql<number>`item`,
  item_id: sql<string>`item_id`,
  version: sql<number>`version`,
  fields: sql<string>`fields`,
};

export interface ChangeRow extends Omit<Change, "itemId" | "fields"> {
  item_id: string;
  fields: string;
}

export function changeFromRow({ item_id: itemId, fields, ...row }: ChangeRow): Change {
  return { ...row, itemId, fields: JSON.parse(fields) as number[] };
}

/** The rows that tell of changes; each is written in the batch of the change itself. */

/** Who did what, in which request. */
export interface ItemAct {
  at: number;
  actor: Actor;
  action: ItemAction;
  /** The start of the hash of a member's session. */
  session: string | null;
  requestId: string;
  sentRequestId: string | null;
}

interface Changed extends ItemAct {
  number: number;
  /** How much the version grows: 0 for a deletion, which removes the last. */
  made: number;
  /** Ids of the fields, and what they held before: JSON. */
  changedFields: string;
  former: string | null;
}

const v = parameters<Changed>();

const collectionEnd = sql.raw(String(placesPerCollection));

/** The number of a collection's last change; its own first number but one where it has none. */
export function lastChange(collectionIdColumn: string): SQL {
  const id = sql.raw(collectionIdColumn);
  return sql`coalesce((select number from change where number > ${id} * ${collectionEnd}
      and number < (${id} + 1) * ${collectionEnd} order by number desc limit 1), ${id} * ${collectionEnd})`;
}

/** Whether some webhook listens to the collection. */
export const listened = (collectionIdColumn: string) =>
  sql<number>`(select listened from collection where id = ${sql.raw(collectionIdColumn)})`.as(
    "listened",
  );

/** The collection's last change `l`, joined once: what a new one comes behind. */
export function joinLast(collectionIdColumn: string): SQL {
  return sql`left join change l on l.number = ${lastChange(collectionIdColumn)}`;
}

/** The number of the joined `l`, or the one below all where there is none. */
export function lastJoined(collectionIdColumn: string): SQL {
  return sql`coalesce(l.number, ${sql.raw(collectionIdColumn)} * ${collectionEnd})`;
}

/** Times grow with the numbers, whatever the clocks of the writers say: not earlier than the joined `l`. */
export function changeTime(at: SQL): SQL {
  return sql`max(${at}, coalesce(l.at, 0))`;
}

/** A change of an item, before the item itself is changed. */
export const insertChange = statement<Changed>((db) =>
  db.insert(change).select(
    sql`select ${lastJoined("i.collection_id")} + 1, ${changeTime(v.at)}, ${v.actor}, ${v.action}, i.number, i.id,
        i.version + ${v.made}, i.last_change, ${v.changedFields}, ${v.former},
        ${v.session}, ${v.requestId}, ${v.sentRequestId}
        from item i ${joinLast("i.collection_id")} where i.number = ${v.number}`,
  ),
);

/** Changes of one item whose former values a deletion erases at once; more are erased in steps. */
export const erasedAtOnce = 200;

interface Chain {
  number: number;
}

const chain = (start: SQL, most: number) =>
  sql`with recursive chain (number, previous, place) as (
      select number, previous, 1 from change where number = ${start}
      union all select c.number, c.previous, place + 1 from chain
        join change c on c.number = chain.previous where place < ${sql.raw(String(most))})`;

const ofItem = (number: SQL) => sql`(select last_change from item where number = ${number})`;

export const eraseFormer = statement<Chain>((db, { number }) =>
  db
    .update(change)
    .set({ former: null })
    .where(
      sql`number in (${chain(ofItem(number), erasedAtOnce)} select number from chain) and former is not null`,
    ),
);

export const eraseLater = statement<Chain>((db, { number }) =>
  db
    .insert(erasure)
    .select(
      sql`${chain(ofItem(number), erasedAtOnce)} select previous from chain
        where place = ${sql.raw(String(erasedAtOnce))} and previous is not null`,
    )
    .onConflictDoNothing(),
);

const erasedPerStep = 1000;

/** A step of what was left to erase, from this change on. */
export const eraseStep = statement<{ from: number }>((db, { from }) =>
  db
    .update(change)
    .set({ former: null })
    .where(
      sql`number in (${chain(from, erasedPerStep)} select number from chain) and former is not null`,
    ),
);

export const eraseOn = statement<{ from: number }>((db, { from }) =>
  db
    .insert(erasure)
    .select(
      sql`${chain(from, erasedPerStep)} select previous from chain
        where place = ${sql.raw(String(erasedPerStep))} and previous is not null`,
    )
    .onConflictDoNothing(),
);

/** A change of one item, with what its fields held before. */
export interface PastChange {
  number: number;
  at: number;
  actor: Actor;
  /** The e-mail of a member, the name of a credential; null where that one is gone. */
  actorName: string | null;
  action: ItemAction;
  version: number;
  previous: number | null;
  fields: number[];
  /** By id of the field, null where it was empty; null where it is not known any more. */
  former: Record<string, Value | null> | null;
}

/** At most so many changes, and about so many bytes of former values. */
export interface HistoryLimits {
  limit: number;
  bytes: number;
}

const actorName = sql<string | null>`case
  when actor like 'member:%' then (select email from member where id = substr(actor, 8))
  when actor like 'credential:%' then (select name from credential where id = substr(actor, 12)) end`;

/** Follows the pointers from a change to the ones before, newest first. */
export const historyFrom = <Values extends object>(
  newest: (values: Parameters<Values>) => SQL,
): Bind<Values & HistoryLimits> =>
  statement<Values & HistoryLimits>((db, v) =>
    db
      .select({
        number: sql<number>`number`,
        at: sql<number>`at`,
        actor: sql<Actor>`actor`,
        actorName: actorName.as("actorName"),
        action: sql<ItemAction>`action`,
        version: sql<number>`version`,
        previous: sql<number | null>`previous`,
        fields: sql<string>`fields`,
        former: sql<string | null>`former`,
      })
      .from(
        sql`(with recursive past as (
          select c.*, 1 as place, 0 as spent from change c where c.number = ${newest(v)}
          union all
          select c.*, place + 1, spent + coalesce(octet_length(past.former), 0)
            from past join change c on c.number = past.previous
            where place < ${v.limit} and spent + coalesce(octet_length(past.former), 0) < ${v.bytes})
        select * from past)`,
      ),
  );

const selectHistory = historyFrom<{ from: number }>(({ from }) => from);

/** A change as D1 gives it. */
export type PastRow = Omit<PastChange, "fields" | "former"> & {
  fields: string;
  former: string | null;
};

/** An item's changes from this one back. */
export async function readHistory(
  db: D1Database,
  values: { from: number } & HistoryLimits,
): Promise<PastChange[]> {
  const { results } = await attempt(() => selectHistory(db, values).all<PastRow>());
  return results.map(pastFromRow);
}

export function pastFromRow({ fields, former, ...row }: PastRow): PastChange {
  return {
    ...row,
    fields: JSON.parse(fields) as number[],
    former: former === null ? null : (JSON.parse(former) as PastChange["former"]),
  };
}
