import { isObject } from "../json";
import type { Collection } from "../definition/collection";
import { oneOf, shortened } from "../problem/field-errors";
import { defaultLimit, limitRefusal, pageLimit } from "../page-limit";
import { problem } from "../problem/problem";
import { deepest, longestConditions, mostConditions } from "./bounds";
import { operators, searchFields } from "./fields";
import { parseOperand } from "./operand";
import { inStoredOrder, parseProjection, parseSort } from "./parse-sort";
import { parseField, refuse, tooComplex, type Fields, type Path, type Work } from "./parse-work";
import type { Condition, Operator, Search, SearchField } from "./tree";

/** Properties that are looked at; a search has five. */
const mostNamed = 100;

const properties = ["conditions", "sort", "fields", "limit", "cursor"];

/** Reads a search body against the collection's definition; all that is wrong with it is one 422. */
export function parseSearch(collection: Collection, body: unknown): Search {
  const work: Work = { errors: [], conditions: 0 };
  const sent = isObject(body) ? body : {};
  if (!isObject(body)) refuse(work, [], "The body must be an object.");
  for (const key of Object.keys(sent).slice(0, mostNamed)) {
    if (!properties.includes(key)) {
      refuse(
        work,
        [key],
        `Searches have no property "${shortened(key)}"; there are ${oneOf(properties)}.`,
      );
    }
  }
  const fields = searchFields(collection);
  const letters = JSON.stringify(sent["conditions"] ?? []).length;
  if (letters > longestConditions) {
    tooComplex(
      work,
      ["conditions"],
      `The conditions of a search have at most ${longestConditions} characters together, as JSON, not ${letters}.`,
    );
  }
  const readable = letters > longestConditions ? [] : (sent["conditions"] ?? []);
  const conditions = parseList(work, fields, readable, ["conditions"], 1);
  if (work.conditions > mostConditions) {
    tooComplex(work, ["conditions"], `A search has at most ${mostConditions} conditions.`);
  }
  const search: Search = {
    conditions,
    ...inStoredOrder(parseSort(work, fields, sent["sort"] ?? [])),
    fields: parseProjection(work, collection, sent["fields"] ?? null),
    limit: parseLimit(work, sent["limit"] ?? defaultLimit),
  };
  judgeCursor(work, sent["cursor"] ?? null);
  if (work.errors.length > 0) throw problem.invalidInput(work.errors);
  return search;
}

/** Depth 1 is the top-level list; each group and each list of row conditions goes one deeper. */
function parseList(
  work: Work,
  fields: Fields,
  sent: unknown,
  path: Path,
  depth: number,
): Condition[] {
  if (!Array.isArray(sent)) {
    refuse(work, path, "Must be a list of conditions.");
    return [];
  }
  if (depth > deepest) {
    tooComplex(work, path, `Conditions nest at most ${deepest} deep.`);
    return [];
  }
  if (work.conditions + sent.length > mostConditions) {
    // Counted, and not read: a body of a million conditions costs nothing.
    work.conditions += sent.length;
    return [];
  }
  return sent.flatMap((each: unknown, index) => {
    const condition = parseCondition(work, fields, each, [...path, index], depth);
    return condition ? [condition] : [];
  });
}

function parseCondition(
  work: Work,
  fields: Fields,
  sent: unknown,
  path: Path,
  depth: number,
): Condition | undefined {
  if (!isObject(sent)) return refuse(work, path, "Must be a condition or a group.");
  const keys = Object.keys(sent);
  const [only] = keys;
  if (keys.length === 1 && (only === "all" || only === "any")) {
    const of = parseGroup(work, fields, sent[only], [...path, only], depth + 1);
    return only === "all" ? { all: of } : { any: of };
  }
  if (keys.length === 1 && only === "not") {
    if (depth + 1 > deepest) {
      return tooComplex(work, [...path, "not"], `Conditions nest at most ${deepest} deep.`);
    }
    const not = parseCondition(work, fields, sent["not"], [...path, "not"], depth + 1);
    return not && { not };
  }
  work.conditions += 1;
  return parseLeaf(work, fields, sent, path, depth);
}

function parseGroup(work: Work, fields: Fields, sent: unknown, path: Path, depth: number) {
  if (Array.isArray(sent) && sent.length === 0) {
    refuse(work, path, "A group has at least one condition.");
  }
  return parseList(work, fields, sent, path, depth);
}

const leafProperties = ["field", "op", "value"];

function parseLeaf(
  work: Work,
  fields: Fields,
  sent: Record<string, unknown>,
  path: Path,
  depth: number,
): Condition | undefined {
  const strange = Object.keys(sent).filter((key) => !leafProperties.includes(key));
  for (const key of strange) {
    const reason =
      'A condition has "field", "op" and "value"; a group has one of "all", "any", "not".';
    refuse(work, [...path, key], reason);
  }
  if (strange.length > 0) return undefined;
  const field = parseField(work, fields, sent["field"], [...path, "field"]);
  if (!field) return undefined;
  const allowed = operators[field.kind];
  const op = allowed.find((each) => each === sent["op"]);
  if (!op) {
    const reason = `"${field.name}" takes the operators ${oneOf(allowed)}.`;
    return refuse(work, [...path, "op"], reason, "invalid_condition", { allowed });
  }
  return parseValue(work, field, op, sent["value"], [...path, "value"], depth);
}

function parseValue(
  work: Work,
  field: SearchField,
  op: Operator,
  value: unknown,
  path: Path,
  depth: number,
): Condition | undefined {
  if (op === "any" || op === "none") {
    const rows = field.rows ?? new Map<string, SearchField>();
    const all = parseGroup(work, rows, value, path, depth + 1);
    return { field, op, value: { all } };
  }
  const parsed = parseOperand(field, op, value);
  if ("condition" in parsed) return parsed.condition;
  return refuse(work, path, parsed.reason, parsed.code);
}

function parseLimit(work: Work, sent: unknown): number {
  const read = pageLimit.safeParse(sent);
  if (read.success) return read.data;
  const { code, reason, ...bounds } = limitRefusal;
  refuse(work, ["limit"], reason, code, bounds);
  return defaultLimit;
}

/** Its form alone: what it says is read where it is known what it was made for. */
function judgeCursor(work: Work, sent: unknown): void {
  if (sent === null || typeof sent === "string") return;
  refuse(work, ["cursor"], "Must be a cursor or null.", "invalid_cursor");
}
