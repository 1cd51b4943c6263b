import { isObject } from "#domain/json.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import {
  type ParsedSearch,
  type SearchField,
  maxConditionDepth,
  maxConditionsLength,
  maxConditions,
  type Condition,
  type Operator,
} from "./tree.ts";
import {
  addError,
  addComplexityError,
  type SearchFieldMap,
  type Path,
  type SearchParseState,
  parseOperand,
  type SearchTargets,
  checkOptions,
} from "./operand.ts";
import { parseField } from "./named-field.ts";
import { defaultPageLimit, pageLimitError, pageLimit } from "#domain/cursor.ts";
import { problem } from "#domain/problem/problem.ts";
import { operators, searchFields, parseProjection } from "./fields.ts";
import { parseExpand } from "./expand.ts";
import { parseSort, resolveStoredOrder } from "./sort.ts";

/** The maximum number of properties that are checked. A search has six. */
const maxCheckedProperties = 100;

const searchProperties = ["conditions", "sort", "fields", "expand", "limit", "cursor"];

export interface SearchOptions {
  targets?: SearchTargets | undefined;
  /** The `expand` of the query string. */
  expand?: readonly string[] | undefined;
}

/** Reports the properties of a body that are not allowed. */
export function checkProperties(
  state: SearchParseState,
  properties: Record<string, unknown>,
  allowed: readonly string[],
  path: Path = [],
): void {
  for (const key of Object.keys(properties).slice(0, maxCheckedProperties)) {
    if (allowed.includes(key)) continue;
    const reason = `Unknown property "${truncate(key)}". Allowed: ${formatChoices(allowed)}.`;
    addError(state, [...path, key], reason);
  }
}

/** Parses the list of conditions of a body. */
export function parseConditions(
  state: SearchParseState,
  fields: SearchFieldMap,
  list: unknown,
): Condition[] {
  const length = JSON.stringify(list).length;
  if (length > maxConditionsLength) {
    const reason = `Must be at most ${maxConditionsLength} characters of JSON, not ${length}.`;
    addComplexityError(state, ["conditions"], reason);
    return [];
  }
  const conditions = parseList(state, fields, list, ["conditions"], 1);
  if (state.conditionCount > maxConditions) {
    addComplexityError(state, ["conditions"], `Must have at most ${maxConditions} conditions.`);
  }
  return conditions;
}

/** Throws a 422 with every field error, if there are any. */
export function throwErrors({ errors, unknownOptions }: SearchParseState): void {
  if (errors.length === 0) return;
  throw problem.invalidInput([...errors, ...unknownOptions.map(({ error }) => error)]);
}

/**
 * Parses a search body against the collection's definition, or throws a 422 with every field error. `me` is the actor
 * that the operand `"$me"` stands for.
 */
export function parseSearch(
  collection: Collection,
  body: unknown,
  me: string,
  { targets = () => undefined, expand }: SearchOptions = {},
): ParsedSearch {
  const state: SearchParseState = { errors: [], conditionCount: 0, unknownOptions: [], targets };
  const properties = isObject(body) ? body : {};
  if (!isObject(body)) addError(state, [], "The body must be an object.");
  checkProperties(state, properties, searchProperties);
  const fields = searchFields(collection, me);
  const search: ParsedSearch = {
    conditions: parseConditions(state, fields, properties["conditions"] ?? []),
    ...resolveStoredOrder(parseSort(state, fields, properties["sort"] ?? [])),
    fields: parseProjection(state, collection, properties["fields"] ?? null),
    expand: parseExpand(state, collection, properties["expand"] ?? null, expand),
    limit: parseLimit(state, properties["limit"] ?? defaultPageLimit),
    unknownOptions: state.unknownOptions,
  };
  validateCursor(state, properties["cursor"] ?? null);
  throwErrors(state);
  return search;
}

const tooDeepReason = `Conditions may be nested at most ${maxConditionDepth} levels deep.`;

/** Depth 1 is the top-level list. Each group and each list of row conditions adds one level. */
function parseList(
  state: SearchParseState,
  fields: SearchFieldMap,
  list: unknown,
  path: Path,
  depth: number,
): Condition[] {
  if (!Array.isArray(list)) {
    addError(state, path, "Must be a list of conditions.");
    return [];
  }
  if (depth > maxConditionDepth) {
    addComplexityError(state, path, tooDeepReason);
    return [];
  }
  if (state.conditionCount + list.length > maxConditions) {
    // Counts the conditions without parsing them, so that a body with a million conditions costs little.
    state.conditionCount += list.length;
    return [];
  }
  return list.flatMap((entry: unknown, index) => {
    const condition = parseCondition(state, fields, entry, [...path, index], depth);
    return condition ? [condition] : [];
  });
}

function parseCondition(
  state: SearchParseState,
  fields: SearchFieldMap,
  node: unknown,
  path: Path,
  depth: number,
): Condition | undefined {
  if (!isObject(node))
    return addError(state, path, 'Must be like { "field", "op", "value" }, or a group.');
  const keys = Object.keys(node);
  const [groupName] = keys;
  if (keys.length === 1 && (groupName === "all" || groupName === "any")) {
    const conditions = parseGroup(state, fields, node[groupName], [...path, groupName], depth + 1);
    return groupName === "all" ? { all: conditions } : { any: conditions };
  }
  if (keys.length === 1 && groupName === "not") {
    if (depth + 1 > maxConditionDepth) {
      return addComplexityError(state, [...path, "not"], tooDeepReason);
    }
    const inner = parseCondition(state, fields, node["not"], [...path, "not"], depth + 1);
    return inner && { not: inner };
  }
  state.conditionCount += 1;
  return parseLeaf(state, fields, node, path, depth);
}

function parseGroup(
  state: SearchParseState,
  fields: SearchFieldMap,
  list: unknown,
  path: Path,
  depth: number,
) {
  if (Array.isArray(list) && list.length === 0) {
    addError(state, path, "Must have at least one condition.");
  }
  return parseList(state, fields, list, path, depth);
}

const leafProperties = ["field", "op", "value"];

function parseLeaf(
  state: SearchParseState,
  fields: SearchFieldMap,
  leaf: Record<string, unknown>,
  path: Path,
  depth: number,
): Condition | undefined {
  const unknownKeys = Object.keys(leaf).filter((key) => !leafProperties.includes(key));
  for (const key of unknownKeys) {
    const reason =
      'Unknown property. A condition has "field", "op" and "value". A group has one of "all", "any", "not".';
    addError(state, [...path, key], reason);
  }
  if (unknownKeys.length > 0) return undefined;
  const field = parseField(state, fields, leaf["field"], [...path, "field"]);
  if (!field) return undefined;
  const allowed = operators[field.kind];
  const op = allowed.find((operator) => operator === leaf["op"]);
  if (!op) {
    const reason = `Must be one of ${formatChoices(allowed)} for the field "${field.name}".`;
    return addError(state, [...path, "op"], reason, "invalid_condition", { allowed });
  }
  return parseValue(state, field, op, leaf["value"], [...path, "value"], depth);
}

function parseValue(
  state: SearchParseState,
  field: SearchField,
  op: Operator,
  value: unknown,
  path: Path,
  depth: number,
): Condition | undefined {
  if (op === "any" || op === "none") {
    const rows = field.rows ?? new Map<string, SearchField>();
    const conditions = parseGroup(state, rows, value, path, depth + 1);
    return { field, op, value: { all: conditions } };
  }
  if (op === "matches") return parseMatches(state, field, value, path, depth);
  const result = parseOperand(field, op, value);
  if (!("condition" in result))
    return addError(state, [...path, ...(result.path ?? [])], result.reason, result.code);
  checkOptions(state, result.condition, value, path);
  return result.condition;
}

/** Conditions on the record of a reference reach one level deep. */
function parseMatches(
  state: SearchParseState,
  field: SearchField,
  value: unknown,
  path: Path,
  depth: number,
): Condition | undefined {
  if (state.isInMatches) {
    return addError(state, path, "matches cannot contain matches.");
  }
  const target = field.app === undefined ? undefined : state.targets(field.app);
  if (!target) {
    const reason = `matches needs permission to read the records of the app "${field.app ?? ""}".`;
    return addError(state, path, reason);
  }
  const inner: SearchParseState = { ...state, isInMatches: true };
  const conditions = parseGroup(inner, target.fields, value, path, depth + 1);
  state.conditionCount = inner.conditionCount;
  return { field, op: "matches", value: { all: conditions }, collectionId: target.collectionId };
}

function parseLimit(state: SearchParseState, limit: unknown): number {
  const result = pageLimit().safeParse(limit);
  if (result.success) return result.data;
  const { code, reason, ...bounds } = pageLimitError;
  addError(state, ["limit"], reason, code, bounds);
  return defaultPageLimit;
}

/** Checks only the type. The route decodes the cursor later. */
function validateCursor(state: SearchParseState, cursor: unknown): void {
  if (cursor === null || typeof cursor === "string") return;
  addError(state, ["cursor"], "Must be a cursor from links.next, or null.", "invalid_cursor");
}
