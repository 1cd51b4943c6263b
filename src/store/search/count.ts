import { numbersOf } from "../../domain/item/item";
import { Values } from "./value-sql";
import { candidatesWithin, perCandidate } from "./cost";
import { driverSql, findDrivers, isValue, onlyDriver, probeSql, type Driver } from "./driver";
import type { PageStatement } from "./page-statement";
import type { Plan } from "./plan";
import { conditionsSql, countWithin, ownItem, sizeSql, type Walk } from "./walk";

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
  const text = countSql(plan, walk, values);
  return { text, values: values.json };
}

function countSql(plan: Plan, walk: Walk, values: Values): string {
  const { conditions } = walk.search;
  if (conditions.length === 0) {
    return `select live as count, 1 as exact from tally where collection_id = ${walk.collectionId}`;
  }
  const planned = plan.walk === "none" || plan.walk === "value" ? plan.driver : null;
  const few = plan.walk === "none" && plan.driver !== null && conditions.length > 1;
  const told = few ? [undefined] : conditions.map(onlyDriver);
  return told.every((driver) => driver !== undefined) && countable(told)
    ? countEntries(told, planned, walk, values)
    : countItems(planned, walk, values);
}

/** Whether the index tells of each entry of one what the others say: of values it does at once, of ranges it does not. */
function countable(drivers: readonly Driver[]): boolean {
  return drivers.filter(({ range }) => !("at" in range)).length <= 1;
}

/** No item is read: the entries of one driver are counted, where the others have the same item. */
function countEntries(
  drivers: readonly Driver[],
  planned: Driver | null,
  { budget }: Walk,
  values: Values,
): string {
  const wide = drivers.find(({ range }) => !("at" in range));
  const same = drivers.find(({ field }) => field.number === planned?.field.number);
  const driver = wide ?? same ?? drivers[0];
  if (!driver) throw new Error("There is nothing to count by.");
  const probes = drivers.filter((each) => each !== driver).map((each) => probeSql(each, values));
  const most = candidatesWithin(budget, 1 + probes.length);
  const entries = `select c.item from search_entry c where ${driverSql(driver, values)} limit ${most + 1}`;
  const matches = probes.length > 0 ? ` filter (where ${probes.join(" and ")})` : "";
  return `select min(count(distinct c.item)${matches}, ${most}) as count, count(*) <= ${most} as exact
    from (${entries}) c`;
}

/** The items of the driver, or all of them, newest first, as many as a page may look at. */
function countItems(planned: Driver | null, walk: Walk, values: Values): string {
  const { search, collectionId, budget } = walk;
  const drivers = findDrivers(search);
  const driver = planned ?? drivers.find(isValue) ?? drivers[0] ?? null;
  const { above, below } = numbersOf(collectionId);
  const newestFirst = driver && isValue(driver) ? " order by c.item desc" : "";
  const candidates = driver
    ? `select c.item from search_entry c where ${driverSql(driver, values)}${newestFirst}`
    : `select number as item from item where number > ${above} and number < ${below} order by number desc`;
  const most = candidatesWithin(budget, perCandidate([], search.conditions));
  return `with ${sizeSql(walk, most, 0, countWithin(walk, candidates, most))}
    select count(distinct i.number) filter (where ${conditionsSql(walk, values)}) as count,
      count(*) < max(1, (select size from n)) as exact
    from (${candidates} limit (select size from n)) c cross join item i on ${ownItem(walk)}`;
}
