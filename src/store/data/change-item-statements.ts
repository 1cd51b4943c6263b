import { and, eq, sql } from "drizzle-orm";
import type { Status } from "#domain/item/item.ts";
import { lastChange, listened, type ItemAct } from "./changes.ts";
import { guardCode, guardStatement } from "#store/db/guard.ts";
import { item, searchEntry, tally, uniqueValue } from "#store/db/schema.ts";
import { parameters, statement } from "#store/db/statement.ts";

/** The statements of a change and of a deletion. */

/** What the statements of a change take. */
export interface ChangeValues extends ItemAct {
  number: number;
  itemVersion: number;
  collectionId: number;
  definitionVersion: number;
  revision: number;
  status: Status | null;
  updatedAt: number;
  data: string;
  /** 1 where the form has to be open. */
  whileOpen: number;
  /** Search entries and unique values, JSON. */
  removed: string;
  added: string;
  released: string;
  taken: string;
}

type Expecting = Pick<
  ChangeValues,
  "number" | "itemVersion" | "collectionId" | "revision" | "whileOpen" | "at"
>;
export type Removal = Pick<ChangeValues, "number" | "collectionId" | "removed" | "released">;

/** Without the rows of entries, of which each statement has its own. */
export type Changing = Omit<ChangeValues, "removed" | "added">;

const v = parameters<ChangeValues>();

export const isExpected = guardStatement<Expecting>(
  () =>
    sql`select case
      when not exists (select 1 from item where number = ${v.number} and version = ${v.itemVersion})
        then ${guardCode("item_changed")}
      when c.revision <> ${v.revision} then ${guardCode("definition_changed")}
      when not ${v.whileOpen} then null
      when c.state = 'closed' or c.closes_at <= ${v.at} then ${guardCode("closed")}
      when c.opens_at > ${v.at} then ${guardCode("not_open_yet")}
    end as code
    from collection c where c.id = ${v.collectionId}`,
);

export const removeEntries = statement<Removal>((db) =>
  db.delete(searchEntry).where(
    sql`(field, value, item) in
        (select e.value ->> 0, e.value ->> 1, ${v.number} from json_each(${v.removed}) e)`,
  ),
);

/** A value that is there already is one whose old entry a narrower definition left behind. */
export const addEntries = statement<Omit<ChangeValues, "removed">>((db) =>
  db
    .insert(searchEntry)
    .select(
      sql`select e.value ->> 0, e.value ->> 1, ${v.number}, e.value ->> 2
        from json_each(${v.added}) e where true`,
    )
    .onConflictDoNothing(),
);

export const releaseUnique = statement<Omit<Removal, "removed">>((db) =>
  db.delete(uniqueValue).where(
    sql`(field, value) in (select e.value ->> 0, e.value ->> 1 from json_each(${v.released}) e)
        and item = ${v.number}`,
  ),
);

/** What it has already stays: while a field becomes unique, nobody knows which values are there yet. */
export const takeUnique = statement<Changing>((db) =>
  db
    .insert(uniqueValue)
    .select(
      sql`select e.value ->> 0, e.value ->> 1, ${v.number}
        from json_each(${v.taken}) e where true`,
    )
    .onConflictDoNothing(),
);

export const isMine = guardStatement<Changing>(
  () =>
    sql`select ${guardCode("taken")} as code where exists (
      select 1 from json_each(${v.taken}) e
        join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1
        where u.item <> ${v.number})`,
);

export const updateItem = statement<Changing>((db) =>
  db
    .update(item)
    .set({
      version: sql`version + 1`,
      status: v.status,
      definitionVersion: v.definitionVersion,
      updatedAt: v.updatedAt,
      updatedBy: v.actor,
      data: v.data,
      lastChange: lastChange("collection_id"),
    })
    .where(eq(item.number, v.number))
    .returning({ listened: listened("collection_id") }),
);

/** What grows may be the largest now. */
export const growLargest = statement<Changing>((db) =>
  db
    .update(tally)
    .set({ largest: sql`octet_length(${v.data})` })
    .where(and(eq(tally.collectionId, v.collectionId), sql`largest < octet_length(${v.data})`)),
);

export const deleteItem = statement<Omit<Removal, "removed">>((db) =>
  db
    .delete(item)
    .where(eq(item.number, v.number))
    .returning({ listened: listened("collection_id") }),
);

export const countDown = statement<Omit<Removal, "removed">>((db) =>
  db
    .update(tally)
    .set({ live: sql`live - 1` })
    .where(and(eq(tally.collectionId, v.collectionId))),
);
