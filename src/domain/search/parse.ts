import { storedOrder } from "#domain/data/values.ts";
import { isObject } from "#domain/json.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { oneOf, shortened } from "#domain/problem/field-errors.ts";
import { mostSorts, type Search, type SearchField, type Sort, deepest, longestConditions, mostConditions, type Condition, type Operator } from "./tree.ts";
import { parseField, refuse, tooComplex, type Fields, type Path, type Work, parseOperand } from "./operand.ts";
import { defaultLimit, limitRefusal, pageLimit } from "#domain/cursor.ts";
import { problem } from "#domain/problem/problem.ts";
import { operators, searchFields } from "./fields.ts";

/** As many as a definition can have. */
const mostFields = 2000;

export function parseSort(work: Work, fields: Fields, sent: unknown): Sort[] {
  if (!Array.isArray(sent)) {
    refuse(work, ["sort"], "Must be a list.");
    return [];
  }
  if (sent.length > mostSorts) {
    tooComplex(work, ["sort"], `A search has at most ${mostSorts} sort keys.`);
    return [];
  }
  const seen = new Set<string>();
  return sent.flatMap((each: unknown, index) => {
    const sort = parseSortKey(work, fields, each, ["sort", index]);
    if (!sort) return [];
    // What sorts already leaves nothing for the same key to decide.
    if (seen.has(sort.field.name)) return [];
    seen.add(sort.field.name);
    return [sort];
  });
}

function parseSortKey(work: Work, fields: Fields, sent: unknown, path: Path): Sort | undefined {
  if (!isObject(sent)) return refuse(work, path, 'Must be { "field", "direction" }.');
  const strange = Object.keys(sent).find((key) => key !== "field" && key !== "direction");
  if (strange !== undefined) {
    return refuse(work, [...path, strange], 'A sort key has "field" and "direction".');
  }
  const field = parseField(work, fields, sent["field"], [...path, "field"]);
  if (!field) return undefined;
  if (field.kind === "multi_select" || field.kind === "line_items") {
    return refuse(work, [...path, "field"], `"${field.name}" is a list, and lists do not sort.`);
  }
  const direction = sent["direction"] ?? "asc";
  if (direction === "asc" || direction === "desc") return { field, direction };
  return refuse(work, [...path, "direction"], 'Must be "asc" or "desc".');
}

/**
 * Ids, receipt numbers and times of creation are in the order in which items were stored: a key like that needs no index,
 * nothing behind it sorts anything, and at the end, upwards, it says what ties are broken by anyway.
 */
export function inStoredOrder(sort: readonly Sort[]): Pick<Search, "sort" | "order"> {
  const at = sort.findIndex(({ field }) => isStoredOrder(field));
  const stored = sort[at];
  if (!stored) return { sort: [...sort], order: "desc" };
  if (at === 0) return { sort: [], order: stored.direction };
  const before = sort.slice(0, at);
  return { sort: stored.direction === "asc" ? before : [...before, stored], order: "desc" };
}

export function isStoredOrder({ source }: SearchField): boolean {
  return source.in === "system" && storedOrder.includes(source.name);
}

/** The keys that `data` is to show; null for all. */
export function parseProjection(
  work: Work,
  collection: Collection,
  sent: unknown,
): string[] | null {
  if (sent === null) return null;
  if (!Array.isArray(sent)) return refuse(work, ["fields"], "Must be a list of keys.") ?? null;
  const keys = collection.definition.fields.fields.map((field) => field.key);
  if (sent.length > mostFields) {
    return tooComplex(work, ["fields"], `At most ${mostFields} keys can be named.`) ?? null;
  }
  const known = new Set(keys);
  return [...new Set<unknown>(sent)].flatMap((key: unknown, index) => {
    if (typeof key === "string" && known.has(key)) return [key];
    const reason = `There is no such field. The fields are ${oneOf(keys)}.`;
    refuse(work, ["fields", index], reason, "invalid_condition", { allowed: keys.slice(0, 100) });
    return [];
  });
}

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
