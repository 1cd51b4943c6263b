import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { fieldsPerCollection, systemFieldIds } from "../domain/data/field-number";
import { placesPerCollection } from "../domain/item/item";
import { attempt } from "./db/attempt";

export interface FormState {
  key: string;
  name: string;
  state: "open" | "closed";
  closesAt: number | null;
  maxSubmissions: number | null;
  live: number;
}

/** Open forms that close before `soon`, or have at most a tenth of their places left. */
export async function formsToWatch(
  db: D1Database,
  now: number,
  soon: number,
): Promise<FormState[]> {
  return attempt(() =>
    drizzle(db).all<FormState>(
      sql`select c.key, c.name, c.state, c.closes_at closesAt, c.max_submissions maxSubmissions, t.live
        from collection c join tally t on t.collection_id = c.id
        where c.kind = 'form' and c.state = 'open'
          and ((c.closes_at > ${now} and c.closes_at < ${soon}) or t.live >= c.max_submissions * 0.9)
        order by c.closes_at limit 50`,
    ),
  );
}

/**
 * Submissions made between each two of these times. Places are given in the order of the times, so each count is the
 * difference of two places, found at the edges of the index: nothing is counted, however many there are.
 */
export async function submissionsBetween(
  db: D1Database,
  times: readonly number[],
): Promise<number[]> {
  const field = sql.raw(`c.id * ${fieldsPerCollection} + ${systemFieldIds.createdAt}`);
  const above = sql.raw(`c.id * ${placesPerCollection}`);
  const rows = await attempt(() =>
    drizzle(db).all<{ at: number; places: number }>(
      sql`select e.value at, sum(coalesce(
          (select s.item - ${above} - 1 from search_entry s
            where s.field = ${field} and s.value >= e.value order by s.value limit 1), t.last_place)) places
        from json_each(${JSON.stringify(times)}) e
          join (select id from collection where kind = 'form' limit 200) c
          join tally t on t.collection_id = c.id
        group by e.value order by e.value`,
    ),
  );
  const places = rows.map((row) => row.places);
  return times.slice(1).map((_, i) => Math.max(0, (places[i + 1] ?? 0) - (places[i] ?? 0)));
}
