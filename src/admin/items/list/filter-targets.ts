import type { CollectionKind } from "#domain/definition/collection.ts";
import { valueType, type Field, type FieldOption } from "#domain/definition/field.ts";
import { Problem, type FieldError } from "#domain/problem/problem.ts";
import { meOperand } from "#domain/search/tree.ts";
import type { Titles } from "#actions/reference-titles.ts";
import { formatDay, formatQuantity, type Viewer } from "#html/viewer.tsx";
import { jsonPath, type Filter, type Query } from "./query.ts";

/** A field, a column of rows or a property of every item that filters can compare. */
export interface FilterTarget {
  path: string;
  label: string;
  type: Exclude<ReturnType<typeof valueType>, "line_items"> | "actor";
  options: readonly FieldOption[];
  /** The app of a reference. */
  app?: string;
}

/** Lists everything that filters of this collection can compare. */
export function buildFilterTargets(fields: readonly Field[], kind: CollectionKind): FilterTarget[] {
  const fieldTargets = fields.filter(({ searchable }) => searchable).flatMap(toFilterTargets);
  const system = (
    path: string,
    label: string,
    type: FilterTarget["type"],
    options: readonly FieldOption[] = [],
  ): FilterTarget => ({ path, label, type, options });
  return [
    ...fieldTargets,
    ...(kind === "form" ? [system("$status", "Status", "select", statusOptions)] : []),
    system("$created_at", "Created", "datetime"),
    system("$updated_at", "Updated", "datetime"),
    system("$created_by", "Created by", "actor", actorOptions),
    system("$updated_by", "Updated by", "actor", actorOptions),
  ];
}

const statusOptions = [
  { value: "draft", label: "Draft" },
  { value: "submitted", label: "Submitted" },
  { value: "closed", label: "Closed" },
];

const actorOptions = [{ value: meOperand, label: "me" }];

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

type Operators = readonly (readonly [op: string, words: string])[];

const emptiness: Operators = [
  ["is_empty", "is empty"],
  ["filled", "is not empty"],
];

const textOperators: Operators = [
  ["contains", "contains"],
  ["eq", "is"],
  ["ne", "is not"],
  ["starts_with", "starts with"],
];

const dateOperators: Operators = [
  ["days", "is in"],
  ["eq", "is on"],
  ["gte", "is on or after"],
  ["lte", "is on or before"],
  ["between", "is between"],
];

const operators: Record<FilterTarget["type"], Operators> = {
  text: textOperators,
  multiline_text: textOperators,
  email: textOperators,
  url: textOperators,
  phone: textOperators,
  number: [
    ["eq", "is"],
    ["ne", "is not"],
    ["gte", "is at least"],
    ["lte", "is at most"],
    ["gt", "is more than"],
    ["lt", "is less than"],
    ["between", "is between"],
  ],
  date: dateOperators,
  datetime: dateOperators,
  boolean: [["eq", "is"]],
  select: [
    ["in", "is one of"],
    ["not_in", "is none of"],
  ],
  multi_select: [
    ["has_any", "has any of"],
    ["has_all", "has all of"],
    ["has_none", "has none of"],
  ],
  reference: [
    ["eq", "is"],
    ["ne", "is not"],
  ],
  actor: [
    ["eq", "is"],
    ["ne", "is not"],
  ],
  files: [],
};

/** The operators that the inputs of a target offer. System fields always have a value. */
export const operatorsOf = ({ path, type }: FilterTarget): Operators =>
  path.startsWith("$") ? operators[type] : [...operators[type], ...emptiness];

/** The words of operators that only programs and older links use. */
const furtherWords: Record<string, string> = {
  eq: "is",
  ne: "is not",
  gt: "is after",
  lt: "is before",
  in: "is one of",
  not_in: "is none of",
  between: "is between",
};

const wordsOf = (op: string, target: FilterTarget | undefined): string =>
  (target && operators[target.type].find(([name]) => name === op)?.[1]) ??
  furtherWords[op] ??
  op.replaceAll("_", " ");

export const relativeDays: readonly (readonly [value: string, words: string])[] = [
  ["today", "today"],
  ["yesterday", "yesterday"],
  ["-7", "the last 7 days"],
  ["-30", "the last 30 days"],
  ["7", "the next 7 days"],
  ["30", "the next 30 days"],
];

/** Says a filter in words: “Status is one of Draft, Submitted”. */
export function describeFilter(
  { path, op, values }: Filter,
  targets: readonly FilterTarget[],
  viewer: Viewer,
  titles: Titles,
): string {
  const target = targets.find((candidate) => candidate.path === path);
  const name = target?.label ?? path;
  if (op === "is_empty") return `${name} is ${values[0] === "false" ? "not " : ""}empty`;
  const texts = values.map((value) => describeValue(op, value, target, viewer, titles));
  const isSingle = texts.length === 1;
  const words =
    isSingle && op === "in" ? "is" : isSingle && op === "not_in" ? "is not" : wordsOf(op, target);
  return `${name} ${words} ${texts.join(op === "between" ? " and " : ", ")}`;
}

function describeValue(
  op: string,
  value: string,
  target: FilterTarget | undefined,
  viewer: Viewer,
  titles: Titles,
): string {
  if (op === "days") {
    const known = relativeDays.find(([days]) => days === value)?.[1];
    return known ?? describeDaySpan(Number(value));
  }
  if (target?.type === "boolean") return value === "true" || value === "yes" ? "yes" : "no";
  if (target?.type === "reference") return titles.get(value)?.title ?? value;
  if (/^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))) {
    return formatDay({ ...viewer, zone: "UTC" }, Date.parse(value));
  }
  return target?.options.find((option) => option.value === value)?.label ?? value;
}

const describeDaySpan = (count: number) =>
  count < 0
    ? `the last ${formatQuantity(-count, "day")}`
    : `the next ${formatQuantity(count, "day")}`;

/** A search problem in the words of the page, and the filter whose inputs show its errors. */
export interface SearchProblem {
  summary: Problem;
  inputs: Problem;
  editing: Query["editing"];
}

/** Rewrites a search problem with the labels of the filters. Their inputs show the first one's errors. */
export function toSearchProblem(
  searchProblem: Problem,
  { filters, conditions }: Query,
  targets: readonly FilterTarget[],
): SearchProblem {
  const errors = (searchProblem.members["errors"] ?? []) as FieldError[];
  const placed = errors.map((error) => {
    const index = /^conditions\[(\d+)\]/.exec(error.field)?.[1];
    const change = index === undefined ? undefined : Number(index);
    const filter = change === undefined ? undefined : filters[change];
    const label = targets.find(({ path }) => path === filter?.path)?.label ?? filter?.path;
    return { error, change, filter, label: label ?? (error.field === "q" ? "Text" : error.field) };
  });
  const reasons = placed.map(({ label, error }) => `${label}: ${error.reason}`);
  const detail = reasons.length > 0 ? `Search failed. ${reasons.join(" ")}` : searchProblem.detail;
  const first = placed.find(({ filter }) => filter !== undefined);
  const shown = first ? placed.filter(({ change }) => change === first.change) : placed;
  const name = first ? inputNameOf(first.filter) : "conditions";
  const inputErrors = shown.map(({ error }) => ({ ...error, field: name }));
  const isJson = !first && conditions !== "";
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

/** The input that shows the errors of a filter. */
const inputNameOf = (filter: Filter | undefined) => (filter?.op === "days" ? "days" : "value");
