import { sql, eq } from "drizzle-orm";
import { fieldNumber } from "#domain/data/values.ts";
import { numbersOf } from "#domain/item/item.ts";
import { guardCode, guardStatement } from "#store/db/guard.ts";
import { formerUnique, uniqueValue, auditEntry, collection, indexing, pendingChange, tally } from "#store/db/schema.ts";
import { statement, parameters, pick } from "#store/db/statement.ts";
import type { PendingChange, Pending } from "./collections.ts";
import { defaultHistoryDays, type Collection, type Definition } from "#domain/definition/collection.ts";
import { once, failureOf } from "#store/db/retry.ts";
import { actTime, insertAct, type Act } from "#store/home/audit.ts";

/** What changed fields ask of stored values: one statement each, however many fields they are. */

/** A field whose values are sought, in the slots of items; a column's one level down, in the rows within its list. */
type Slot = [slot: string, within: string | null];

const isEmpty = guardStatement<{ above: number; below: number; slots: string }>(
  (v) => sql`select ${guardCode("values_exist")} as code where exists (
      select 1 from item cross join json_each(${v.slots}) f
      where number > ${v.above} and number < ${v.below}
        and case when f.value ->> 1 is null
          then data ->> (f.value ->> 0) is not null
          else exists (select 1 from json_each(item.data, '$."' || (f.value ->> 1) || '"') row
            where row.value ->> (f.value ->> 0) is not null) end)`,
);

/** Refuses where an item has a value of one of the fields: one statement, however many they are. */
export function areEmpty(
  db: D1Database,
  collectionId: number,
  fields: PendingChange["emptied"],
): D1PreparedStatement[] {
  if (fields.length === 0) return [];
  const slots = fields.map(({ id, within }): Slot => [
    String(id),
    within === null ? null : String(within),
  ]);
  return [isEmpty(db, { ...numbersOf(collectionId), slots: JSON.stringify(slots) })];
}

const formerUniques = statement<{ fields: string }>((db, v) =>
  db
    .insert(formerUnique)
    .select(sql`select value from json_each(${v.fields}) where true`)
    .onConflictDoNothing(),
);

/** The values of these fields are none any more; they are swept in steps. */
export function endUnique(
  db: D1Database,
  collectionId: number,
  uniqueIds: readonly number[],
): D1PreparedStatement[] {
  if (uniqueIds.length === 0) return [];
  const fields = uniqueIds.map((each) => fieldNumber(collectionId, each));
  return [formerUniques(db, { fields: JSON.stringify(fields) })];
}

type Filled = [field: number, slot: string, isDate: 0 | 1];

/** Dates are the same on the same calendar day; drafts hold no unique values. */
const fillUniques = statement<{ above: number; below: number; fields: string }>((db, v) =>
  db.insert(uniqueValue).select(
    sql`select f.value ->> 0,
          case when f.value ->> 2 then substr(data ->> (f.value ->> 1), 1, 10)
            else data ->> (f.value ->> 1) end, number
        from item cross join json_each(${v.fields}) f
        where number > ${v.above} and number < ${v.below}
          and data ->> (f.value ->> 1) is not null and status is not 'draft'`,
  ),
);

/** Takes the values of fields that become unique out of all items; fails where two share one. */
export function fillUnique(
  db: D1Database,
  collectionId: number,
  gained: PendingChange["gained"],
): D1PreparedStatement[] {
  if (gained.length === 0) return [];
  const fields = gained.map(({ id, type, uniqueId }): Filled => [
    fieldNumber(collectionId, uniqueId),
    String(id),
    type === "date" ? 1 : 0,
  ]);
  return [fillUniques(db, { ...numbersOf(collectionId), fields: JSON.stringify(fields) })];
}

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
    ...endUnique(db, id, lost),
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
  const ended = gained.map(({ uniqueId }) => uniqueId);
  return [deletePending(db, { id }), ...endUnique(db, id, ended)];
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
