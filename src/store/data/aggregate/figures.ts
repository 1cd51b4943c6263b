import { isSum, type Aggregate, type GroupKey, type Metric } from "#domain/aggregate/aggregate.ts";
import type { SearchField } from "#domain/search/tree.ts";
import { listSql, valueSql } from "#store/data/search/conditions.ts";
import { changesOf, isUnusualSql, localDaySql, modelInstantSql, periodSql } from "./periods.ts";
import {
  averageOrderSql,
  fittingOwnSql,
  fittingSql,
  ownScaleSql,
  scaleOf,
  sumOrderSql,
  sumOwnSql,
  sumSql,
  generalScale,
  usualScale,
} from "./sums.ts";

/** How a statement computes the figures of an aggregate. */
export interface FigurePlan {
  aggregate: Aggregate;
  /** The values come from documents, or from the index entries of the only field. */
  source: "items" | "entries";
  /** Whether the statement handles all years, and numbers of any size. Otherwise it is faster, and detects values that it cannot handle. */
  isGeneral: boolean;
}

/** A column, and the SQL for it. */
export interface Column {
  name: string;
  sql: string;
}

export const selectList = (columns: readonly Column[]): string =>
  columns.map(({ name, sql }) => `${sql} as ${name}`).join(", ");

/** A column of the groups. */
export interface Figure extends Column {
  /** Its value in the group of the items without the field, when index entries are read. */
  missing: string;
}

/** The values of metrics, each read once. */
interface ValueColumn extends Column {
  field: SearchField;
  isSummed: boolean;
}

export class Figures {
  readonly plan: FigurePlan;
  /** Each item has a row for each combination of the entries of these lists. */
  readonly joins: readonly string[];
  readonly #values: ValueColumn[] = [];
  readonly #valueOfMetric: (string | undefined)[];
  /** The lists whose distinct entries are counted. The last entry is null, in the row that other metrics use. */
  readonly #countedLists: readonly SearchField[];

  constructor(plan: FigurePlan) {
    this.plan = plan;
    const { groups, metrics } = plan.aggregate;
    const isOfItems = plan.source === "items";
    this.#countedLists = isOfItems ? distinctFields(metrics.filter(countsList)) : [];
    this.#valueOfMetric = metrics.map((metric) => this.#addValue(metric));
    const groupJoins = groups.flatMap(({ field, grouping }, index) =>
      grouping === "list" ? [`left join json_each(${listSql(field)}) l${index}`] : [],
    );
    const countJoins = this.#countedLists.map(
      (field, index) =>
        `cross join json_each(json_insert(coalesce(${listSql(field)}, '[]'), '$[#]', null)) d${index}`,
    );
    this.joins = isOfItems ? [...groupJoins, ...countJoins] : [];
  }

  #addValue(metric: Metric): string | undefined {
    const sql = this.#valueSql(metric);
    if (sql === undefined || metric.field === null) return undefined;
    let value = this.#values.find((each) => each.sql === sql);
    if (!value) {
      value = { name: `v${this.#values.length}`, sql, field: metric.field, isSummed: false };
      this.#values.push(value);
    }
    value.isSummed ||= isSum(metric);
    return value.name;
  }

  #valueSql(metric: Metric): string | undefined {
    const { field } = metric;
    if (this.plan.source === "entries") return field ? "c.value" : undefined;
    if (countsList(metric))
      return `d${this.#countedLists.findIndex(({ name }) => name === metric.field.name)}.value`;
    const isFirstRow = this.#countedLists.map((_, index) => `d${index}.value is null`);
    if (!field) return undefined;
    const isList = ["multi_select", "line_items", "files"].includes(field.kind);
    const sql = isList ? `iif(${listSql(field)} is null, null, 1)` : valueSql(field);
    return isFirstRow.length > 0 ? `iif(${isFirstRow.join(" and ")}, ${sql}, null)` : sql;
  }

  /** The columns as they are stored. */
  stored(): Column[] {
    const { aggregate, source } = this.plan;
    const groups = aggregate.groups.map((group, index) => {
      const { field, grouping } = group;
      const list = grouping === "list" ? `l${index}.value` : valueSql(field);
      const sql = source === "entries" ? "c.value" : list;
      if (grouping !== "datetime") return { name: `r${index}`, sql };
      const isMilliseconds = field.source.in === "system";
      if (!isZoned(group)) {
        const day = isMilliseconds ? `date(${sql} / 1000, 'unixepoch')` : `substr(${sql}, 1, 10)`;
        return { name: `r${index}`, sql: day };
      }
      const time = `strftime('%Y-%m-%dT%H:%M:%S', ${sql} / 1000, 'unixepoch')`;
      return { name: `r${index}`, sql: isMilliseconds ? time : sql };
    });
    const first = this.#countedLists.map((_, index) => `d${index}.value is null`);
    return [
      ...groups,
      ...this.#values,
      ...(first.length > 0 ? [{ name: "is_first", sql: first.join(" and ") }] : []),
    ];
  }

  /** What the next columns use more than once, for general statements. */
  prepared(): Column[] {
    if (!this.plan.isGeneral) return [];
    const { groups } = this.plan.aggregate;
    return [
      ...groups.flatMap((group, index) =>
        isZoned(group) ? [{ name: `z${index}`, sql: modelInstantSql(`r${index}`) }] : [],
      ),
      ...this.#summed().map(({ name }) => ({ name: `p${name}`, sql: ownScaleSql(name) })),
    ];
  }

  /** Calendar days in their zones, and the numbers that SQL can sum exactly. */
  derived(): Column[] {
    const { aggregate, isGeneral, source } = this.plan;
    const days = aggregate.groups.flatMap((group, index) => {
      if (!isZoned(group)) return [];
      const changes = changesOf(zoneOf(group) ?? "", isGeneral);
      const instant = isGeneral ? `z${index}` : `r${index}`;
      return [{ name: `day${index}`, sql: localDaySql(`r${index}`, changes, instant) }];
    });
    if (source === "entries" && !isGeneral) return days;
    const fitting = this.#summed().map(({ name, field }) => ({
      name: `x${name}`,
      sql: isGeneral ? fittingOwnSql(name, `p${name}`) : fittingSql(name, scaleOf(field.decimals)),
    }));
    return [...days, ...fitting];
  }

  /** The keys of the groups. */
  keys(): Column[] {
    return this.plan.aggregate.groups.map((group, index) => {
      const { period } = group;
      const day = isZoned(group) ? `day${index}` : `r${index}`;
      return { name: `g${index}`, sql: period ? periodSql(day, period.unit) : `r${index}` };
    });
  }

  figures(countsRows: boolean): Figure[] {
    const { aggregate, source, isGeneral } = this.plan;
    const unusual = aggregate.groups.flatMap((group, index) =>
      isZoned(group) && !isGeneral ? [isUnusualSql(`r${index}`)] : [],
    );
    const rowCount =
      this.#countedLists.length > 0 ? "count(*) filter (where is_first)" : "count(*)";
    const isLive = source === "entries" && !countsRows;
    return [
      ...aggregate.metrics.flatMap((metric, index) =>
        this.#metricFigures(metric, index, isLive ? "(select live from t)" : rowCount),
      ),
      ...this.#summed().flatMap((value) => this.#sumFigures(value)),
      { name: "row_count", sql: "count(*)", missing: "0" },
      {
        name: "unusual",
        sql: unusual.length > 0 ? `total(${unusual.join(" or ")})` : "0",
        missing: "0",
      },
    ];
  }

  #metricFigures(metric: Metric, index: number, rowCount: string): Figure[] {
    const value = this.#valueOfMetric[index] ?? "";
    const name = `m${index}`;
    if (metric.field === null) return [{ name, sql: rowCount, missing: "missing" }];
    switch (metric.op) {
      case "count":
        return [{ name, sql: this.#countSql(value), missing: "0" }];
      case "count_distinct":
        return [{ name, sql: `count(distinct ${value})`, missing: "0" }];
      case "min":
      case "max":
        return [{ name, sql: `${metric.op}(${value})`, missing: "null" }];
      case "sum":
      case "avg":
        return [];
    }
  }

  /** The parts of an exact sum, the number of its values, and of those that do not fit. */
  #sumFigures({ name, field }: ValueColumn): Figure[] {
    const { source, isGeneral } = this.plan;
    // The partial index of entries with many decimals replaces the check of each value.
    const areChecked = source === "entries" && !isGeneral;
    const fitting = areChecked ? name : `x${name}`;
    const { whole, fraction } = isGeneral
      ? sumOwnSql(fitting, `p${name}`)
      : sumSql(fitting, this.#scaleOf(field));
    const unscaled = areChecked ? "0" : `count(${name}) - count(${fitting})`;
    return [
      { name: `whole_${name}`, sql: whole, missing: "null" },
      { name: `fraction_${name}`, sql: fraction, missing: "null" },
      { name: `count_${name}`, sql: this.#countSql(name), missing: "0" },
      { name: `unscaled_${name}`, sql: unscaled, missing: "0" },
    ];
  }

  /** Index entries are never empty. */
  #countSql(value: string): string {
    return this.plan.source === "entries" ? "count(*)" : `count(${value})`;
  }

  #summed(): ValueColumn[] {
    return this.#values.filter(({ isSummed }) => isSummed);
  }

  /** The columns of sums, with the scale of their fractions. */
  sums(): { name: string; scale: number; field: SearchField }[] {
    return this.#summed().map(({ name, field }) => ({
      name,
      field,
      scale: this.#scaleOf(field),
    }));
  }

  #scaleOf({ decimals }: SearchField): number {
    const { source, isGeneral } = this.plan;
    if (isGeneral) return generalScale;
    return source === "entries" ? usualScale : scaleOf(decimals);
  }

  /** The name of the column with the values of a sum or an average. */
  sumOf(metric: number): string {
    return this.#valueOfMetric[metric] ?? "";
  }

  /** SQL for the order of the groups. */
  order(): string {
    const { order, metrics, groups } = this.plan.aggregate;
    const byMetric = order.flatMap(({ metric: index, direction }) => {
      const metric = metrics[index];
      const name = this.sumOf(index);
      const { scale = 1 } = this.sums().find((sum) => sum.name === name) ?? {};
      const parts = [`whole_${name}`, `fraction_${name}`] as const;
      switch (metric?.op) {
        case "sum":
          return [
            `count_${name} = 0`,
            ...sumOrderSql(...parts, scale).map((key) => `${key} ${direction}`),
          ];
        case "avg":
          return [
            `count_${name} = 0`,
            ...averageOrderSql(...parts, `count_${name}`, scale).map(
              (key) => `${key} ${direction}`,
            ),
          ];
        case "count":
        case "count_distinct":
        case "min":
        case "max":
        case undefined:
          return [`m${index} is null`, `m${index} ${direction}`];
      }
    });
    const byKey = groups.flatMap((_, index) => [`g${index} is null`, `g${index}`]);
    return [...byMetric, ...byKey].join(", ") || "1";
  }
}

const countsList = (metric: Metric): metric is Metric & { field: SearchField } =>
  metric.op === "count_distinct" && metric.field.kind === "multi_select";

const distinctFields = (metrics: readonly { field: SearchField }[]): SearchField[] => [
  ...new Map(metrics.map(({ field }) => [field.name, field])).values(),
];

const zoneOf = ({ period }: GroupKey): string | null => period?.zone ?? null;

/** Whether the calendar day of an instant depends on the changes of a zone. */
const isZoned = (group: GroupKey): boolean => zoneOf(group) !== null && zoneOf(group) !== "UTC";
