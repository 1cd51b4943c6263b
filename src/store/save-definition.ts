import { eq, sql } from "drizzle-orm";
import { fieldNumber } from "../domain/data/field-number";
import type { Collection, CollectionKind, Definition } from "../domain/definition/collection";
import type { Merged } from "../domain/definition/merge";
import { numbersOf } from "../domain/item";
import { once } from "./attempt";
import { insertAct, type Act } from "./audit";
import { failureOf } from "./failure";
import { guardCode, guardStatement } from "./guard";
import { auditEntry, collection, indexing, tally, uniqueValue } from "./schema";
import { placeholders, statement, type Bind } from "./statement";

export type Saved =
  | { outcome: "saved" }
  /** Somebody else made or changed it in between: read again. */
  | { outcome: "stale" }
  | { outcome: "values_exist" }
  | { outcome: "duplicates_exist" };

const { placeholder } = sql;

const columns = [
  "kind",
  "key",
  "version",
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
  "createdAt",
  "updatedAt",
] as const;

const insertCollection = statement((db) => db.insert(collection).values(placeholders(columns)));

const ownCollection = sql`kind = ${placeholder("kind")} and key = ${placeholder("key")}`;

const insertTally = statement((db) =>
  db.insert(tally).select(sql`select id, 0, 0, 0, 0 from collection where ${ownCollection}`),
);

const auditCreation = statement((db) =>
  db.insert(auditEntry).select(
    sql`select null, ${placeholder("at")}, ${placeholder("actor")}, ${placeholder("action")}, id,
        ${placeholder("subject")}, 1, ${placeholder("session")}, ${placeholder("requestId")},
        ${placeholder("sentRequestId")} from collection where ${ownCollection}`,
  ),
);

const isExpected = guardStatement(
  sql`select ${guardCode("definition_changed")} as code
    from collection where id = ${placeholder("id")} and version <> ${placeholder("expected")}`,
);

/** Values are sought in the items themselves; those of rows one level down. */
const isEmpty = guardStatement(
  sql`select ${guardCode("values_exist")} as code where exists (
      select 1 from item
      where number > ${placeholder("above")} and number < ${placeholder("below")}
        and case when ${placeholder("within")} is null
          then data ->> ${placeholder("slot")} is not null
          else exists (select 1 from json_each(item.data, '$."' || ${placeholder("within")} || '"') row
            where row.value ->> ${placeholder("slot")} is not null) end)`,
);

const dropUnique = statement((db) =>
  db
    .delete(uniqueValue)
    .where(
      sql`field = ${placeholder("field")} and item > ${placeholder("above")} and item < ${placeholder("below")}`,
    ),
);

/** Dates are the same on the same calendar day; drafts hold no unique values. */
const fillUnique = statement((db) =>
  db.insert(uniqueValue).select(
    sql`select ${placeholder("field")},
          case when ${placeholder("isDate")} then substr(data ->> ${placeholder("slot")}, 1, 10)
            else data ->> ${placeholder("slot")} end, number
        from item
        where number > ${placeholder("above")} and number < ${placeholder("below")}
          and data ->> ${placeholder("slot")} is not null and status is not 'draft'`,
  ),
);

const updateCollection = statement((db) =>
  db
    .update(collection)
    .set(placeholders(columns.filter((name) => !["kind", "key", "createdAt"].includes(name))))
    .where(eq(collection.id, placeholder("id"))),
);

function rowOf(definition: Definition, fieldsVersion: number, now: number) {
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
    createdAt: now,
    updatedAt: now,
  };
}

export async function createCollection(
  db: D1Database,
  kind: CollectionKind,
  key: string,
  definition: Definition,
  act: Act,
): Promise<Saved> {
  const values = { ...act, ...rowOf(definition, 1, act.at), kind, key, version: 1 };
  return savedBy(
    db,
    [insertCollection, insertTally, auditCreation].map((bind) => bind(db, values)),
  );
}

/** What is to be indexed, from the start: items that are there now, for the fields that lack entries. */
const startIndexing = statement((db) =>
  db
    .insert(indexing)
    .select(
      sql`select t.collection_id, ${placeholder("unindexed")}, ${placeholder("above")} + 1,
        ${placeholder("above")} + t.last_place, 0, t.live
        from tally t where t.collection_id = ${placeholder("id")} and t.live > 0`,
    )
    .onConflictDoUpdate({
      target: indexing.collectionId,
      set: {
        fields: sql`excluded.fields`,
        next: sql`excluded.next`,
        last: sql`excluded.last`,
        done: sql`excluded.done`,
        total: sql`excluded.total`,
      },
    }),
);

/** Replaces a definition by the next version, with all that this asks of stored data, in one batch. */
export async function changeDefinition(
  db: D1Database,
  current: Collection,
  { definition, emptied, gained, lost }: Merged,
  unindexed: readonly number[],
  act: Act,
): Promise<Saved> {
  const { id, version } = current;
  const range = numbersOf(id);
  const fields = [current.definition, definition].map((each) => JSON.stringify(each.fields));
  const refielded = fields[0] !== fields[1];
  const bound = (bind: Bind<Record<string, unknown>>, values: Record<string, unknown>) =>
    bind(db, { id, ...range, ...values });
  return savedBy(db, [
    bound(isExpected, { expected: version }),
    ...emptied.map((field) =>
      bound(isEmpty, {
        slot: String(field.id),
        within: field.within === null ? null : String(field.within),
      }),
    ),
    ...lost.map((field) => bound(dropUnique, { field: fieldNumber(id, field) })),
    ...gained.map((field) =>
      bound(fillUnique, {
        field: fieldNumber(id, field.id),
        slot: String(field.id),
        isDate: field.type === "date" ? 1 : 0,
      }),
    ),
    ...(unindexed.length > 0
      ? [bound(startIndexing, { unindexed: JSON.stringify(unindexed) })]
      : []),
    bound(updateCollection, {
      ...rowOf(definition, refielded ? version + 1 : current.fieldsVersion, act.at),
      version: version + 1,
    }),
    insertAct(db, { ...act, collectionId: id, version: version + 1 }),
  ]);
}

async function savedBy(db: D1Database, statements: D1PreparedStatement[]): Promise<Saved> {
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
