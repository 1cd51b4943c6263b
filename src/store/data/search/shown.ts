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

/** SQL for the items that the caller sees and that match, and for amounts of them that have limits. */

export const sumBefore = (sql: string) => `sum(${sql}) over (rows unbounded preceding) - ${sql}`;

/** The parts of an item that limits of its cost count separately. */
const costParts = (shownBy: ShownBy) => [shownMeasure(shownBy), hiddenMeasure(shownBy)];

/** An item that the caller does not see is not too heavy for its conditions, because it does not reach them. */
export function conditionsSql({ search }: { search: Search }, values: SearchValues): string {
  const { conditions, shownBy } = search;
  if (!shownBy) return boundedSql(conditions, allSql(conditions, values));
  const own = conditions.filter((condition) => !shownBy.conditions.includes(condition));
  const ownSql = allSql(own, values);
  const bounded = boundedSql(own, ownSql, [shownMeasure(shownBy)]);
  if (bounded !== ownSql) return ifShown(search, values, bounded);
  return boundedSql(shownBy.conditions, allSql(conditions, values), costParts(shownBy));
}

/** The SQL for items that a narrow caller sees, and 0 for those that it does not see. */
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

/** SQL for whether a narrow caller sees a record `i` to which an item refers. It does not see one that costs too much. */
export function seesRecordSql(shownBy: ShownBy, values: SearchValues): string {
  const { conditions } = shownBy;
  return boundedSql(conditions, allSql(conditions, values), costParts(shownBy), "0");
}

/** SQL for a bound of what `seesRecordSql` costs. It does not read the record's data. */
export const recordCostSql = ({ conditions }: ShownBy): string =>
  conditions.length === 0 ? "0" : costBoundSql(itemCost(conditions));

/**
 * An amount of each candidate in two parts, which have separate limits: `shown` is that of what the caller sees, `hidden` that
 * of the rest of its items and of other items. Otherwise, a narrow caller could use a limit up with its own items, and see how
 * much others take. A caller that sees everything has the part `shown` alone.
 */
interface PartsSql {
  /** The columns of a subquery over items `i`, from which the parts are computed. */
  columns: string;
  shown: string;
  hidden: string | null;
}

/** The amount `sql`, for a caller that sees everything. */
export const wholePartSql = (sql: string): PartsSql => ({
  columns: `${sql} as amount`,
  shown: "amount",
  hidden: null,
});

/** Evaluates the conditions of the view once. `others` is the amount of an item that a narrow caller does not see. */
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
 * A table of the columns `names` and those of the parts, for the items in `from`. SQLite must not merge it with the query
 * around it, which would evaluate the view again for each part.
 */
function partsTable({ columns, hidden }: PartsSql, names: readonly string[], from: string): string {
  const select = `select ${[...names, columns].join(", ")} from ${from}`;
  return hidden === null
    ? `(${select})`
    : `(with part as materialized (${select}) select * from part)`;
}

/** SQL after `select` for the total of the larger part over the items in `from`. */
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
 * SQL for what the candidates before each one cost, which ends a page early, and for the table with the columns `names` over
 * which it is computed. Without `costSql`, they cost nothing.
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
