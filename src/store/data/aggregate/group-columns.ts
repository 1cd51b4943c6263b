import { isSum, type Metric } from "#domain/aggregate/aggregate.ts";
import { isUnusualTimeSql } from "./periods.ts";
import { isZoned, type Column, type RowColumns, type ValueColumn } from "./row-columns.ts";
import {
  averageOrderSql,
  fullScale,
  scaleOfDecimals,
  sumAtScaleSql,
  sumOrderSql,
  sumSql,
  usualScale,
  type SumSql,
} from "./sums.ts";

/**
 * The columns of an exact sum, which is `whole` + `fraction` / `scale` over `count` values, and the columns of the
 * values in each row.
 */
export interface SumColumns extends SumSql {
  scale: number;
  count: string;
  value: string;
  /** The column with the values that SQL can sum exactly. It exists only if the rows have such a column. */
  exact: string;
}

/**
 * The columns of the groups, computed from the columns of the rows. A name ends in the index of its metric or value:
 * `metric0`, and `whole0`, `fraction0` and `count0` of a sum. Every group has `row_count` and `outlier_count`.
 */
export class GroupColumns {
  readonly #rows: RowColumns;

  constructor(rows: RowColumns) {
    this.#rows = rows;
  }

  figureColumns(): Column[] {
    const { metrics } = this.#rows.plan.aggregate;
    return [
      ...metrics.flatMap((metric, index) => {
        const sql = this.#metricSql(metric, index);
        return sql === undefined ? [] : [{ name: `metric${index}`, sql }];
      }),
      ...this.#rows.summedValues().flatMap((value) => this.#partsOfSum(value)),
      { name: "row_count", sql: "count(*)" },
      { name: "outlier_count", sql: this.#outlierCountSql() },
    ];
  }

  /** Undefined for sums and averages, which have columns of their own. */
  #metricSql(metric: Metric, index: number): string | undefined {
    if (metric.field === null) return this.#itemCountSql();
    const { name = "" } = this.#rows.valueOfMetric(index) ?? {};
    switch (metric.op) {
      case "count":
        return this.#countSql(name);
      case "count_distinct":
        return `count(distinct ${name})`;
      case "min":
      case "max":
        return `${metric.op}(${name})`;
      case "sum":
      case "avg":
        return undefined;
    }
  }

  #itemCountSql(): string {
    const { source, aggregate } = this.#rows.plan;
    const readsAllEntries = source.reads === "entries" && aggregate.search.conditions.length === 0;
    // Items without the field have no entries.
    if (readsAllEntries && aggregate.groups.length === 0) return "(select live from bound)";
    return this.#rows.hasFurtherRows ? "count(*) filter (where is_first)" : "count(*)";
  }

  /** Index entries are never empty. */
  #countSql(value: string): string {
    return this.#rows.plan.source.reads === "entries" ? "count(*)" : `count(${value})`;
  }

  #partsOfSum(value: ValueColumn): Column[] {
    const names = this.#sumColumns(value);
    const { whole, fraction } = this.#sumSql(value, names);
    return [
      { name: names.whole, sql: whole },
      { name: names.fraction, sql: fraction },
      { name: names.count, sql: this.#countSql(value.name) },
    ];
  }

  #sumSql({ name, index }: ValueColumn, { exact, scale }: SumColumns): SumSql {
    switch (this.#rows.plan.coverage) {
      case "integers":
        return { whole: `sum(${name})`, fraction: "0" };
      case "usual":
        return {
          whole: "0",
          fraction: sumSql(this.#rows.checksValues ? exact : name, scale),
        };
      case "full":
        return sumAtScaleSql(exact, `scale${index}`);
    }
  }

  #outlierCountSql(): string {
    const { aggregate, coverage } = this.#rows.plan;
    if (coverage === "full") return "0";
    const times = aggregate.groups.flatMap((group, index) =>
      isZoned(group) ? [`total(${isUnusualTimeSql(`stored${index}`)})`] : [],
    );
    const numbers = this.sums().flatMap(({ value, exact }) => {
      if (coverage === "integers") return [`(typeof(sum(${value})) = 'real')`];
      return this.#rows.checksValues ? [`count(${value}) - count(${exact})`] : [];
    });
    return [...times, ...numbers].join(" + ") || "0";
  }

  #sumColumns({ name, index, field }: ValueColumn): SumColumns {
    const { source, coverage } = this.#rows.plan;
    const usual = source.reads === "entries" ? usualScale : scaleOfDecimals(field.decimals);
    return {
      whole: `whole${index}`,
      fraction: `fraction${index}`,
      scale: { integers: 1, usual, full: fullScale }[coverage],
      count: `count${index}`,
      value: name,
      exact: `exact${index}`,
    };
  }

  /** Returns the columns of all sums, ordered by the index of their values. */
  sums(): SumColumns[] {
    return this.#rows.summedValues().map((value) => this.#sumColumns(value));
  }

  /** Returns the columns of the sum that a metric needs. Undefined if the metric is neither a sum nor an average. */
  sumOfMetric(index: number): SumColumns | undefined {
    const metric = this.#rows.plan.aggregate.metrics[index];
    const value = this.#rows.valueOfMetric(index);
    return value && metric && isSum(metric) ? this.#sumColumns(value) : undefined;
  }

  /** SQL for the order of the groups. */
  orderSql(): string {
    const { order, metrics } = this.#rows.plan.aggregate;
    const byMetric = order.flatMap(({ metric: index, direction }) => {
      const sum = this.sumOfMetric(index);
      if (!sum) return [`metric${index} is null`, `metric${index} ${direction}`];
      const keys = metrics[index]?.op === "avg" ? averageOrderSql(sum) : sumOrderSql(sum);
      return [`${sum.count} = 0`, ...keys.map((key) => `${key} ${direction}`)];
    });
    return [...byMetric, this.keyOrderSql()].join(", ");
  }

  keyOrderSql(): string {
    return this.#rows.keyNames().join(", ");
  }
}
