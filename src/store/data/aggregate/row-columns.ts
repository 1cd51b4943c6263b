import { isSum, type GroupKey, type Metric } from "#domain/aggregate/aggregate.ts";
import type { SearchField } from "#domain/search/tree.ts";
import { listSql, valueSql } from "#store/data/search/conditions.ts";
import type { AggregatePlan } from "./plan.ts";
import { localDaySql, modelInstantSql, offsetChanges, periodSql } from "./periods.ts";
import { exactAtScaleSql, exactSql, scaleOfDecimals, valueScaleSql } from "./sums.ts";

/** A column, and the SQL for it. */
export interface Column {
  name: string;
  sql: string;
}

export const selectList = (columns: readonly Column[]): string =>
  columns.map(({ name, sql }) => `${sql} as ${name}`).join(", ");

/** The key of items without a value. SQLite sorts blobs after all other values. */
export const emptyKey = "x''";

/** A column with a value that metrics read. */
export interface ValueColumn extends Column {
  index: number;
  field: SearchField;
  isSummed: boolean;
}

/**
 * The columns of the rows that a statement reads, in levels: each reads those before it. A name ends in the index of its
 * group key or value.
 *
 * - `storedColumns`: `stored0` of a group key, `value0` of metrics, `is_first` for the row of an item that metrics use
 * - `helperColumns`, only with full coverage: `model0`, an instant with the same offset, and `scale0` of a value
 * - `exactColumns`: `day0`, the calendar day of an instant, and `exact0`, the value if SQL can sum it exactly or else null
 * - `keyColumns`: `key0`, the key of the group, or `emptyKey`
 *
 * The tables `list0` and `counted0` have the entries of lists.
 */
export class RowColumns {
  readonly plan: AggregatePlan;
  /** Each item has a row for each combination of the entries of these lists. */
  readonly joins: readonly string[];
  readonly #values: ValueColumn[] = [];
  readonly #valueOfMetric: (ValueColumn | undefined)[];
  /**
   * The lists whose distinct entries are counted. In the row that the other metrics use, the value is null. That row
   * comes last.
   */
  readonly #countedLists: readonly SearchField[];

  constructor(plan: AggregatePlan) {
    this.plan = plan;
    const { groups, metrics } = plan.aggregate;
    const readsItems = plan.source.reads === "items";
    this.#countedLists = readsItems ? distinctFields(metrics.filter(countsList)) : [];
    this.#valueOfMetric = metrics.map((metric) => this.#addValue(metric));
    const groupJoins = groups.flatMap(({ field, grouping }, index) =>
      grouping === "list" ? [`left join json_each(${listSql(field)}) list${index}`] : [],
    );
    const countJoins = this.#countedLists.map(
      (field, index) =>
        `cross join json_each(json_insert(coalesce(${listSql(field)}, '[]'), '$[#]', null)) counted${index}`,
    );
    this.joins = readsItems ? [...groupJoins, ...countJoins] : [];
  }

  /** Returns the column of a metric's value. Metrics with the same value share a column. */
  #addValue(metric: Metric): ValueColumn | undefined {
    const sql = this.#valueSql(metric);
    if (sql === undefined || metric.field === null) return undefined;
    let value = this.#values.find((each) => each.sql === sql);
    if (!value) {
      const index = this.#values.length;
      value = { name: `value${index}`, sql, index, field: metric.field, isSummed: false };
      this.#values.push(value);
    }
    value.isSummed ||= isSum(metric);
    return value;
  }

  #valueSql(metric: Metric): string | undefined {
    const { field } = metric;
    if (this.plan.source.reads === "entries") return field ? "c.value" : undefined;
    if (countsList(metric))
      return `counted${this.#countedLists.findIndex(({ name }) => name === metric.field.name)}.value`;
    if (!field) return undefined;
    const isList = ["multi_select", "line_items", "files"].includes(field.kind);
    const sql = isList ? `iif(${listSql(field)} is null, null, 1)` : valueSql(field);
    const firstRow = this.#firstRowSql();
    return firstRow === "" ? sql : `iif(${firstRow}, ${sql}, null)`;
  }

  /**
   * SQL for whether metrics use the row. They use one row of each item in each of its groups. Empty if they use every
   * row.
   */
  #firstRowSql(): string {
    return this.#countedLists.map((_, index) => `counted${index}.value is null`).join(" and ");
  }

  storedColumns(): Column[] {
    const keys = this.plan.aggregate.groups.map((group, index) => ({
      name: `stored${index}`,
      sql: this.#storedKeySql(group, index),
    }));
    const firstRow = this.#firstRowSql();
    return [
      ...keys,
      ...this.#values,
      ...(firstRow === "" ? [] : [{ name: "is_first", sql: firstRow }]),
    ];
  }

  #storedKeySql(group: GroupKey, index: number): string {
    const { field, grouping } = group;
    const value = grouping === "list" ? `list${index}.value` : valueSql(field);
    const sql = this.plan.source.reads === "entries" ? "c.value" : value;
    if (grouping !== "datetime") return sql;
    const isMilliseconds = field.source.in === "system";
    if (!isZoned(group))
      return isMilliseconds ? `date(${sql} / 1000, 'unixepoch')` : `substr(${sql}, 1, 10)`;
    return isMilliseconds ? `strftime('%Y-%m-%dT%H:%M:%S', ${sql} / 1000, 'unixepoch')` : sql;
  }

  /** The columns that `exactColumns` reads several times. */
  helperColumns(): Column[] {
    const { aggregate, coverage } = this.plan;
    if (coverage !== "full") return [];
    return [
      ...aggregate.groups.flatMap((group, index) =>
        isZoned(group) ? [{ name: `model${index}`, sql: modelInstantSql(`stored${index}`) }] : [],
      ),
      ...this.summedValues().map(({ name, index }) => ({
        name: `scale${index}`,
        sql: valueScaleSql(name),
      })),
    ];
  }

  exactColumns(): Column[] {
    const { aggregate, coverage } = this.plan;
    const days = aggregate.groups.flatMap((group, index) => {
      if (!isZoned(group)) return [];
      const changes = offsetChanges(zoneOf(group) ?? "", coverage === "full");
      const instant = coverage === "full" ? `model${index}` : `stored${index}`;
      return [{ name: `day${index}`, sql: localDaySql(`stored${index}`, changes, instant) }];
    });
    if (!this.checksValues) return days;
    const values = this.summedValues().map(({ name, index, field }) => ({
      name: `exact${index}`,
      sql:
        coverage === "full"
          ? exactAtScaleSql(name, `scale${index}`)
          : exactSql(name, scaleOfDecimals(field.decimals)),
    }));
    return [...days, ...values];
  }

  /**
   * Whether `exact0` exists. Otherwise, the type of a sum shows whether all values are integers, and an index finds
   * entries with many decimals.
   */
  get checksValues(): boolean {
    const { source, coverage } = this.plan;
    return coverage === "full" || (coverage === "usual" && source.reads === "items");
  }

  keyColumns(): Column[] {
    const { source, aggregate } = this.plan;
    return aggregate.groups.map((group, index) => {
      const { period } = group;
      const day = isZoned(group) ? `day${index}` : `stored${index}`;
      const sql = period ? periodSql(day, period.unit) : `stored${index}`;
      // Index entries are never empty.
      return {
        name: `key${index}`,
        sql: source.reads === "entries" ? sql : `ifnull(${sql}, ${emptyKey})`,
      };
    });
  }

  keyNames(): string[] {
    return this.plan.aggregate.groups.map((_, index) => `key${index}`);
  }

  /** The groups whose calendar days depend on the offsets of a zone. */
  get zonedGroups(): GroupKey[] {
    return this.plan.aggregate.groups.filter(isZoned);
  }

  /** The values of sums and averages. */
  summedValues(): ValueColumn[] {
    return this.#values.filter(({ isSummed }) => isSummed);
  }

  /** Undefined for a metric that counts items. */
  valueOfMetric(index: number): ValueColumn | undefined {
    return this.#valueOfMetric[index];
  }

  /** Whether an item can have rows without `is_first`. */
  get hasFurtherRows(): boolean {
    return this.#countedLists.length > 0;
  }
}

const countsList = (metric: Metric): metric is Metric & { field: SearchField } =>
  metric.op === "count_distinct" && metric.field.kind === "multi_select";

const distinctFields = (metrics: readonly { field: SearchField }[]): SearchField[] => [
  ...new Map(metrics.map(({ field }) => [field.name, field])).values(),
];

const zoneOf = ({ period }: GroupKey): string | null => period?.zone ?? null;

/** Whether the calendar day of an instant depends on the offsets of a zone. */
export const isZoned = (group: GroupKey): boolean =>
  zoneOf(group) !== null && zoneOf(group) !== "UTC";
