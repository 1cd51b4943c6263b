import {
  batchHomeAndData,
  query,
  type Database,
  type Databases,
  type HomeDatabase,
} from "#store/db/database.ts";
import { and, eq, gt, isNull, lt, ne, or, sql } from "drizzle-orm";
import { maxExpiringCount } from "#domain/definition/collection.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import type { Credential } from "#domain/credential/credential.ts";
import { compareNames, isOwnColumn } from "#store/db/lists.ts";
import { retryTransient } from "#store/db/retry.ts";
import { credential, member } from "#store/db/home-schema.ts";
import type { EffectiveWebhookState } from "#domain/webhook/status.ts";
import {
  listRecentActions,
  selectActiveCollections,
  selectRecentActions,
  type ActiveCollection,
  type RecentAction,
} from "#store/data/recent-activity.ts";
import { collection, tally, webhook } from "#store/db/schema.ts";
import { selectLargeDatabases, type DatabaseReport } from "./database-reports.ts";
import { credentialFromRow, selectCredentials } from "./credentials.ts";
import { firstNumberAfterTimeSql } from "#store/data/items.ts";
import { oldestRetained } from "#store/data/retention.ts";
import { rightsEndAtSql } from "./webhook-status.ts";

export interface FormState {
  key: string;
  name: string;
  state: "open" | "closed";
  closesAt: number | null;
  maxSubmissions: number | null;
  submissionCount: number;
}

/** A webhook and its health. */
export interface WebhookHealth {
  id: string;
  name: string;
  state: EffectiveWebhookState;
}

/** A member, for the names in the activity and the first steps. */
interface OverviewMember {
  id: string;
  name: string;
  createdAt: number;
}

/** A form whose retention rule erases submissions soon. */
export interface RetainingForm {
  key: string;
  name: string;
  /** The number of submissions, up to `maxExpiringCount`. */
  count: number;
}

const maxRetainingForms = 20;

/**
 * Counts the submissions that retention rules erase until `until`. Assumes days of 24 hours, so around clock changes
 * the counts can be wrong by the submissions of an hour.
 */
function selectRetainingForms(db: Database<"data">, until: number) {
  const limit = sql.raw(String(maxExpiringCount));
  const oldest = oldestRetained(sql`c.id`, sql`c.retain ->> 'only'`, limit);
  const expiresAt = sql`o.created_at + (c.retain ->> 'days') * ${sql.raw(String(dayMs))}`;
  const counts = sql`(select c.id, c.key, c.name, (select count(*) from ${oldest} o where ${expiresAt} <= ${until}) as total
    from (select * from collection where id > 0 and retain is not null and retain ->> 'appliesFrom' <= ${until}
      order by id limit ${sql.raw(String(maxRetainingForms))}) c)`;
  return query(db, (on) =>
    on
      .select({
        isOwn: isOwnColumn("counts.id"),
        key: sql<string>`key`.as("key"),
        name: sql<string>`name`.as("name"),
        count: sql<number>`total`.as("total"),
      })
      .from(sql`${counts} counts`)
      .where(sql`total > 0`),
  );
}

const dayMs = 24 * 60 * 60 * 1000;
const maxCredentials = 500;
const maxMembers = 1000;
const maxWebhooks = 200;
/** The number of listed actions, and of listed apps and forms. */
const maxListed = 8;

interface LoadedOverview {
  credentials: Credential[];
  forms: FormState[];
  retaining: RetainingForm[];
  submissions: number[];
  webhooks: WebhookHealth[];
  members: OverviewMember[];
  actions: RecentAction[];
  collections: ActiveCollection[];
  largeDatabases: DatabaseReport[];
}

interface OverviewRequest {
  memberId: string | null;
  now: number;
  soonUntil: number;
  erasedUntil: number;
  /** The limits for databases to list as large. */
  large: { minBytes: number; since: number };
  times: readonly number[];
}

/**
 * Loads the overview in one round trip: credentials, forms to watch, stopped webhooks, and submissions between adjacent
 * `times`.
 */
export async function loadOverview(
  databases: Databases,
  { memberId, now, soonUntil, erasedUntil, large, times }: OverviewRequest,
): Promise<LoadedOverview> {
  // Recently revoked credentials still count in the totals of the days on which they were used.
  const isRecent = or(isNull(credential.revokedAt), gt(credential.revokedAt, times[0] ?? now));
  const isOfMember = memberId === null ? undefined : eq(credential.memberId, memberId);
  const [homeRows, dataLists] = await retryTransient(databases, () =>
    batchHomeAndData(
      databases,
      (db) => [
        selectCredentials(db, and(isRecent, isOfMember), maxCredentials),
        selectWebhookHealth(db, now),
        selectOverviewMembers(db),
        selectLargeDatabases(db, large),
      ],
      (db) => [
        selectFormsToWatch(db, now, soonUntil),
        selectSequencesAt(db, times),
        selectRetainingForms(db, erasedUntil),
        selectRecentActions(db),
        selectActiveCollections(db),
      ],
    ),
  );
  const [rows, webhooks, members, largeDatabases] = homeRows;
  const [forms, sequences, retaining, actions, collections] = dataLists;
  return {
    credentials: rows.map(credentialFromRow),
    forms: forms.merge(({ key }) => key, byClosing),
    retaining: retaining.merge(({ key }) => key, compareNames),
    submissions: countSubmissions(
      sequences.merge(({ id }) => id),
      times.length - 1,
    ),
    webhooks,
    members,
    largeDatabases,
    actions: await listRecentActions(databases, actions, maxListed),
    collections: collections
      .merge(({ kind, key }) => `${kind}:${key}`)
      .toSorted((a, b) => (b.lastItemAt ?? 0) - (a.lastItemAt ?? 0))
      .slice(0, maxListed),
  };
}

const byClosing = (one: FormState, other: FormState) =>
  (one.closesAt ?? 0) - (other.closesAt ?? 0) || compareNames(one, other);

const selectOverviewMembers = (db: HomeDatabase) =>
  query(db, (on) =>
    on
      .select({
        id: member.id,
        name: sql<string>`coalesce(nullif(${member.name}, ''), ${member.email})`.as("shown_name"),
        createdAt: member.createdAt,
      })
      .from(member)
      .orderBy(member.id)
      .limit(maxMembers),
  );

/** Selects the health of webhooks. Stopped ones send no events until a member resumes them or takes ownership. */
function selectWebhookHealth(db: HomeDatabase, now: number) {
  const { id, name, state } = webhook;
  const haveRightsEndedSql = sql`${rightsEndAtSql} <= ${now}`;
  return query(db, (builder) =>
    builder
      .select({
        id,
        name,
        state: sql<EffectiveWebhookState>`case
          when ${state} in ('active', 'paused') and ${haveRightsEndedSql} then 'disabled'
          when ${state} = 'active' and ${webhook.retryAt} is not null then 'retrying'
          else ${state} end`.as("shown_state"),
      })
      .from(webhook)
      .where(ne(state, "deleted"))
      .orderBy(id)
      .limit(maxWebhooks),
  );
}

/** Selects open forms that close before `soonUntil` or have at least 90% of their maximum submissions. */
function selectFormsToWatch(db: Database<"data">, now: number, soonUntil: number) {
  return query(db, (builder) =>
    builder
      .select({
        isOwn: isOwnColumn("collection.id"),
        key: collection.key,
        name: collection.name,
        state: collection.state,
        closesAt: collection.closesAt,
        maxSubmissions: collection.maxSubmissions,
        submissionCount: tally.live,
      })
      .from(collection)
      .innerJoin(tally, eq(tally.collectionId, collection.id))
      .where(
        and(
          eq(collection.kind, "form"),
          eq(collection.state, "open"),
          or(
            and(gt(collection.closesAt, now), lt(collection.closesAt, soonUntil)),
            sql`${tally.live} >= ${collection.maxSubmissions} * 0.9`,
          ),
        ),
      )
      .orderBy(collection.closesAt)
      .limit(50),
  );
}

/**
 * Selects, for up to 200 forms, the number of sequences that each form had assigned by each of these times. Sequences
 * grow with time, so a binary search finds them without counting rows. Forms without newer items need no search.
 */
function selectSequencesAt(db: Database<"data">, times: readonly number[]) {
  const above = `(c.id * ${sequencesPerCollection})`;
  const below = `((c.id + 1) * ${sequencesPerCollection})`;
  const firstCreatedNumberSql = sql.raw(firstNumberAfterTimeSql({ above, below }, "< e.value"));
  const totals = sql`(select c.id, json_group_array(case when t.last_created_at < e.value then t.last_place else coalesce(
          (select min(i.number) - ${sql.raw(above)} - 1 from item i
            where i.number >= ${firstCreatedNumberSql} and i.number < ${sql.raw(below)}), t.last_place) end
          order by e.value) as sequences
        from json_each(${JSON.stringify(times)}) e
          join (select id from collection where kind = 'form' limit 200) c
          join tally t on t.collection_id = c.id
        group by c.id) totals`;
  return query(db, (builder) =>
    builder
      .select({
        isOwn: isOwnColumn("totals.id"),
        id: sql<number>`id`,
        sequences: sql<string>`sequences`,
      })
      .from(totals),
  );
}

/** Returns the number of submissions of all forms in each period between adjacent times. */
function countSubmissions(forms: readonly { sequences: string }[], periods: number): number[] {
  const counts = Array.from({ length: periods }, () => 0);
  for (const form of forms) {
    const sequences = JSON.parse(form.sequences) as number[];
    for (const index of counts.keys())
      counts[index] =
        (counts[index] ?? 0) + Math.max(0, (sequences[index + 1] ?? 0) - (sequences[index] ?? 0));
  }
  return counts;
}
