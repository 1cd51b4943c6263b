import { sql } from "drizzle-orm";
import type { Actor } from "#domain/audit.ts";
import type { AuditedItemAction } from "#domain/item/change.ts";
import type { Value } from "#domain/data/values.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import type { CollectionDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { collectionStatement } from "#store/db/statement.ts";

/** The changes that one request made, with which a member reverts them. */

/** No index finds a request, so this reads the newest changes of the collection. */
const maxScannedChanges = sql.raw("100000");
const perCollection = sql.raw(String(sequencesPerCollection));

export interface RequestChange {
  number: number;
  itemId: string;
  version: number;
  /** The size of the former values. */
  formerBytes: number;
}

export interface RequestChangeFilter {
  requestId: string;
  actor: Actor;
  action: AuditedItemAction;
  /** Only changes with lower numbers. */
  before: number;
  limit: number;
}

const selectChanges = collectionStatement<RequestChangeFilter>((db, v) =>
  db
    .select({
      number: sql<number>`number`,
      itemId: sql<string>`item_id`.as("itemId"),
      version: sql<number>`version`,
      formerBytes: sql<number>`bytes`.as("formerBytes"),
    })
    .from(
      sql`(select number, item_id, version, request_id, actor, coalesce(audit_action, action) as audited,
          coalesce(octet_length(former), 0) as bytes
        from change where number > ${v.collectionId} * ${perCollection} and number < min((${v.collectionId} + 1) * ${perCollection}, ${v.before})
        order by number desc limit ${maxScannedChanges})`,
    )
    .where(sql`request_id = ${v.requestId} and actor = ${v.actor} and audited = ${v.action}`)
    .orderBy(sql`number desc`)
    .limit(v.limit as never),
);

/** Lists the changes of one kind that a request of this actor made in the collection, newest first. */
export async function listRequestChanges(
  db: CollectionDatabase,
  filter: RequestChangeFilter,
): Promise<RequestChange[]> {
  const statement = selectChanges(db, filter);
  return (await retryTransient(db, () => statement.all<RequestChange>())).results;
}

const selectFormer = collectionStatement<{ numbers: string }>((db, v) =>
  db
    .select({ number: sql<number>`number`, former: sql<string | null>`former` })
    .from(sql`change`)
    .where(sql`number in (select value from json_each(${v.numbers}))`),
);

/** Loads the former values of changes, by the numbers of the changes. Erased values are missing. */
export async function loadFormerValues(
  db: CollectionDatabase,
  changes: readonly RequestChange[],
): Promise<ReadonlyMap<number, Record<string, Value | null>>> {
  const numbers = JSON.stringify(changes.map(({ number }) => number));
  const statement = selectFormer(db, { numbers });
  const { results } = await retryTransient(db, () =>
    statement.all<{ number: number; former: string | null }>(),
  );
  return new Map(
    results.flatMap(({ number, former }) =>
      former === null ? [] : [[number, JSON.parse(former) as Record<string, Value | null>]],
    ),
  );
}
