import { storedOrder } from "../data/field-number";
import { isObject } from "../json";
import type { Collection } from "../definition/collection";
import { oneOf } from "../problem/field-errors";
import { mostSorts } from "./bounds";
import { parseField, refuse, tooComplex, type Fields, type Path, type Work } from "./parse-work";
import type { Search, SearchField, Sort } from "./tree";

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
