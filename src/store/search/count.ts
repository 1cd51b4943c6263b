import { Values } from "./sql/values";
import { candidatesWithin, perCandidate } from "./plan/cost";
import {
  driverSql,
  findDrivers,
  isValue,
  onlyDriver,
  probeSql,
  type EntryDriver,
} from "./plan/driver";
import { inRange, isCreatedRange, itemRange, withRange } from "./item-range";
import type { Driver } from "./plan/named-items";
import type { PageStatement } from "./page-statement";
import type { Plan } from "./plan/plan";
import {
  conditionsSql,
  countWithin,
  candidatesSql,
  ownItem,
  sizeSql,
  type RangedWalk,
  type Walk,
} from "./walk";

/** How many items match: so many and no more, or so many at the least. */
export interface Count {
  count: number;
  exact: boolean;
}

/**
 * How many items match in all, whichever page it is: told by the tally, by the index, or by looking at as many items as
 * a page may, which all that a narrow condition leaves are. Its row is a count, where `exact` is 0 or 1.
 */
export function countStatement(plan: Plan, walk: Walk): PageStatement {
  const values = new Values();
  const range = itemRange(walk.collectionId, walk.search, values);
  const text = withRange(range, countSql(plan, { ...walk, range }, values));
  return { text, values: values.json };
}

function countSql(plan: Plan, walk: RangedWalk, values: Values): string {
  const { conditions } = walk.search;
  if (conditions.length === 0) {
    return `select live as count, 1 as exact from tally where collection_id = ${walk.collectionId}`;
  }
  const asked = conditions.filter((each) => !isCreatedRange(each));
  if (asked.length === 0) return countRange(walk);
  const planned = plan.walk === "none" || plan.walk === "value" ? plan.driver : null;
  if (planned && "by" in planned) return countItems(planned, walk, values);
  const few = plan.walk === "none" && (planned !== null || asked.length < conditions.length);
  if (few && conditions.length > 1) return countItems(planned, walk, values);
  const told = asked.map(onlyDriver);
  if (told.every((driver) => driver !== undefined) && countable(told)) {
    return countEntries(told, planned, walk, values);
  }
  const drivers = findDrivers(walk.search);
  return countItems(planned ?? drivers.find(isValue) ?? drivers[0] ?? null, walk, values);
}

/** All items of the range, without looking at them. */
function countRange({ range, budget }: RangedWalk): string {
  return `select min(count(*), ${budget}) as count, count(*) <= ${budget} as exact
    from (select 1 from (select number as item from item) c where ${inRange(range)} limit ${budget + 1})`;
}

/** Whether the index tells of each entry of one what the others say: of values it does at once, of ranges it does not. */
function countable(drivers: readonly EntryDriver[]): boolean {
  return drivers.filter(({ range }) => !("at" in range)).length <= 1;
}

/** No item is read: the entries of one driver are counted, where the others have the same item. */
function countEntries(
  drivers: readonly EntryDriver[],
  planned: EntryDriver | null,
  { range, budget }: RangedWalk,
  values: Values,
): string {
  const wide = drivers.find((each) => !("at" in each.range));
  const same = drivers.find(({ field }) => field.number === planned?.field.number);
  const driver = wide ?? same ?? drivers[0];
  if (!driver) throw new Error("There is nothing to count by.");
  const probes = drivers.filter((each) => each !== driver).map((each) => probeSql(each, values));
  const most = candidatesWithin(budget, 1 + probes.length);
  // Of one value the range is a part of its entries; of several it says which of them count.
  const within = isValue(driver) ? ` and ${inRange(range)}` : "";
  const entries = `select c.item from search_entry c where ${driverSql(driver, values)}${within} limit ${most + 1}`;
  const matches = [inRange(range), ...probes].join(" and ");
  return `select min(count(distinct c.item) filter (where ${matches}), ${most}) as count, count(*) <= ${most} as exact
    from (${entries}) c`;
}

/** The items of the driver, or all of the range, newest first, as many as a page may look at. */
function countItems(driver: Driver | null, walk: RangedWalk, values: Values): string {
  const { search, budget } = walk;
  const inOrder = driver === null || "by" in driver || isValue(driver);
  const newestFirst = inOrder ? " order by c.item desc" : "";
  const candidates = `select c.item from ${candidatesSql(driver, walk, values)}${newestFirst}`;
  const most = candidatesWithin(budget, perCandidate([], search.conditions));
  return `with ${sizeSql(walk, most, 0, countWithin(walk, candidates, most))}
    select count(distinct i.number) filter (where ${conditionsSql(walk, values)}) as count,
      count(*) < max(1, (select size from n)) as exact
    from (${candidates} limit (select size from n)) c cross join item i on ${ownItem(walk)}`;
}
