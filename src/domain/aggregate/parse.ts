import type { Collection } from "#domain/definition/collection.ts";
import { isObject } from "#domain/json.ts";
import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import { searchFields } from "#domain/search/fields.ts";
import {
  addComplexityError,
  addError,
  type Path,
  type SearchFieldMap,
  type SearchParseState,
  type SearchTargets,
} from "#domain/search/operand.ts";
import { parseField } from "#domain/search/named-field.ts";
import { checkProperties, parseConditions, throwErrors } from "#domain/search/parse.ts";
import type { ParsedSearch, SearchField } from "#domain/search/tree.ts";
import { isTimeZone } from "#domain/time.ts";
import {
  defaultGroups,
  groupingOf,
  maxGroupKeys,
  maxGroups,
  maxMetrics,
  metricNamePattern,
  metricOps,
  metricOpsOf,
  units,
  type GroupKey,
  type Metric,
  type MetricOrder,
  type ParsedAggregate,
} from "./aggregate.ts";

const aggregateProperties = ["conditions", "group_by", "metrics", "order_by", "limit"];

/**
 * Parses the body of an aggregate against the collection's definition, or throws a 422 with every field error. `me` is
 * the actor of the request. `targets` are the apps that it may read through references.
 */
export function parseAggregate(
  collection: Collection,
  body: unknown,
  me: string,
  targets: SearchTargets,
): ParsedAggregate {
  const state: SearchParseState = { errors: [], conditionCount: 0, unknownOptions: [], targets };
  const properties = isObject(body) ? body : {};
  if (!isObject(body)) addError(state, [], "The body must be an object.");
  checkProperties(state, properties, aggregateProperties);
  const fields = searchFields(collection, me);
  const conditions = parseConditions(state, fields, properties["conditions"] ?? []);
  const { time_zone } = collection.definition;
  const groups = parseGroups(state, fields, properties["group_by"] ?? [], time_zone);
  const metrics = parseMetrics(state, fields, properties["metrics"] ?? null);
  const hasMetricErrors = state.errors.some(({ field }) => field.startsWith("metrics"));
  const order = hasMetricErrors ? [] : parseOrder(state, metrics, properties["order_by"] ?? []);
  const limit = parseLimit(state, properties["limit"] ?? defaultGroups);
  throwErrors(state);
  const search: ParsedSearch = {
    conditions,
    sort: [],
    order: "asc",
    fields: null,
    expand: [],
    limit: 0,
    unknownOptions: state.unknownOptions,
  };
  return { search, groups, metrics, order, limit };
}

function parseGroups(
  state: SearchParseState,
  fields: SearchFieldMap,
  list: unknown,
  zone: string,
): GroupKey[] {
  const path = ["group_by"];
  if (!Array.isArray(list)) {
    addError(state, path, "Must be a list of fields.");
    return [];
  }
  if (list.length > maxGroupKeys) {
    addComplexityError(state, path, `Must have at most ${maxGroupKeys} fields.`);
    return [];
  }
  const groups = list.flatMap((entry: unknown, index) => {
    const group = parseGroup(state, fields, entry, [...path, index], zone);
    return group ? [group] : [];
  });
  const [first, second] = groups;
  if (second && first?.field.name === second.field.name) {
    addError(state, [...path, 1, "field"], `The field "${second.field.name}" is used twice.`);
  }
  return groups;
}

const isGroupable = (field: SearchField) => groupingOf(field) !== null;

function parseGroup(
  state: SearchParseState,
  fields: SearchFieldMap,
  entry: unknown,
  path: Path,
  zone: string,
): GroupKey | undefined {
  if (!isObject(entry)) return addError(state, path, 'Must be like { "field": "department" }.');
  checkProperties(state, entry, ["field", "unit", "time_zone"], path);
  const field = parseField(state, fields, entry["field"], [...path, "field"], isGroupable);
  if (!field) return undefined;
  const grouping = groupingOf(field);
  if (!grouping) return addGroupingError(state, fields, field, [...path, "field"]);
  const { unit, time_zone: timeZone } = entry;
  if (grouping !== "date" && grouping !== "datetime") {
    if (unit !== undefined)
      addError(state, [...path, "unit"], "Only allowed for dates and date-times.");
    if (timeZone !== undefined) addError(state, [...path, "time_zone"], zoneReason);
    return { field, grouping, period: null };
  }
  const knownUnit = units.find((each) => each === unit);
  if (!knownUnit) {
    const reason = `Must be one of ${formatChoices(units)} for the field "${field.name}".`;
    return addError(state, [...path, "unit"], reason, "invalid_condition", { allowed: units });
  }
  if (grouping === "date") {
    if (timeZone !== undefined) addError(state, [...path, "time_zone"], zoneReason);
    return { field, grouping, period: { unit: knownUnit, zone: null } };
  }
  if (timeZone !== undefined && (typeof timeZone !== "string" || !isTimeZone(timeZone))) {
    return addError(state, [...path, "time_zone"], "Must be an IANA time zone like Asia/Tokyo.");
  }
  return { field, grouping, period: { unit: knownUnit, zone: timeZone ?? zone } };
}

const zoneReason = "Only allowed for date-times.";

function addGroupingError(
  state: SearchParseState,
  fields: SearchFieldMap,
  field: SearchField,
  path: Path,
): undefined {
  const allowed = [...fields].flatMap(([name, each]) => (each && isGroupable(each) ? [name] : []));
  const reason = `Items cannot be grouped by "${field.name}". Fields: ${formatChoices(allowed)}.`;
  const details = { allowed: allowed.slice(0, 100) };
  return addError(state, path, reason, "invalid_condition", details);
}

function parseMetrics(state: SearchParseState, fields: SearchFieldMap, entries: unknown): Metric[] {
  const path = ["metrics"];
  if (entries === null) {
    addError(state, path, "A value is required.", "required");
    return [];
  }
  const names = isObject(entries) ? Object.keys(entries) : [];
  if (!isObject(entries) || names.length === 0) {
    addError(state, path, 'Must be an object like { "orders": { "op": "count" } }.');
    return [];
  }
  if (names.length > maxMetrics) {
    addComplexityError(state, path, `Must have at most ${maxMetrics} metrics.`);
    return [];
  }
  return names.flatMap((name) => {
    const metric = parseMetric(state, fields, name, entries[name]);
    return metric ? [metric] : [];
  });
}

function parseMetric(
  state: SearchParseState,
  fields: SearchFieldMap,
  name: string,
  entry: unknown,
): Metric | undefined {
  const path = ["metrics", name];
  if (!new RegExp(metricNamePattern).test(name)) {
    const reason = `The name "${truncate(name)}" must match ${metricNamePattern}.`;
    return addError(state, path, reason);
  }
  if (!isObject(entry))
    return addError(state, path, 'Must be like { "op": "sum", "field": "amount" }.');
  checkProperties(state, entry, ["op", "field"], path);
  const op = metricOps.find((each) => each === entry["op"]);
  const { field: key } = entry;
  if (key === undefined && op === "count") return { name, op, field: null };
  const isSuitable = (each: SearchField) => metricOpsOf(each).some((one) => (op ?? one) === one);
  const field =
    key === undefined ? null : parseField(state, fields, key, [...path, "field"], isSuitable);
  const allowed = field ? metricOpsOf(field) : metricOps;
  if (!op || !allowed.includes(op)) {
    const where = field ? ` for the field "${field.name}"` : "";
    const reason = `Must be one of ${formatChoices(allowed)}${where}.`;
    return addError(state, [...path, "op"], reason, "invalid_condition", { allowed });
  }
  if (field === null)
    return addError(state, [...path, "field"], `A field is required for "${op}".`);
  return field && { name, op, field };
}

function parseOrder(
  state: SearchParseState,
  metrics: readonly Metric[],
  list: unknown,
): MetricOrder[] {
  const path = ["order_by"];
  if (!Array.isArray(list)) {
    addError(state, path, "Must be a list of metrics.");
    return [];
  }
  if (list.length > maxMetrics) {
    addComplexityError(state, path, `Must have at most ${maxMetrics} metrics.`);
    return [];
  }
  return list.flatMap((entry: unknown, index) => {
    const order = parseOrderEntry(state, metrics, entry, [...path, index]);
    return order ? [order] : [];
  });
}

function parseOrderEntry(
  state: SearchParseState,
  metrics: readonly Metric[],
  entry: unknown,
  path: Path,
): MetricOrder | undefined {
  if (!isObject(entry))
    return addError(state, path, 'Must be like { "metric": "spent", "direction": "desc" }.');
  checkProperties(state, entry, ["metric", "direction"], path);
  const metric = metrics.findIndex(({ name }) => name === entry["metric"]);
  if (metric === -1) {
    const allowed = metrics.map(({ name }) => name);
    const reason = `Must be one of the metrics: ${formatChoices(allowed)}.`;
    return addError(state, [...path, "metric"], reason, "invalid_condition", { allowed });
  }
  const direction = entry["direction"] ?? "asc";
  if (direction === "asc" || direction === "desc") return { metric, direction };
  return addError(state, [...path, "direction"], 'Must be "asc" or "desc".');
}

function parseLimit(state: SearchParseState, limit: unknown): number {
  if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= maxGroups)
    return Number(limit);
  const reason = `Must be a whole number from 1 to ${maxGroups}.`;
  addError(state, ["limit"], reason, "out_of_range", { minimum: 1, maximum: maxGroups });
  return defaultGroups;
}
