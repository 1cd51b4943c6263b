import { and, asc, desc, eq, getTableColumns, gt, lte, sql } from "drizzle-orm";
import { batchQueries, orm, query, type HomeDatabase } from "#store/db/database.ts";
import { maxPersonHits } from "#domain/item/person-match.ts";
import { guardCode, homeGuard, runGuarded } from "#store/db/guard.ts";
import { retryTransient } from "#store/db/retry.ts";
import { personHit, personSearch } from "#store/db/schema.ts";
import { homeStatement, pick } from "#store/db/statement.ts";
import { insertAuditEntry, type AuditRecord } from "./audit.ts";

export type PersonSearch = typeof personSearch.$inferSelect;

/** The position at which a search continues. */
export type PersonPosition = Pick<PersonSearch, "collectionId" | "part" | "after">;

/** A matching item. `former` is 1 if only its former values match. */
export type PersonHit = Pick<typeof personHit.$inferSelect, "item" | "former">;

const maxHitsSql = sql.raw(String(maxPersonHits));
/** The maximum number of searches that are kept at the same time. */
export const maxPersonSearches = 20;

const isUnderLimit = homeGuard<{ createdAt: number }>(
  (v) => sql`select ${guardCode("full")} as code where (select count(*) from person_search
    where expires_at > ${v.createdAt}) >= ${sql.raw(String(maxPersonSearches))}`,
);

const insertSearch = homeStatement<PersonSearch>((db, v) =>
  db
    .insert(personSearch)
    .values(pick(v, Object.keys(getTableColumns(personSearch)) as (keyof PersonSearch)[])),
);

/** Stores a search. Returns false and stores nothing when too many searches are kept. */
export function storePersonSearch(
  db: HomeDatabase,
  search: PersonSearch,
  entry: AuditRecord,
): Promise<boolean> {
  return runGuarded(db, [
    isUnderLimit(db, { createdAt: search.createdAt }),
    insertSearch(db, search),
    insertAuditEntry(db, { ...entry }),
  ]);
}

const isKept = (now: number) => gt(personSearch.expiresAt, now);

/** Lists the searches that have not expired, newest first. */
export function listPersonSearches(db: HomeDatabase, now: number): Promise<PersonSearch[]> {
  return retryTransient(db, async () =>
    orm(db).select().from(personSearch).where(isKept(now)).orderBy(desc(personSearch.id)),
  );
}

/** Loads a search with up to `limit` of its hits after an item, in one D1 call. */
export async function findPersonSearch(
  db: HomeDatabase,
  id: string,
  { now, after, limit }: { now: number; after: number; limit: number },
): Promise<{ search: PersonSearch; hits: PersonHit[] } | undefined> {
  const [[search], hits] = await retryTransient(db, () =>
    batchQueries(db, [
      query(db, (on) =>
        on
          .select()
          .from(personSearch)
          .where(and(eq(personSearch.id, id), isKept(now))),
      ),
      query(db, (on) =>
        on
          .select({ item: personHit.item, former: personHit.former })
          .from(personHit)
          .where(and(eq(personHit.searchId, id), gt(personHit.item, after)))
          .orderBy(asc(personHit.item))
          .limit(limit),
      ),
    ]),
  );
  return search && { search, hits };
}

/** Finds the oldest unfinished search. */
export async function nextPersonSearch(
  db: HomeDatabase,
  now: number,
): Promise<PersonSearch | undefined> {
  const [row] = await retryTransient(db, async () =>
    orm(db)
      .select()
      .from(personSearch)
      .where(and(eq(personSearch.state, "running"), isKept(now)))
      .orderBy(asc(personSearch.id))
      .limit(1),
  );
  return row;
}

interface Step extends PersonPosition {
  id: string;
  /** The position at which the step began. */
  fromCollection: number;
  fromPart: string;
  fromAfter: number;
  hits: string;
  searched: number;
  state: string;
}

/** The search has not taken this step yet. A concurrent run may have taken it. */
const isStepOpen = (v: { [Name in keyof Step]-?: unknown }) =>
  sql`id = ${v.id} and state = 'running' and collection_id = ${v.fromCollection} and part = ${v.fromPart}
    and after = ${v.fromAfter}`;

const countHits = (id: unknown) => sql`(select count(*) from person_hit where search_id = ${id})`;

const insertHits = homeStatement<Step>((db, v) =>
  db
    .insert(personHit)
    .select(
      sql`select ${v.id}, e.value ->> 0, e.value ->> 1 from json_each(${v.hits}) e
        where exists (select 1 from person_search where ${isStepOpen(v)})
          and not exists (select 1 from person_hit h where h.search_id = ${v.id} and h.item = e.value ->> 0)
        limit max(0, ${maxHitsSql} - ${countHits(v.id)})`,
    )
    .onConflictDoNothing(),
);

const storeStep = homeStatement<Step>((db, v) =>
  db
    .update(personSearch)
    .set({
      collectionId: sql`${v.collectionId}`,
      part: sql`${v.part}`,
      after: sql`${v.after}`,
      searched: sql`searched + ${v.searched}`,
      found: countHits(v.id),
      state: sql`iif(${countHits(v.id)} >= ${maxHitsSql}, 'done', ${v.state})`,
    })
    .where(isStepOpen(v)),
);

/** The results of a search since its stored position. */
export interface PersonProgress {
  position: PersonPosition;
  hits: readonly PersonHit[];
  searched: number;
  isDone: boolean;
}

/**
 * Stores the progress of a search and its results in one batch. Returns false if the search is finished or deleted, or
 * if another run stored the step first.
 */
export async function storePersonProgress(
  db: HomeDatabase,
  { id, collectionId, part, after }: PersonSearch,
  { position, hits, searched, isDone }: PersonProgress,
): Promise<boolean> {
  // An item may match by its values and by many changes. The first match counts.
  const byItem = new Map(hits.toReversed().map(({ item, former }) => [item, former]));
  const chunk = JSON.stringify([...byItem].slice(-maxPersonHits));
  const step = {
    id,
    ...position,
    fromCollection: collectionId,
    fromPart: part,
    fromAfter: after,
    hits: chunk,
    searched,
    state: isDone ? "done" : "running",
  };
  const statements = [insertHits(db, step), storeStep(db, step)];
  const results = await retryTransient(db, () => db.batch(statements));
  return (results[1]?.meta.changes ?? 0) > 0;
}

/** Erases a search with its text and its results. */
export async function deletePersonSearch(db: HomeDatabase, id: string): Promise<void> {
  await retryTransient(db, () =>
    batchQueries(db, [
      query(db, (on) => on.delete(personHit).where(eq(personHit.searchId, id))),
      query(db, (on) => on.delete(personSearch).where(eq(personSearch.id, id))),
    ]),
  );
}

/** Erases the searches that have expired. */
export async function sweepPersonSearches(db: HomeDatabase, now: number): Promise<void> {
  const expired = await retryTransient(db, async () =>
    orm(db)
      .select({ id: personSearch.id })
      .from(personSearch)
      .where(lte(personSearch.expiresAt, now)),
  );
  for (const { id } of expired) await deletePersonSearch(db, id);
}
