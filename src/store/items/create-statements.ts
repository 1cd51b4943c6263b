import { and, eq, sql } from "drizzle-orm";
import { fieldsPerCollection, systemFieldIds } from "../../domain/data/field-number";
import { placesPerCollection } from "../../domain/item/item";
import { guardCode, guardStatement } from "../db/guard";
import { auditEntry, item, searchEntry, tally, uniqueValue } from "../db/schema";
import { statement } from "../db/statement";

/**
 * The statements of a create, in the order of its batch. Each does nothing unless the item is not stored yet and its
 * request owns the Idempotency-Key, so that a batch whose answer was lost can be sent again.
 */

const { placeholder } = sql;

/** True until the item is stored, for the one request that owns the key. Point look-ups only. */
const fresh = sql`not exists (select 1 from item where id = ${placeholder("id")})
  and (${placeholder("key")} is null or exists (select 1 from replay where key = ${placeholder("key")} and item_id = ${placeholder("id")}))`;
const ownTally = sql`t.collection_id = ${placeholder("collectionId")}`;
const number = sql.raw(`t.collection_id * ${placesPerCollection} + t.last_place`);

export const mayStore = guardStatement(
  sql`select case
      when c.revision <> ${placeholder("revision")} then ${guardCode("definition_changed")}
      when c.state = 'closed' or c.closes_at <= ${placeholder("now")} then ${guardCode("closed")}
      when c.opens_at > ${placeholder("now")} then ${guardCode("not_open_yet")}
      when t.live >= c.max_submissions then ${guardCode("full")}
    end as code
    from collection c join tally t on t.collection_id = c.id
    where c.id = ${placeholder("collectionId")} and ${fresh}`,
);

/** Gives the next place. Stamps of creation strictly grow with it, whatever the clocks of the writers say. */
export const giveNumber = statement((db) =>
  db
    .update(tally)
    .set({
      lastPlace: sql`last_place + 1`,
      live: sql`live + 1`,
      lastCreatedAt: sql`max(last_created_at + 1, ${placeholder("now")})`,
      largest: sql`max(largest, octet_length(${placeholder("data")}))`,
    })
    .where(and(eq(tally.collectionId, placeholder("collectionId")), fresh)),
);

export const insertUnique = statement((db) =>
  db.insert(uniqueValue).select(
    sql`select e.value ->> 0, e.value ->> 1, ${number}
        from json_each(${placeholder("unique")}) e, tally t where ${ownTally} and ${fresh}`,
  ),
);

const receipt = sql`${placeholder("receiptPrefix")} || printf('%06d', t.last_place)`;
const systemField = (name: keyof typeof systemFieldIds) =>
  sql.raw(`t.collection_id * ${fieldsPerCollection} + ${systemFieldIds[name]}`);

/** What was sent, and what the database gives: the times, and the receipt number of a record. */
export const insertEntries = statement((db) =>
  db.insert(searchEntry).select(
    sql`select e.value ->> 0, e.value ->> 1, ${number}, e.value ->> 2
        from json_each(${placeholder("entries")}) e, tally t where ${ownTally} and ${fresh}
        union all select ${systemField("createdAt")}, t.last_created_at, ${number}, null
        from tally t where ${ownTally} and ${fresh}
        union all select ${systemField("updatedAt")}, t.last_created_at, ${number}, null
        from tally t where ${ownTally} and ${fresh}
        union all select ${systemField("receiptNumber")}, ${receipt}, ${number},
          nullif(lower(${receipt}), ${receipt})
        from tally t where ${ownTally} and ${fresh} and ${placeholder("receiptPrefix")} is not null`,
  ),
);

export const insertAudit = statement((db) =>
  db.insert(auditEntry).select(
    sql`select null, t.last_created_at, ${placeholder("actor")}, ${placeholder("action")},
        t.collection_id, ${placeholder("id")}, 1, ${placeholder("session")},
        ${placeholder("requestId")}, ${placeholder("sentRequestId")}
        from tally t where ${ownTally} and ${fresh}`,
  ),
);

export const insertItem = statement((db) =>
  db.insert(item).select(
    sql`select ${number}, ${placeholder("id")}, t.collection_id,
        ${receipt}, ${placeholder("status")}, 1, ${placeholder("version")},
        t.last_created_at, ${placeholder("actor")}, t.last_created_at, ${placeholder("actor")},
        ${placeholder("data")}
        from tally t where ${ownTally} and ${fresh}`,
  ),
);

export const readPlace = statement((db) =>
  db
    .select({ number: item.number, created_at: item.createdAt })
    .from(item)
    .where(eq(item.id, placeholder("id"))),
);
