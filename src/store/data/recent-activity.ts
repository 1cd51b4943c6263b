import { sql } from "drizzle-orm";
import { maxCountedItems, type Actor, type AuditAction, type AuditDetail } from "#domain/audit.ts";
import type { Acceptance, CollectionKind } from "#domain/definition/collection.ts";
import type { AuditedItemAction } from "#domain/item/change.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import {
  orm,
  query,
  type Database,
  type DataDatabase,
  type Databases,
} from "#store/db/database.ts";
import { isOwnColumn, listEach, type Lists, type PlacedRow } from "#store/db/lists.ts";
import { isCopy } from "#store/db/moved-tables.ts";
import { collection } from "#store/db/schema.ts";

/** A recent action on items or on a definition. */
export interface RecentAction {
  at: number;
  actor: Actor;
  action: AuditAction;
  /** The ID of an item; null for the app or form itself. */
  itemId: string | null;
  /** The receipt number of the item, or its first text. Null if it has neither or is gone. */
  title: string | null;
  /** Whether the item is still stored. */
  hasItem: boolean;
  /** The number of items that the same request or import changed, by action. Empty for a definition. */
  counts: Partial<Record<AuditedItemAction, number>>;
  /** The stored details of a change of a definition. */
  detail: AuditDetail | null;
  kind: CollectionKind;
  key: string;
  name: string;
}

/** An app or form with the time of its last new item. */
export interface ActiveCollection extends Acceptance {
  kind: CollectionKind;
  key: string;
  name: string;
  itemCount: number;
  lastItemAt: number | null;
}

const maxSearchedCollections = sql.raw("200");
/** The number of newest changes of each collection that are considered. */
const maxChangesEach = sql.raw("5");
const maxActions = sql.raw("8");
const maxCountedSql = sql.raw(String(maxCountedItems));
/** The maximum time between two steps of an import, as in the audit log. */
const maxStepGapMs = sql.raw("60000");
const maxScannedEntries = sql.raw("200");
/** Longer than a page displays a title. */
const maxTitleLength = sql.raw("100");
const maxActiveCollections = sql.raw("8");
const sequencesSql = sql.raw(String(sequencesPerCollection));
const isOwn = sql.raw(`not ${isCopy("c.id")}`);
const hasMovedAway = sql.raw(isCopy("e.collection_id"));

/** A row of a recent action in one database. */
interface RecentActionRow
  extends Omit<RecentAction, "name" | "hasItem" | "counts" | "detail">, PlacedRow {
  /** The number of a change; null for an action on a definition. */
  number: number | null;
  collectionId: number;
  hasItem: number;
  /** The `counts` and the number of the oldest of these changes, as JSON; null for an action on a definition. */
  run: string | null;
  detail: string | null;
  /** Null if the collection has moved to another database. */
  name: string | null;
}

/** The changes of the request of action `a`, and of the directly preceding steps of the same import. */
const runSql = sql`(with recursive run (number, at, action, request_id, session, place) as (
    select a.number, a.at, a.action, a.request_id, a.session, 1
    union all
    select y.number, y.at, coalesce(y.audit_action, y.action), y.request_id, y.session, run.place + 1
    from run join change y on y.number = (select max(number) from change
      where number < run.number and number > a.collection_id * ${sequencesSql})
    where run.place < ${maxCountedSql} and y.actor <> 'system' and (y.request_id = run.request_id
      or (run.place > 1 and y.session = run.session and run.at - y.at < ${maxStepGapMs})))
  select json_object('oldest', min(oldest), 'counts', json_group_object(action, total))
    from (select action, min(number) as oldest, count(*) as total from run group by action))`;

/**
 * Selects the newest actions of members and credentials. Reads 1,200 rows and the changes of their requests. Audit
 * entries stay in their database when a collection moves, so the entries of a moved collection have no name.
 */
export const selectRecentActions = (db: Database<"data">) =>
  query(db, (on) =>
    on
      .select({
        isOwn: sql<number>`is_own`.as("isOwn"),
        number: sql<number | null>`number`.as("number"),
        at: sql<number>`at`.as("at"),
        actor: sql<Actor>`actor`.as("actor"),
        action: sql<AuditAction>`action`.as("action"),
        itemId: sql<string | null>`item_id`.as("item_id"),
        collectionId: sql<number>`collection_id`.as("collection_id"),
        hasItem: sql<number>`exists (select 1 from item where id = item_id)`.as("has_item"),
        run: sql<string | null>`iif(number is null, null, ${runSql})`.as("run"),
        detail: sql<string | null>`detail`.as("detail"),
        title: sql<string | null>`(select coalesce(i.receipt_number, (select
            substr(i.data ->> cast(f.value ->> 'id' as text), 1, ${maxTitleLength})
            from collection c cross join json_each(c.fields, '$.fields') f
            where c.id = i.collection_id and f.value ->> 'type' in ('text', 'email')
              and i.data ->> cast(f.value ->> 'id' as text) <> '' order by f.key limit 1))
          from item i where i.id = item_id)`.as("title"),
        kind: sql<CollectionKind>`kind`.as("kind"),
        key: sql<string>`key`.as("key"),
        name: sql<string | null>`name`.as("name"),
      })
      .from(
        sql`(select ${isOwn} as is_own, max(x.number) as number, x.at, x.actor, coalesce(x.audit_action, x.action) as action, x.item_id,
            c.id as collection_id, c.kind, c.key, c.name, x.request_id, x.session, null as detail
          from (select id, kind, key, name from collection where id > 0 order by id desc limit ${maxSearchedCollections}) c
            join change x on x.number in (select number from change
              where number > c.id * ${sequencesSql} and number < (c.id + 1) * ${sequencesSql}
              order by number desc limit ${maxChangesEach})
          where x.actor <> 'system'
          group by c.id, x.request_id
          union all
          select 1, null, e.at, e.actor, e.action, null, e.collection_id, substr(e.subject, 1, instr(e.subject, ':') - 1),
            substr(e.subject, instr(e.subject, ':') + 1), iif(${hasMovedAway}, null, c.name), null, null, e.detail
          from (select * from audit_entry order by id desc limit ${maxScannedEntries}) e
            left join collection c on c.id = e.collection_id
          where e.action in ('definition.create', 'definition.change') and e.actor <> 'system'
            and (c.id > 0 or ${hasMovedAway})
          order by at desc limit ${maxActions}) a`,
      ),
  );

const selectNames = (db: DataDatabase, ids: readonly number[]) =>
  orm(db)
    .select({ isOwn: isOwnColumn("collection.id"), id: collection.id, name: collection.name })
    .from(collection)
    .where(sql`${collection.id} in (select value from json_each(${JSON.stringify(ids)}))`);

/**
 * Merges the newest actions of all databases. Needs a second round trip if a definition changed before its collection
 * moved.
 */
export async function listRecentActions(
  databases: Databases,
  lists: Lists<RecentActionRow>,
  limit: number,
): Promise<RecentAction[]> {
  const rows = withoutSteps(
    lists.merge((row) => row.number ?? row).toSorted((a, b) => b.at - a.at),
  ).slice(0, limit);
  const moved = rows.filter(({ name }) => name === null).map((row) => row.collectionId);
  const collections =
    moved.length === 0
      ? []
      : (await listEach(databases, (db) => selectNames(db, moved))).merge(({ id }) => id);
  const names = new Map(collections.map(({ id, name }) => [id, name]));
  return rows.flatMap((action) => {
    const { number: _, collectionId, hasItem, detail, ...row } = action;
    const name = row.name ?? names.get(collectionId);
    if (name === undefined) return [];
    const parsed = detail === null ? null : (JSON.parse(detail) as AuditDetail);
    return [{ ...row, name, hasItem: hasItem === 1, detail: parsed }];
  });
}

/** Parses the counts of each action, and removes the earlier steps of an import. Expects the newest first. */
function withoutSteps(rows: readonly Omit<RecentActionRow, "isOwn">[]) {
  const oldestNumbers = new Map<number, number>();
  return rows.flatMap(({ run, ...row }) => {
    if (run === null) return [{ ...row, counts: {} }];
    const { oldest, counts } = JSON.parse(run) as Run;
    const isStep = (row.number ?? 0) >= (oldestNumbers.get(row.collectionId) ?? Infinity);
    if (isStep) return [];
    oldestNumbers.set(row.collectionId, oldest);
    return [{ ...row, counts }];
  });
}

interface Run extends Pick<RecentAction, "counts"> {
  /** The number of its oldest change. */
  oldest: number;
}

/** Selects the apps and forms with the newest items. */
export const selectActiveCollections = (db: Database<"data">) =>
  query(db, (on) =>
    on.select({
      isOwn: isOwnColumn("active.id"),
      kind: sql<CollectionKind>`kind`.as("kind"),
      key: sql<string>`key`.as("key"),
      name: sql<string>`name`.as("name"),
      state: sql<Acceptance["state"]>`state`.as("state"),
      opens_at: sql<number | null>`opens_at`.as("opens_at"),
      closes_at: sql<number | null>`closes_at`.as("closes_at"),
      max_submissions: sql<number | null>`max_submissions`.as("max_submissions"),
      itemCount: sql<number>`live`.as("item_count"),
      lastItemAt: sql<number | null>`nullif(last_created_at, 0)`.as("last_item_at"),
    }).from(sql`(select c.*, t.live, t.last_created_at from collection c
        join tally t on t.collection_id = c.id where c.id > 0
        order by t.last_created_at desc, c.id desc limit ${maxActiveCollections}) active`),
  );
