import type { Condition, Search, ShownBy } from "#domain/search/tree.ts";
import { itemCost, maxCostPerByte, type ItemCost } from "#domain/search/item-cost.ts";
import { allSql } from "./conditions.ts";
import { boundedSql, costBoundSql, itemCostSql, type Measure } from "./cost.ts";
import { hiddenBytesSql, shownMeasure } from "./parts.ts";
import type { SearchValues } from "./search-values.ts";
import { viewCostSql, withinViewSql } from "./view-bound.ts";

/** SQL for the matches that the caller sees, and for the amounts of them that have limits. */

/** Returns the conditions of a search without those of the view. */
export const ownConditions = ({ conditions }: Search, shownBy: ShownBy): Condition[] =>
  conditions.filter((condition) => !shownBy.conditions.includes(condition));

/**
 * SQL for the conditions of a search. An item that the caller does not see never reaches them, so it cannot be too
 * heavy for them.
 */
export function conditionsSql({ search }: { search: Search }, values: SearchValues): string {
  const { conditions, shownBy } = search;
  if (!shownBy) return boundedSql(conditions, allSql(conditions, values));
  const own = ownConditions(search, shownBy);
  const ownSql = allSql(own, values);
  const bounded = boundedSql(own, ownSql, shownMeasure(shownBy, values));
  if (bounded !== ownSql) return ifShown(search, values, bounded);
  return withinViewSql(shownBy, values, allSql(conditions, values));
}

/** SQL that is `sql` for items that a narrow caller sees, and 0 for all others. */
export function ifShown(
  { shownBy }: Pick<Search, "shownBy">,
  values: SearchValues,
  sql: string,
): string {
  if (!shownBy || shownBy.conditions.length === 0) return sql;
  return `iif(${seesItemSql(shownBy, values)}, ${sql}, 0)`;
}

/** SQL for whether a narrow caller sees an item `i`. */
export const seesItemSql = (shownBy: ShownBy, values: SearchValues): string =>
  withinViewSql(shownBy, values, allSql(shownBy.conditions, values));

/** SQL for an upper bound of the cost of `seesItemSql`. Does not read the record's data. */
export const recordCostSql = ({ conditions }: ShownBy): string =>
  conditions.length === 0 ? "0" : costBoundSql(itemCost(conditions));

/**
 * An amount of each candidate in two parts with separate limits. `shown` counts the parts of items that the caller
 * sees. `hidden` counts all other parts and items. With a single limit, a narrow caller could almost exhaust it with
 * its own items, and measure the size of the others. A caller that sees everything has only the part `shown`.
 */
interface PartsSql {
  /** The columns of a subquery over items `i` from which the parts are computed. */
  columns: string;
  shown: string;
  hidden: string | null;
}

/** The amount `sql` for a caller that sees everything. */
const wholePartSql = (sql: string): PartsSql => ({
  columns: `${sql} as amount`,
  shown: "amount",
  hidden: null,
});

/** `others` is the amount for an item that a narrow caller does not see. */
export const narrowPartsSql = (
  search: Pick<Search, "shownBy">,
  values: SearchValues,
  { shown, rest, others }: { shown: string; rest: string; others: string },
): PartsSql => ({
  columns: `${ifShown(search, values, "1")} as is_shown, ${shown} as shown_part, ${rest} as rest_part, ${others} as other_part`,
  shown: "iif(is_shown, shown_part, 0)",
  hidden: "iif(is_shown, rest_part, other_part)",
});

/**
 * SQL for a table whose rows have columns that are expensive to compute. SQLite cannot merge it with the outer query,
 * which would compute the columns once for each use. It still computes a row only when the outer query reads that row.
 */
export const computedOnceSql = (select: string): string =>
  `(select * from (${select} limit -1) limit -1)`;

export const sumUpTo = (sql: string) => `sum(${sql}) over (rows unbounded preceding)`;
export const sumBefore = (sql: string) => `${sumUpTo(sql)} - ${sql}`;

/**
 * SQL for a table of the items in `from`, in their order, with the columns `names`, their `place` from 1, and the larger
 * total of the two parts: `before` an item and `up_to` it. A query that ends at the first row beyond a limit evaluates
 * the view for that item and one more, not for the items that follow.
 */
export function runningSql(
  parts: PartsSql,
  { names = [], from }: { names?: readonly string[]; from: string },
): string {
  const { columns, shown, hidden } = parts;
  const select = `select ${[...names, columns].join(", ")} from ${from}`;
  const larger = (sum: (sql: string) => string) =>
    hidden === null ? sum(shown) : `max(${sum(shown)}, ${sum(hidden)})`;
  return `(select *, row_number() over (rows unbounded preceding) as place,
      ${larger(sumBefore)} as before, ${larger(sumUpTo)} as up_to
      from ${hidden === null ? `(${select})` : computedOnceSql(select)})`;
}

/**
 * SQL for `result` at the first row that meets a condition, or for `otherwise`. Adds no expression around the row's
 * table, because the conditions of a view may be as deep as D1 accepts.
 */
export const atFirstSql = (result: string, table: string, condition: string, otherwise: string) =>
  `select ${result} from ${table} where ${condition} union all select ${otherwise} limit 1`;

/** SQL for whether the items in `from` together do not exceed a limit. */
export const fitsSql = (parts: PartsSql, from: string, limit: number): string =>
  atFirstSql("0", runningSql(parts, { from }), `up_to > ${limit}`, "1");

type CostSql = (cost: ItemCost, measure?: Measure) => string;

/** SQL for the parts of the cost of a candidate. */
export function partCostsSql(
  { conditions, shownBy }: Pick<Search, "conditions" | "shownBy">,
  values: SearchValues,
  costSql: CostSql,
): PartsSql {
  const cost = itemCost(conditions);
  if (!shownBy) return wholePartSql(costSql(cost));
  const viewCost = itemCost(shownBy.conditions);
  return narrowPartsSql({ shownBy }, values, {
    shown: costSql(cost, shownMeasure(shownBy, values)),
    rest: `${hiddenBytesSql(shownBy, values)} * ${maxCostPerByte(viewCost)}`,
    others: viewCostSql(shownBy, values, itemCostSql(viewCost)),
  });
}
