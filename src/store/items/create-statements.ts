import { and, eq, sql } from "drizzle-orm";
import { fieldsPerCollection, systemFieldIds } from "../../domain/data/field-number";
import { placesPerCollection } from "../../domain/item/item";
import { guardCode, guardStatement } from "../db/guard";
import {
  changeTime,
  joinLast,
  lastChange,
  lastJoined,
  listened,
  type ItemAct,
} from "../changes/change-statements";
import { change, item, searchEntry, tally, uniqueValue } from "../db/schema";
import { parameters, statement } from "../db/statement";
import type { ClaimValues } from "./replays";

/**
 * The statements of a create, in the order of its batch. Each does nothing unless the item is not stored yet and its
 * request owns the Idempotency-Key, so that a batch whose answer was lost can be sent again.
 */

/** What the statements of a create take. */
export interface CreateValues extends ItemAct, ClaimValues {
  version: number;
  revision: number;
  status: string | null;
  receiptPrefix: string | null;
  data: string;
  /** Search entries and unique values, JSON. */
  entries: string;
  unique: string;
  /** Ids of the fields that the item has, JSON. */
  changedFields: string;
}

const v = parameters<CreateValues>();

/** True until the item is stored, for the one request that owns the key. Point look-ups only. */
const fresh = sql`not exists (select 1 from item where id = ${v.id})
  and (${v.key} is null or exists (select 1 from replay where key = ${v.key} and item_id = ${v.id}))`;
const ownTally = sql`t.collection_id = ${v.collectionId}`;
const number = sql.raw(`t.collection_id * ${placesPerCollection} + t.last_place`);

export const mayStore = guardStatement<CreateValues>(
  () =>
    sql`select case
      when c.revision <> ${v.revision} then ${guardCode("definition_changed")}
      when c.state = 'closed' or c.closes_at <= ${v.now} then ${guardCode("closed")}
      when c.opens_at > ${v.now} then ${guardCode("not_open_yet")}
      when t.live >= c.max_submissions then ${guardCode("full")}
    end as code
    from collection c join tally t on t.collection_id = c.id
    where c.id = ${v.collectionId} and ${fresh}`,
);

/** Gives the next place. Stamps of creation strictly grow with it, whatever the clocks of the writers say. */
export const giveNumber = statement<CreateValues>((db) =>
  db
    .update(tally)
    .set({
      lastPlace: sql`last_place + 1`,
      live: sql`live + 1`,
      lastCreatedAt: sql`max(last_created_at + 1, ${v.now})`,
      largest: sql`max(largest, octet_length(${v.data}))`,
    })
    .where(and(eq(tally.collectionId, v.collectionId), fresh)),
);

export const insertUnique = statement<CreateValues>((db) =>
  db.insert(uniqueValue).select(
    sql`select e.value ->> 0, e.value ->> 1, ${number}
        from json_each(${v.unique}) e, tally t where ${ownTally} and ${fresh}`,
  ),
);

const receipt = sql`${v.receiptPrefix} || printf('%06d', t.last_place)`;
const updatedAt = sql.raw(`t.collection_id * ${fieldsPerCollection} + ${systemFieldIds.updatedAt}`);

/** What was sent, and what the database gives: the time. */
export const insertEntries = statement<CreateValues>((db) =>
  db.insert(searchEntry).select(
    sql`select e.value ->> 0, e.value ->> 1, ${number}, e.value ->> 2
        from json_each(${v.entries}) e, tally t where ${ownTally} and ${fresh}
        union all select ${updatedAt}, t.last_created_at, ${number}, null
        from tally t where ${ownTally} and ${fresh}`,
  ),
);

export const insertChange = statement<CreateValues>((db) =>
  db.insert(change).select(
    sql`select ${lastJoined("t.collection_id")} + 1, ${changeTime(sql`t.last_created_at`)}, ${v.actor}, ${v.action},
        ${number}, ${v.id}, 1, null, ${v.changedFields}, null, ${v.session}, ${v.requestId}, ${v.sentRequestId}
        from tally t ${joinLast("t.collection_id")} where ${ownTally} and ${fresh}`,
  ),
);

export const insertItem = statement<CreateValues>((db) =>
  db.insert(item).select(
    sql`select ${number}, ${v.id}, t.collection_id,
        ${receipt}, ${v.status}, 1, ${v.version},
        t.last_created_at, ${v.actor}, t.last_created_at, ${v.actor},
        ${v.data}, ${lastChange("t.collection_id")}
        from tally t where ${ownTally} and ${fresh}`,
  ),
);

export const readPlace = statement<{ id: string }>((db) =>
  db
    .select({
      number: item.number,
      created_at: item.createdAt,
      listened: listened("item.collection_id"),
    })
    .from(item)
    .where(eq(item.id, v.id)),
);
