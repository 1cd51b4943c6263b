import { attempt } from "../db/attempt";
import { Values } from "./condition-sql";
import { isValue, type Driver } from "./driver";
import { driverSql } from "./driver-sql";

/** What a probe tells of a driver. */
export interface Size {
  /** Its entries, counted up to one more than was asked for. */
  count: number;
  /** How far apart its newest items lie: the farther, the rarer they are. */
  span: number;
}

/** What a probe tells of the collection. */
export interface Whole {
  /** Its items, and the bytes that the largest one ever took. */
  live: number;
  largest: number;
}

export const nothingProbed = { sizes: [], whole: { live: 0, largest: 0 } };

/** How many entries each driver has, counted up to one more than `upTo`, and how large the collection is. */
export async function probeSizes(
  db: D1Database,
  collectionId: number,
  drivers: readonly Driver[],
  upTo: number,
): Promise<{ sizes: Size[]; whole: Whole }> {
  const values = new Values();
  const columns = drivers.flatMap((driver, index) => [
    `${countSql(driver, upTo, values)} as count${index}`,
    `${spanSql(driver, values)} as span${index}`,
  ]);
  const text = `select ${["live", "largest", ...columns].join(", ")} from tally where collection_id = ${collectionId}`;
  const probe = columns.length > 0 ? db.prepare(text).bind(values.json) : db.prepare(text);
  const found = (await attempt(() => probe.first<Record<string, number>>())) ?? {};
  return {
    sizes: drivers.map((_, index) => ({
      count: found[`count${index}`] ?? 0,
      span: found[`span${index}`] ?? 0,
    })),
    whole: { live: found["live"] ?? 0, largest: found["largest"] ?? 0 },
  };
}

const sampled = 32;

/** How many entries the driver has, counted up to one more than `upTo`. */
function countSql(driver: Driver, upTo: number, values: Values): string {
  const entries = `select 1 from search_entry c where ${driverSql(driver, values)} limit ${upTo + 1}`;
  return `(select count(*) from (${entries}))`;
}

/** How far apart the newest items of the driver lie; 0 where its entries are not in the order of items. */
function spanSql(driver: Driver, values: Values): string {
  if (!isValue(driver)) return "0";
  const newest = `select c.item from search_entry c where ${driverSql(driver, values)} order by c.item desc limit ${sampled}`;
  return `(select max(item) - min(item) from (${newest}))`;
}
