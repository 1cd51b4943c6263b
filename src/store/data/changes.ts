import type { Databases, Scope } from "#store/db/database.ts";
import { loadActorNames } from "#store/home/audit.ts";
import { sql, type SQL } from "drizzle-orm";
import type { Actor } from "#domain/audit.ts";
import type { AuditedItemAction, ItemAction } from "#domain/item/change.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { change } from "#store/db/schema.ts";
import {
  dataStatement,
  jointStatement,
  lowestSequenceSql,
  nextVersionSql,
  placeholders,
  type Bind,
  type Builder,
  type Placeholders,
} from "#store/db/statement.ts";
import type { Value } from "#domain/data/values.ts";
import { retryTransient } from "#store/db/retry.ts";

/** A stored change of an item. */
export interface Change {
  /** The id of the collection and the position in commit order, combined in one number. */
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
  /** The views that the item matches before and after (`viewMarks`), JSON. */
  views: string | null;
}

/** The columns of a change by name, for any source that a statement selects from. */
export const changeColumns = {
  number: sql<number>`number`,
  at: sql<number>`at`,
  actor: sql<Actor>`actor`,
  action: sql<ItemAction>`action`,
  item: sql<number>`item`,
  item_id: sql<string>`item_id`,
  version: sql<number>`version`,
  fields: sql<string>`fields`,
  views: sql<string | null>`views`,
};

export interface ChangeRow extends Omit<Change, "itemId" | "fields"> {
  item_id: string;
  fields: string;
}

export function changeFromRow({ item_id: itemId, fields, ...row }: ChangeRow): Change {
  return { ...row, itemId, fields: JSON.parse(fields) as number[] };
}

// Statements that store changes, in the batch that changes the item.

/** The actor, the action and the request of a change. */
export interface ItemAuditRecord {
  at: number;
  actor: Actor;
  action: AuditedItemAction;
  /** The start of the hash of a member's session. */
  session: string | null;
  requestId: string;
  sentRequestId: string | null;
}

interface ChangeInsert extends ItemAuditRecord {
  number: number;
  /** 1 for a change, which creates the next version. 0 for a deletion. */
  versionIncrement: number;
  /** Ids of the changed fields and their former values, JSON. */
  changedFields: string;
  former: string | null;
  /** The views that the item matches before and after (`viewMarks`), JSON. */
  views: string | null;
}

const v = placeholders<ChangeInsert>();

const sequencesPerCollectionSql = sql.raw(String(sequencesPerCollection));

/** The number of a collection's last change. Without changes, the number just below the collection's first. */
export function lastChangeSql(collectionIdColumn: string): SQL {
  const id = sql.raw(collectionIdColumn);
  return sql`coalesce((select number from change where number > ${id} * ${sequencesPerCollectionSql}
      and number < (${id} + 1) * ${sequencesPerCollectionSql} order by number desc limit 1), ${id} * ${sequencesPerCollectionSql})`;
}

/** Whether an active webhook listens to the collection. */
export const hasListenersColumn = (collectionId: string | SQL) => {
  const id = typeof collectionId === "string" ? sql.raw(collectionId) : collectionId;
  return sql<number>`(select listened from collection where id = ${id})`.as("listened");
};

/** Joins the last change of the collection once, as `l`. A new change follows it. */
export function joinLastChangeSql(collectionIdColumn: string): SQL {
  return sql`left join change l on l.number = ${lastChangeSql(collectionIdColumn)}`;
}

/** SQL for the larger of `lastNumber` and the number just below the first one that the handle's timeline assigns. */
const maxWithTimelineSql = (lastNumber: SQL, collectionIdColumn: string) =>
  sql`max(${lastNumber}, ${sql.raw(collectionIdColumn)} * ${sequencesPerCollectionSql} + ${lowestSequenceSql} - 1)`;

/** The number of the change before a new one, in a statement with the joined `l`. */
export function joinedPrecedingNumberSql(collectionIdColumn: string): SQL {
  const last = sql`coalesce(l.number, ${sql.raw(collectionIdColumn)} * ${sequencesPerCollectionSql})`;
  return maxWithTimelineSql(last, collectionIdColumn);
}

/** The number of the change before a new one, in a statement without the joined `l`. */
export const precedingNumberSql = (collectionIdColumn: string): SQL =>
  maxWithTimelineSql(lastChangeSql(collectionIdColumn), collectionIdColumn);

/**
 * The time of a new change. It is never before the time of the joined `l`, so that times grow with the numbers even if
 * clocks differ.
 */
export function changeTimeSql(at: SQL): SQL {
  return sql`max(${at}, coalesce(l.at, 0))`;
}

/** Inserts a change of an item. Runs before the statement that changes the item. */
export const insertChange = dataStatement<ChangeInsert>((db) =>
  db.insert(change).select(
    sql`select ${joinedPrecedingNumberSql("i.collection_id")} + 1, ${changeTimeSql(v.at)}, ${v.actor}, ${v.action}, i.number, i.id,
        iif(${v.versionIncrement}, ${nextVersionSql(sql`i.version`)}, i.version), i.last_change, ${v.changedFields}, ${v.former},
        ${v.session}, ${v.requestId}, ${v.sentRequestId}, ${v.views}, null
        from item i ${joinLastChangeSql("i.collection_id")} where i.number = ${v.number}`,
  ),
);

/** A change of one item with the former values of its fields. */
export interface PastChange {
  number: number;
  at: number;
  actor: Actor;
  /** The e-mail of a member or the name of a credential. Null when it no longer exists. */
  actorName: string | null;
  action: AuditedItemAction;
  version: number;
  previous: number | null;
  fields: number[];
  /** Former values by field id; null for an empty field. The whole member is null after an erasure. */
  former: Record<string, Value | null> | null;
}

/** The maximum number of changes, and the approximate maximum bytes of their former values. */
export interface HistoryLimits {
  limit: number;
  maxBytes: number;
}

/** The name of `actor`, in a database that has the home tables. */
export const actorNameSql = sql<string | null>`case
  when actor like 'member:%' then (select coalesce(nullif(name, ''), email) from member where id = substr(actor, 8))
  when actor like 'credential:%' then (select name from credential where id = substr(actor, 12)) end`;

const buildHistory =
  <Values extends object>(
    newestNumber: (values: Placeholders<Values>) => SQL,
    name: SQL<string | null>,
  ) =>
  (db: Builder, values: Placeholders<Values & HistoryLimits>) =>
    db
      .select({
        number: sql<number>`number`,
        at: sql<number>`at`,
        actor: sql<Actor>`actor`,
        actorName: name.as("actorName"),
        action: sql<AuditedItemAction>`coalesce(audit_action, action)`.as("action"),
        version: sql<number>`version`,
        previous: sql<number | null>`previous`,
        fields: sql<string>`fields`,
        former: sql<string | null>`former`,
      })
      .from(
        sql`(with recursive past as (
          select c.*, 1 as place, 0 as spent from change c where c.number = ${newestNumber(values)}
          union all
          select c.*, place + 1, spent + coalesce(octet_length(past.former), 0)
            from past join change c on c.number = past.previous
            where place < ${values.limit} and spent + coalesce(octet_length(past.former), 0) < ${values.maxBytes})
        select * from past)`,
      );

/** Statements that follow the pointers to previous changes. They return the newest change first. */
export interface HistoryStatements<Values> {
  /** Selects the names of actors too. They must be in the same database. */
  withNames: Bind<Scope, Values & HistoryLimits>;
  /** Selects no names of actors. `nameActors` adds them. */
  withoutNames: Bind<"data", Values & HistoryLimits>;
}

export function historyStatements<Values extends object>(
  newestNumber: (values: Placeholders<Values>) => SQL,
): HistoryStatements<Values> {
  return {
    withNames: jointStatement<Values & HistoryLimits>(buildHistory(newestNumber, actorNameSql)),
    withoutNames: dataStatement<Values & HistoryLimits>(buildHistory(newestNumber, sql`null`)),
  };
}

/** Adds the names of actors unless the statement has selected them. */
export async function nameActors(
  { home, singleDatabase }: Databases,
  changes: readonly PastChange[],
): Promise<PastChange[]> {
  if (singleDatabase) return [...changes];
  const names = await loadActorNames(
    home,
    changes.map(({ actor }) => actor),
  );
  return changes.map((row) => ({ ...row, actorName: names.get(row.actor) ?? null }));
}

const selectHistory = historyStatements<{ from: number }>(({ from }) => from);

/** A past change as D1 returns it. */
export type PastChangeRow = Omit<PastChange, "fields" | "former"> & {
  fields: string;
  former: string | null;
};

/** Loads the history of an item of this collection, starting at one change and going back. */
export async function loadHistory(
  databases: Databases,
  collection: { readonly id: number },
  values: { from: number } & HistoryLimits,
): Promise<PastChange[]> {
  const { singleDatabase } = databases;
  const db = databases.of(collection);
  const statement = singleDatabase
    ? selectHistory.withNames(singleDatabase, values)
    : selectHistory.withoutNames(db, values);
  const { results } = await retryTransient(db, () => statement.all<PastChangeRow>());
  return nameActors(databases, results.map(pastChangeFromRow));
}

export function pastChangeFromRow({ fields, former, ...row }: PastChangeRow): PastChange {
  return {
    ...row,
    fields: JSON.parse(fields) as number[],
    former: former === null ? null : (JSON.parse(former) as PastChange["former"]),
  };
}
