import { and, eq, gt, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { placesPerCollection } from "#domain/item/item.ts";
import type { Credential } from "#domain/credential/credential.ts";
import { attempt } from "#store/db/retry.ts";
import { credential } from "#store/db/home-schema.ts";
import { collection, tally, webhook } from "#store/db/schema.ts";
import { credentialFromRow, selectCredentials } from "./credentials.ts";
import { firstCreated } from "#store/data/items.ts";

export interface FormState {
  key: string;
  name: string;
  state: "open" | "closed";
  closesAt: number | null;
  maxSubmissions: number | null;
  live: number;
}

/** A webhook that stopped by itself. */
export interface StoppedWebhook {
  id: string;
  name: string;
  state: "failing" | "disabled";
}

const mostCredentials = 500;

/** All that the overview tells, in one trip: credentials, forms to watch, and submissions between each two `times`. */
export async function readOverview(
  db: D1Database,
  {
    memberId,
    now,
    soon,
    times,
  }: { memberId: string | null; now: number; soon: number; times: readonly number[] },
): Promise<{
  credentials: Credential[];
  forms: FormState[];
  submissions: number[];
  webhooks: StoppedWebhook[];
}> {
  // Those that were revoked lately count in the totals of the days that they were used on.
  const lately = or(isNull(credential.revokedAt), gt(credential.revokedAt, times[0] ?? now));
  const own = memberId === null ? undefined : eq(credential.memberId, memberId);
  const [rows, forms, places, webhooks] = await attempt(() =>
    drizzle(db).batch([
      selectCredentials(db, and(lately, own), mostCredentials),
      formsToWatch(db, now, soon),
      placesAt(db, times),
      stoppedWebhooks(db),
    ]),
  );
  const submissions = between(places);
  return { credentials: rows.map(credentialFromRow), forms, submissions, webhooks };
}

/** Those that tell nothing until somebody resumes them, though nobody paused them. */
function stoppedWebhooks(db: D1Database) {
  const { id, name, state } = webhook;
  return drizzle(db)
    .select({ id, name, state: sql<StoppedWebhook["state"]>`${state}` })
    .from(webhook)
    .where(inArray(state, ["failing", "disabled"]))
    .orderBy(id);
}

/** Open forms that close before `soon`, or have at most a tenth of their places left. */
function formsToWatch(db: D1Database, now: number, soon: number) {
  return drizzle(db)
    .select({
      key: collection.key,
      name: collection.name,
      state: collection.state,
      closesAt: collection.closesAt,
      maxSubmissions: collection.maxSubmissions,
      live: tally.live,
    })
    .from(collection)
    .innerJoin(tally, eq(tally.collectionId, collection.id))
    .where(
      and(
        eq(collection.kind, "form"),
        eq(collection.state, "open"),
        or(
          and(gt(collection.closesAt, now), lt(collection.closesAt, soon)),
          sql`${tally.live} >= ${collection.maxSubmissions} * 0.9`,
        ),
      ),
    )
    .orderBy(collection.closesAt)
    .limit(50);
}

/**
 * How many places all forms had given out at each of these times. Places are given in the order of the times, so they
 * are found by halving: nothing is counted, however many there are, and nothing sought in forms without newer items.
 */
function placesAt(db: D1Database, times: readonly number[]) {
  const above = `(c.id * ${placesPerCollection})`;
  const below = `((c.id + 1) * ${placesPerCollection})`;
  const first = sql.raw(firstCreated({ above, below }, "< e.value"));
  const counted = sql`(select e.value at, sum(case when t.last_created_at < e.value then t.last_place else coalesce(
          (select min(i.number) - ${sql.raw(above)} - 1 from item i
            where i.number >= ${first} and i.number < ${sql.raw(below)}), t.last_place) end) places
        from json_each(${JSON.stringify(times)}) e
          join (select id from collection where kind = 'form' limit 200) c
          join tally t on t.collection_id = c.id
        group by e.value order by e.value)`;
  return drizzle(db)
    .select({ places: sql<number>`places` })
    .from(counted);
}

/** Submissions made between each two times: the difference of the places. */
function between(rows: readonly { places: number }[]): number[] {
  const places = rows.map((row) => row.places);
  return places.slice(1).map((after, i) => Math.max(0, after - (places[i] ?? 0)));
}
