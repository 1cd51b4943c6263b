import type { Search, ShownBy } from "#domain/search/tree.ts";
import { allSql } from "./conditions.ts";
import {
  boundedSql,
  costBoundSql,
  itemCost,
  itemCostSql,
  maxCostPerByte,
  type ItemCost,
  type Measure,
} from "./cost.ts";
import { hiddenBytesSql, hiddenMeasure, shownMeasure } from "./parts.ts";
import type { SearchValues } from "./search-values.ts";

/** SQL for the matches that the caller sees, and for the amounts of them that have limits. */

export const sumBefore = (sql: string) => `sum(${sql}) over (rows unbounded preceding) - ${sql}`;

/** The parts of an item whose costs are limited separately. */
const costParts = (shownBy: ShownBy) => [shownMeasure(shownBy), hiddenMeasure(shownBy)];

/**
 * SQL for the conditions of a search. An item that the caller does not see never reaches them, so it cannot be too
 * heavy for them.
 */
export function conditionsSql({ search }: { search: Search }, values: SearchValues): string {
  const { conditions, shownBy } = search;
  if (!shownBy) return boundedSql(conditions, allSql(conditions, values));
  const own = conditions.filter((condition) => !shownBy.conditions.includes(condition));
  const ownSql = allSql(own, values);
  const bounded = boundedSql(own, ownSql, [shownMeasure(shownBy)]);
  if (bounded !== ownSql) return ifShown(search, values, bounded);
  return boundedSql(shownBy.conditions, allSql(conditions, values), costParts(shownBy));
}

/** SQL that is `sql` for items that a narrow caller sees, and 0 for all others. */
export function ifShown(
  { shownBy }: Pick<Search, "shownBy">,
  values: SearchValues,
  sql: string,
): string {
  if (!shownBy || shownBy.conditions.length === 0) return sql;
  const { conditions } = shownBy;
  const isShown = boundedSql(conditions, allSql(conditions, values), costParts(shownBy));
  return `iif(${isShown}, ${sql}, 0)`;
}

/**
 * SQL for whether a narrow caller sees a record `i` that an item refers to. False if evaluating that costs too much.
 */
export function seesRecordSql(shownBy: ShownBy, values: SearchValues): string {
  const { conditions } = shownBy;
  return boundedSql(conditions, allSql(conditions, values), costParts(shownBy), "0");
}

/** SQL for an upper bound of the cost of `seesRecordSql`. Does not read the record's data. */
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
export const wholePartSql = (sql: string): PartsSql => ({
  columns: `${sql} as amount`,
  shown: "amount",
  hidden: null,
});

/** Evaluates the conditions of the view once. `others` is the amount for an item that a narrow caller does not see. */
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
 * SQL for a table with the columns `names` and the columns of the parts, for the items in `from`. SQLite must not merge
 * it with the outer query, which would evaluate the view again for each part.
 */
function partsTable({ columns, hidden }: PartsSql, names: readonly string[], from: string): string {
  const select = `select ${[...names, columns].join(", ")} from ${from}`;
  return hidden === null
    ? `(${select})`
    : `(with part as materialized (${select}) select * from part)`;
}

/** SQL after `select` for the larger total of the two parts over the items in `from`. */
export function totalSql(parts: PartsSql, from: string): string {
  const { shown, hidden } = parts;
  const total = hidden === null ? `total(${shown})` : `max(total(${shown}), total(${hidden}))`;
  return `${total} from ${partsTable(parts, [], from)}`;
}

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
    shown: costSql(cost, shownMeasure(shownBy)),
    rest: `${hiddenBytesSql(shownBy)} * ${maxCostPerByte(viewCost)}`,
    others: itemCostSql(viewCost),
  });
}

/**
 * SQL for the total cost of the candidates before each one, which ends a page early, and for the table with the columns
 * `names` over which it is computed. Without `costSql`, the candidates cost nothing.
 */
export function spentSql(
  { search }: { search: Search },
  values: SearchValues,
  costSql: CostSql | null,
  { names, from }: { names: readonly string[]; from: string },
): { spent: string; table: string } {
  const parts = costSql ? partCostsSql(search, values, costSql) : wholePartSql("0");
  const { shown, hidden } = parts;
  const spent =
    hidden === null ? sumBefore(shown) : `max(${sumBefore(shown)}, ${sumBefore(hidden)})`;
  return { spent, table: partsTable(parts, names, from) };
}
