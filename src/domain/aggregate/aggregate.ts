import type { SystemField } from "#domain/data/values.ts";
import type { Field } from "#domain/definition/field.ts";
import {
  referencedFields,
  type ParsedSearch,
  type Search,
  type SearchField,
} from "#domain/search/tree.ts";

/** Figures that are computed over the items that match conditions. */
export interface Aggregate {
  /** The conditions. The sort and page of the search have no meaning here. */
  search: Search;
  groups: GroupKey[];
  metrics: Metric[];
  /** Ties are ordered by the keys of the groups. */
  order: MetricOrder[];
  limit: number;
}

/** A parsed aggregate that is not yet limited to the part of the collection that the caller sees. */
export type ParsedAggregate = Omit<Aggregate, "search"> & { search: ParsedSearch };

/** A field whose values form groups. */
export interface GroupKey {
  field: SearchField;
  grouping: Grouping;
  /** Null for fields without dates. */
  period: Period | null;
}

export const units = ["day", "week", "month", "quarter", "year"] as const;
export type Unit = (typeof units)[number];

interface Period {
  unit: Unit;
  /** Null for calendar days, which have no time. */
  zone: string | null;
}

/** How the values of a field form groups: by value, by the entries of a list, or by periods. */
export type Grouping = "value" | "boolean" | "list" | "date" | "datetime";

const groupingOfType: Record<Field["type"], Grouping | null> = {
  text: "value",
  multiline_text: null,
  number: null,
  boolean: "boolean",
  date: "date",
  datetime: "datetime",
  email: "value",
  url: "value",
  phone: "value",
  select: "value",
  reference: "value",
  multi_select: "list",
  line_items: null,
  files: null,
  // Search fields of computed fields have the type of the formula's results, so this entry is never used.
  computed: null,
};

const groupingOfSystemField: Record<SystemField, Grouping | null> = {
  id: null,
  status: "value",
  receiptNumber: null,
  createdAt: "datetime",
  updatedAt: "datetime",
  createdBy: "value",
  updatedBy: null,
};

/** Returns how the values of this field form groups. Null if they cannot form groups. */
export function groupingOf({ source, type }: SearchField): Grouping | null {
  return source.in === "system" ? groupingOfSystemField[source.name] : groupingOfType[type];
}

export const metricOps = ["count", "count_distinct", "sum", "avg", "min", "max"] as const;
export type MetricOp = (typeof metricOps)[number];

export type Metric =
  | { name: string; op: "count"; field: SearchField | null }
  | { name: string; op: Exclude<MetricOp, "count">; field: SearchField };

/** Returns the operations that a metric can apply to a field. */
export function metricOpsOf({ kind }: SearchField): readonly MetricOp[] {
  switch (kind) {
    case "number":
      return metricOps;
    case "date":
    case "datetime":
      return ["count", "count_distinct", "min", "max"];
    case "text":
    case "actor":
    case "boolean":
    case "select":
    case "reference":
    case "multi_select":
      return ["count", "count_distinct"];
    case "line_items":
    case "files":
      return ["count"];
  }
}

/** Whether the metric adds up all values, which it needs as exact decimals. */
export const isSum = ({ op }: Metric): boolean => op === "sum" || op === "avg";

export interface MetricOrder {
  /** The index of the metric. */
  metric: number;
  direction: "asc" | "desc";
}

/** The limits of an aggregate. */
export const maxGroupKeys = 2;
export const maxMetrics = 5;
export const maxGroups = 1000;
export const defaultGroups = 100;
export const metricNamePattern = "^[a-z][a-z0-9_]{0,62}$";
/** The maximum number of items that one aggregate may read, and the maximum bytes of their documents. */
export const maxAggregateItems = 200_000;
export const maxAggregateBytes = 200_000_000;
/** The maximum bytes of a response in UTF-8. */
export const maxAggregateResponseBytes = 1_000_000;

/** Returns the fields that form groups or have metrics. */
export function figureFields({ groups, metrics }: Aggregate): SearchField[] {
  return [...groups.map(({ field }) => field), ...metrics.flatMap(({ field }) => field ?? [])];
}

/** Returns every field that an aggregate names. */
export function aggregatedFields(aggregate: Aggregate): SearchField[] {
  return [...referencedFields(aggregate.search), ...figureFields(aggregate)];
}

/** Whether the metric at this index is a sum or an average. */
export function isSumAt({ metrics }: Pick<Aggregate, "metrics">, index: number): boolean {
  const metric = metrics[index];
  return metric !== undefined && isSum(metric);
}
