import type { Condition, Search, ShownBy } from "#domain/search/tree.ts";
import { itemCost, maxCostPerByte, type ItemCost } from "#domain/search/item-cost.ts";
import { allSql } from "./conditions.ts";
import { boundedSql, costBoundSql, itemCostSql, wholeMeasure, type Measure } from "./cost.ts";
import { hiddenBytesSql, shownMeasure } from "./parts.ts";
import type { SearchValues } from "./search-values.ts";
import { mayBeTooLarge, viewCostSql, withinViewSql } from "./view-bound.ts";

/** SQL for the matches that the caller sees, and for the amounts of them that have limits. */

/** Returns the conditions of a search without those of the view. */
export const ownConditions = ({ conditions }: Search, shownBy: ShownBy): Condition[] =>
  conditions.filter((condition) => !shownBy.conditions.includes(condition));

/**
 * SQL for the conditions of a search. An item that the caller does not see never reaches them, so it cannot be too
 * heavy for them. `tooLarge` is SQL for the numbers of items that the statement found too large for the view.
 */
export function conditionsSql(
  { search }: { search: Search },
  values: SearchValues,
  tooLarge: string | null = null,
): string {
  const { conditions, shownBy } = search;
  if (!shownBy) return boundedSql(conditions, allSql(conditions, values));
  const own = ownConditions(search, shownBy);
  const ownSql = allSql(own, values);
  const bounded = boundedSql(own, ownSql, shownMeasure(shownBy, values));
  if (bounded === ownSql)
    return withinViewSql(shownBy, values, allSql(conditions, values), { tooLarge });
  return shownBy.conditions.length === 0
    ? bounded
    : `iif(${seesItemSql(shownBy, values, tooLarge)}, ${bounded}, 0)`;
}

/** SQL for whether a narrow caller sees an item `i`. */
export const seesItemSql = (
  shownBy: ShownBy,
  values: SearchValues,
  tooLarge: string | null = null,
): string => withinViewSql(shownBy, values, allSql(shownBy.conditions, values), { tooLarge });

/** SQL that is positive if a narrow caller sees an item `i`, and negative if the item is too large for the view. */
export const judgedSql = (shownBy: ShownBy, values: SearchValues): string =>
  withinViewSql(shownBy, values, allSql(shownBy.conditions, values), { otherwise: -1 });

/** SQL for an upper bound of the cost of `seesItemSql`. Does not read the record's data. */
export const recordCostSql = (
  { conditions }: ShownBy,
  bytes: string = wholeMeasure.bytes,
): string =>
  conditions.length === 0 ? "0" : costBoundSql(itemCost(conditions), { ...wholeMeasure, bytes });

/**
 * An amount of each candidate in two parts with separate limits. `shown` counts the parts of items that the caller
 * sees. `hidden` counts all other parts and items. With a single limit, a narrow caller could almost exhaust it with
 * its own items, and measure the size of the others. A caller that sees everything has only the part `shown`.
 */
interface PartsSql {
  isNarrow: boolean;
  listsTooLarge: boolean;
  /**
   * Builds a table of the items `i` in `from` with their parts, and with the columns `names` of the candidates `c`. For
   * a narrow caller, it has `seen` (`judgedSql`). It evaluates the view once for each row that a query reads.
   */
  table: (names: readonly string[], from: string) => string;
}

/** The amount `sql` for a caller that sees everything. */
const wholePartSql = (sql: string): PartsSql => ({
  isNarrow: false,
  listsTooLarge: false,
  table: (names, from) =>
    `(select ${[...names.map((name) => `c.${name}`), `${sql} as shown`].join(", ")} from ${from})`,
});

/** `others` is the amount for an item that a narrow caller does not see. */
export const narrowPartsSql = (
  shownBy: ShownBy,
  values: SearchValues,
  { shown, rest, others }: { shown: string; rest: string; others: string },
): PartsSql => ({
  isNarrow: true,
  listsTooLarge: mayBeTooLarge(shownBy),
  table(names, from) {
    const judged = `${judgedSql(shownBy, values)} as seen`;
    const items = [...names.map((name) => `c.${name}`), "i.data", judged].join(", ");
    const parts = [
      ...names,
      "seen",
      `iif(seen > 0, ${shown}, 0) as shown`,
      `iif(seen > 0, ${rest}, ${others}) as hidden`,
    ].join(", ");
    return computedOnceSql(
      `select ${parts} from ${computedOnceSql(`select ${items} from ${from}`)} i`,
    );
  },
});

/**
 * SQL for a table whose rows have columns that are expensive to compute. SQLite cannot merge it with the outer query,
 * which would compute the columns once for each use. It still computes a row only when the outer query reads that row.
 */
export const computedOnceSql = (select: string): string =>
  `(select * from (${select} limit -1) limit -1)`;

const upToRow = "over (rows unbounded preceding)";
export const sumUpTo = (sql: string) => `sum(${sql}) ${upToRow}`;
export const sumBefore = (sql: string) => `${sumUpTo(sql)} - ${sql}`;

/**
 * SQL for a table of the items in `from`, in their order, with the columns `names`, their `place` from 1, and the larger
 * total of the two parts: `before` an item and `up_to` it. `too_large` lists the items up to this one that are too large
 * for the view. A query that ends at a row evaluates the view for one more item, not for the items that follow.
 */
export function runningSql(
  { listsTooLarge, isNarrow, table }: PartsSql,
  { names = [], from }: { names?: readonly string[]; from: string },
): string {
  const larger = (sum: (sql: string) => string) =>
    isNarrow ? `max(${sum("shown")}, ${sum("hidden")})` : sum("shown");
  const tooLarge = listsTooLarge
    ? `json_group_array(item) filter (where seen < 0) ${upToRow}`
    : "null";
  return `(select *, row_number() ${upToRow} as place, ${larger(sumBefore)} as before,
      ${larger(sumUpTo)} as up_to, ${tooLarge} as too_large
      from ${table(["item", ...names], from)})`;
}

/**
 * SQL for `result` at the first row that meets a condition, or for `otherwise`. Adds no expression around the row's
 * table, because the conditions of a view may be as deep as D1 accepts.
 */
export const atFirstSql = (result: string, table: string, condition: string, otherwise: string) =>
  `select ${result} from ${table} where ${condition} union all select ${otherwise} limit 1`;

/**
 * SQL for a condition on rows of `runningSql` that ends a query. If the rows list items, it includes the last row, which
 * lists all of them.
 */
export const endSql = ({ shownBy }: Pick<Search, "shownBy">, condition: string, table: string) =>
  mayBeTooLarge(shownBy) ? `(${condition} or place = (select count(*) from ${table}))` : condition;

/** SQL for whether the items in `from` together do not exceed a limit. */
export const fitsSql = (
  parts: PartsSql,
  candidates: { names?: readonly string[]; from: string },
  limit: number,
): string => atFirstSql("0", runningSql(parts, candidates), `up_to > ${limit}`, "1");

/** An item `i` with the result of `judgedSql`. */
export const judgedItem = { seen: "seen", bytes: wholeMeasure.bytes };

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
  return narrowPartsSql(shownBy, values, {
    shown: costSql(cost, shownMeasure(shownBy, values)),
    rest: `${hiddenBytesSql(shownBy, values)} * ${maxCostPerByte(viewCost)}`,
    others: viewCostSql(shownBy, itemCostSql(viewCost), judgedItem),
  });
}
