import { eq, sql } from "drizzle-orm";
import { fieldNumber } from "../../domain/data/field-number";
import {
  defaultHistoryDays,
  type Collection,
  type Definition,
} from "../../domain/definition/collection";
import { numbersOf } from "../../domain/item/item";
import { once } from "../db/attempt";
import { actTime, insertAct, type Act } from "../audit/audit";
import type { Pending, PendingChange } from "./collection-now";
import { failureOf } from "../db/failure";
import { guardCode, guardStatement } from "../db/guard";
import {
  auditEntry,
  collection,
  formerUnique,
  indexing,
  pendingChange,
  tally,
  uniqueValue,
} from "../db/schema";
import { parameters, pick, statement } from "../db/statement";

/** The statements that changes of definitions are made of. */

export type Saved =
  | { outcome: "saved" }
  /** Somebody else made or changed it in between: read again. */
  | { outcome: "stale" }
  | { outcome: "values_exist" }
  | { outcome: "duplicates_exist" };

/** What a change sets. */
const changedColumns = [
  "version",
  "revision",
  "name",
  "description",
  "timeZone",
  "receiptPrefix",
  "state",
  "opensAt",
  "closesAt",
  "maxSubmissions",
  "fields",
  "fieldsVersion",
  "updatedAt",
  "historyDays",
] as const;
const columns = ["kind", "key", "createdAt", ...changedColumns] as const;

type Changed = (typeof changedColumns)[number];
type Columns = Pick<typeof collection.$inferSelect, (typeof columns)[number]>;

/** Whether a webhook listens to all collections, those that are made later included. */
const toAll = sql`exists (select 1 from webhook where state = 'active' and collections = '"all"')`;

export const insertCollection = statement<Columns>((db, v) =>
  db.insert(collection).values({ ...pick(v, columns), listened: toAll }),
);

type Own = Pick<Columns, "kind" | "key">;

const own = parameters<Own>();
const ownCollection = sql`kind = ${own.kind} and key = ${own.key}`;

export const insertTally = statement<Own>((db) =>
  db.insert(tally).select(sql`select id, 0, 0, 0, 0 from collection where ${ownCollection}`),
);

export const auditCreation = statement<Own & Act>((db, v) =>
  db.insert(auditEntry).select(
    sql`select null, ${actTime(v.at)}, ${v.actor}, ${v.action}, id,
        ${v.subject}, 1, ${v.session}, ${v.requestId},
        ${v.sentRequestId} from collection where ${ownCollection}`,
  ),
);

export const isExpected = guardStatement<{ id: number; revision: number }>(
  (v) => sql`select ${guardCode("definition_changed")} as code
    from collection where id = ${v.id} and revision <> ${v.revision}`,
);

/** Values are sought in the items themselves; those of rows one level down. */
export const isEmpty = guardStatement<{
  above: number;
  below: number;
  slot: string;
  within: string | null;
}>(
  (v) => sql`select ${guardCode("values_exist")} as code where exists (
      select 1 from item
      where number > ${v.above} and number < ${v.below}
        and case when ${v.within} is null
          then data ->> ${v.slot} is not null
          else exists (select 1 from json_each(item.data, '$."' || ${v.within} || '"') row
            where row.value ->> ${v.slot} is not null) end)`,
);

/** Its values are none any more; they are swept in steps. */
export const endUnique = statement<{ field: number }>((db, { field }) =>
  db.insert(formerUnique).values({ field }).onConflictDoNothing(),
);

/** Dates are the same on the same calendar day; drafts hold no unique values. */
export const fillUnique = statement<{
  above: number;
  below: number;
  field: number;
  isDate: number;
  slot: string;
}>((db, v) =>
  db.insert(uniqueValue).select(
    sql`select ${v.field},
          case when ${v.isDate} then substr(data ->> ${v.slot}, 1, 10)
            else data ->> ${v.slot} end, number
        from item
        where number > ${v.above} and number < ${v.below}
          and data ->> ${v.slot} is not null and status is not 'draft'`,
  ),
);

const updateCollection = statement<Pick<Columns, Changed> & { id: number }>((db, v) =>
  db.update(collection).set(pick(v, changedColumns)).where(eq(collection.id, v.id)),
);

export function definitionRow(definition: Definition, fieldsVersion: number, now: number) {
  const { acceptance, fields } = definition;
  return {
    name: definition.name,
    description: definition.description,
    timeZone: definition.time_zone,
    receiptPrefix: definition.receipt_prefix,
    state: acceptance.state,
    opensAt: acceptance.opens_at,
    closesAt: acceptance.closes_at,
    maxSubmissions: acceptance.max_submissions,
    fields: JSON.stringify(fields),
    fieldsVersion,
    updatedAt: now,
    // What was stored as pending before histories were kept has none.
    historyDays: definition.history_days ?? defaultHistoryDays,
  };
}

/**
 * What is to be indexed, from the start: items that are there now, for the fields that lack entries. What others wait for
 * already stays in the list.
 */
export const startIndexing = statement<{ above: number; id: number; unindexed: string }>((db, v) =>
  db
    .insert(indexing)
    .select(
      sql`select t.collection_id, ${v.unindexed}, ${v.above} + 1,
        ${v.above} + t.last_place, 0, t.live
        from tally t where t.collection_id = ${v.id} and t.live > 0`,
    )
    .onConflictDoUpdate({
      target: indexing.collectionId,
      set: {
        fields: sql`(select json_group_array(value) from (
          select value from json_each(indexing.fields) union select value from json_each(excluded.fields)))`,
        next: sql`excluded.next`,
        last: sql`excluded.last`,
        done: sql`excluded.done`,
        total: sql`excluded.total`,
      },
    }),
);

/** What a change that takes effect writes, whoever has looked at the items. */
export function takeEffect(
  db: D1Database,
  current: Collection,
  { definition, lost, unindexed }: Pick<PendingChange, "definition" | "lost" | "unindexed">,
  act: Act,
): D1PreparedStatement[] {
  const { id, version, revision } = current;
  const fields = [current.definition, definition].map((each) => JSON.stringify(each.fields));
  const fieldsVersion = fields[0] === fields[1] ? current.fieldsVersion : version + 1;
  const values = { id, ...numbersOf(id), unindexed: JSON.stringify(unindexed) };
  return [
    ...lost.map((each) => endUnique(db, { field: fieldNumber(id, each) })),
    ...(unindexed.length > 0 ? [startIndexing(db, values)] : []),
    updateCollection(db, {
      ...values,
      ...definitionRow(definition, fieldsVersion, act.at),
      version: version + 1,
      revision: revision + 1,
    }),
    insertAct(db, { ...act, collectionId: id, version: version + 1 }),
  ];
}

/** Drops a change that is pending: what it made unique is none. */
export function dropPending(
  db: D1Database,
  { id }: Collection,
  pending: Pending | null,
): D1PreparedStatement[] {
  if (!pending) return [];
  const gained = pending.problem === null ? pending.change.gained : [];
  return [
    deletePending(db, { id }),
    ...gained.map(({ uniqueId }) => endUnique(db, { field: fieldNumber(id, uniqueId) })),
  ];
}

export const deletePending = statement<{ id: number }>((db, v) =>
  db.delete(pendingChange).where(eq(pendingChange.collectionId, v.id)),
);

export async function savedBy(db: D1Database, statements: D1PreparedStatement[]): Promise<Saved> {
  try {
    await once(() => db.batch(statements));
    return { outcome: "saved" };
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind === "unique" && failure.table === "collection") return { outcome: "stale" };
    if (failure.kind === "unique") return { outcome: "duplicates_exist" };
    if (failure.kind !== "guard") throw error;
    return { outcome: failure.constraint === "values_exist" ? "values_exist" : "stale" };
  }
}
