import type { CollectionKind } from "#domain/definition/collection.ts";
import { valueType, type Field, type FieldOption } from "#domain/definition/field.ts";
import { Problem, type FieldError } from "#domain/problem/problem.ts";
import { meOperand } from "#domain/search/tree.ts";
import type { Titles } from "#actions/reference-titles.ts";
import { typedNumber } from "#admin/form-input.ts";
import { formatDay, formatDecimal, type Viewer } from "#html/viewer.tsx";
import type { Catalogue } from "#admin/language/index.tsx";
import { jsonPath, type Filter, type Query } from "./query.ts";

/** A field, a column of rows or a property of every item that filters can compare. */
export interface FilterTarget {
  path: string;
  label: string;
  type: Exclude<ReturnType<typeof valueType>, "line_items"> | "actor";
  options: readonly FieldOption[];
  /** The app that a reference points to. */
  app?: string;
}

/** Lists everything that filters of this collection can compare. */
export function buildFilterTargets(
  fields: readonly Field[],
  kind: CollectionKind,
  { terms, filters }: Catalogue,
): FilterTarget[] {
  const { properties, statuses } = terms;
  const fieldTargets = fields.filter(({ searchable }) => searchable).flatMap(toFilterTargets);
  const statusOptions = Object.entries(statuses).map(([value, label]) => ({ value, label }));
  const actorOptions = [{ value: meOperand, label: filters.me }];
  const system = (
    path: string,
    label: string,
    type: FilterTarget["type"],
    options: readonly FieldOption[] = [],
  ): FilterTarget => ({ path, label, type, options });
  return [
    ...fieldTargets,
    ...(kind === "form" ? [system("$status", properties.status, "select", statusOptions)] : []),
    system("$created_at", properties.createdAt, "datetime"),
    system("$updated_at", properties.updatedAt, "datetime"),
    system("$created_by", properties.createdBy, "actor", actorOptions),
    system("$updated_by", properties.updatedBy, "actor", actorOptions),
  ];
}

function toFilterTargets(field: Field): FilterTarget[] {
  const type = valueType(field);
  const options = "options" in field ? field.options : [];
  const app = field.type === "reference" ? { app: field.app } : {};
  if (type !== "line_items")
    return [{ path: field.key, label: field.label, type, options, ...app }];
  if (field.type !== "line_items") return [];
  return field.fields
    .filter(({ searchable }) => searchable)
    .flatMap(toFilterTargets)
    .map((column) => ({
      ...column,
      path: `${field.key}.${column.path}`,
      label: `${field.label} › ${column.label}`,
    }));
}

type FilterTexts = Catalogue["filters"];
type Comparison = keyof FilterTexts["comparisons"];

/** The operators of a target, each with the kind of comparison for its text and inputs. */
type Operators = readonly (readonly [op: string, comparison: Comparison])[];

const emptiness: Operators = [
  ["is_empty", "is_empty"],
  ["filled", "filled"],
];

const textOperators: Operators = [
  ["contains", "contains"],
  ["eq", "is"],
  ["ne", "is_not"],
  ["starts_with", "starts_with"],
];

const dateOperators: Operators = [
  ["days", "in_period"],
  ["eq", "on"],
  ["gte", "on_or_after"],
  ["lte", "on_or_before"],
  ["between", "between"],
];

const equality: Operators = [
  ["eq", "is"],
  ["ne", "is_not"],
];

const operators: Record<FilterTarget["type"], Operators> = {
  text: textOperators,
  multiline_text: textOperators,
  email: textOperators,
  url: textOperators,
  phone: textOperators,
  number: [
    ...equality,
    ["gte", "at_least"],
    ["lte", "at_most"],
    ["gt", "more_than"],
    ["lt", "less_than"],
    ["between", "between"],
  ],
  date: dateOperators,
  datetime: dateOperators,
  boolean: [["eq", "is"]],
  select: [
    ["in", "one_of"],
    ["not_in", "none_of"],
  ],
  multi_select: [
    ["has_any", "has_any"],
    ["has_all", "has_all"],
    ["has_none", "has_none"],
  ],
  reference: equality,
  actor: equality,
  files: [],
};

/** Returns the operators that the inputs of a target offer. System fields always have a value. */
export const operatorsOf = ({ path, type }: FilterTarget): Operators =>
  path.startsWith("$") ? operators[type] : [...operators[type], ...emptiness];

/** Operators that only programs and older links use. */
const furtherComparisons: Record<string, Comparison> = {
  eq: "is",
  ne: "is_not",
  gt: "after",
  lt: "before",
  in: "one_of",
  not_in: "none_of",
  between: "between",
};

const comparisonOf = (op: string, target: FilterTarget | undefined): Comparison | undefined =>
  (target && operators[target.type].find(([name]) => name === op)?.[1]) ?? furtherComparisons[op];

/** The periods that filters of days offer. */
export const relativeDays = ["today", "yesterday", "-7", "-30", "7", "30"] as const;

/** Names a period: “today”, “the last 7 days”. */
export function describeDays(value: string, { days }: FilterTexts): string {
  if (value === "today" || value === "yesterday") return days[value];
  const count = Number(value);
  if (!Number.isInteger(count)) return value;
  return count < 0 ? days.last(-count) : days.next(count);
}

/** Describes a filter in words: “Status is one of Draft, Submitted”. */
export function describeFilter(
  { path, op, values }: Filter,
  targets: readonly FilterTarget[],
  viewer: Viewer,
  titles: Titles,
  text: FilterTexts,
): string {
  const target = targets.find((candidate) => candidate.path === path);
  const name = target?.label ?? path;
  if (op === "is_empty") {
    return text.describe(name, values[0] === "false" ? "filled" : "is_empty", []);
  }
  const texts = values.map((value) => describeValue(op, value, target, viewer, titles, text));
  const isSingle = texts.length === 1;
  const simplerOp = isSingle && op === "in" ? "eq" : isSingle && op === "not_in" ? "ne" : op;
  const comparison = comparisonOf(simplerOp, target);
  return comparison ? text.describe(name, comparison, texts) : text.describeOther(name, op, texts);
}

function describeValue(
  op: string,
  value: string,
  target: FilterTarget | undefined,
  viewer: Viewer,
  titles: Titles,
  text: FilterTexts,
): string {
  if (op === "days") return describeDays(value, text);
  if (target?.type === "boolean") {
    return text.booleans[value === "true" || value === "yes" ? "true" : "false"];
  }
  if (target?.type === "number") {
    const number = typedNumber(value);
    return number === undefined ? value : formatDecimal(viewer, number);
  }
  if (target?.type === "reference") return titles.get(value)?.title ?? value;
  if (/^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))) {
    return formatDay({ ...viewer, zone: "UTC" }, Date.parse(value));
  }
  return target?.options.find((option) => option.value === value)?.label ?? value;
}

/** A search problem in the words of the page, and the filter whose inputs show its errors. */
export interface SearchProblem {
  summary: Problem;
  inputs: Problem;
  editing: Query["editing"];
}

/** Whether a filter compares a number with a text that is not a number. */
const isNoNumber = (target: FilterTarget | undefined, filter: Filter | undefined) =>
  target?.type === "number" &&
  (filter?.values.some((value) => typedNumber(value) === undefined) ?? false);

/** Rewrites a search problem with the labels of the filters. The first filter with errors shows them at its inputs. */
export function toSearchProblem(
  searchProblem: Problem,
  query: Query,
  targets: readonly FilterTarget[],
  { filters: text, problems }: Catalogue,
): SearchProblem {
  const errors = (searchProblem.members["errors"] ?? []) as FieldError[];
  const placed = errors.map((error) => {
    const index = /^conditions\[(\d+)\]/.exec(error.field)?.[1];
    const change = index === undefined ? undefined : Number(index);
    const filter = change === undefined ? undefined : query.filters[change];
    const target = targets.find(({ path }) => path === filter?.path);
    const label = target?.label ?? filter?.path;
    return {
      error: {
        ...error,
        reason: isNoNumber(target, filter) ? text.noNumber : problems.reason(error, undefined),
      },
      change,
      filter,
      label: label ?? (error.field === "q" ? text.operands.text : error.field),
    };
  });
  const reasons = placed.map(({ label, error }) => problems.at(label, error.reason));
  const detail = reasons.length > 0 ? text.failed(reasons) : problems.detail(searchProblem);
  const first = placed.find(({ filter }) => filter !== undefined);
  const shownErrors = first ? placed.filter(({ change }) => change === first.change) : placed;
  const name = first ? inputNameOf(first.filter) : "conditions";
  const inputErrors = shownErrors.map(({ error }) => ({ ...error, field: name }));
  const isJson = !first && query.conditions !== "";
  return {
    summary: new Problem(searchProblem.code, detail),
    inputs: new Problem(searchProblem.code, detail, { errors: inputErrors }),
    editing: first?.filter
      ? { path: first.filter.path, change: first.change }
      : isJson
        ? { path: jsonPath, change: undefined }
        : undefined,
  };
}

/** Returns the name of the input that shows the errors of a filter. */
const inputNameOf = (filter: Filter | undefined) => (filter?.op === "days" ? "days" : "value");
