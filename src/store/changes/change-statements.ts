import { sql, type SQL } from "drizzle-orm";
import type { Actor } from "../../domain/actor";
import type { ItemAction } from "../../domain/item/change";
import { placesPerCollection } from "../../domain/item/item";
import { change, erasure } from "../db/schema";
import { parameters, statement } from "../db/statement";

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
