import { storedOrderFields } from "#domain/data/values.ts";
import { isObject } from "#domain/json.ts";
import {
  addComplexityError,
  addError,
  type Path,
  type SearchFieldMap,
  type SearchParseState,
} from "./operand.ts";
import { parseField } from "./named-field.ts";
import { maxSortKeys, type Search, type SearchField, type SortKey } from "./tree.ts";

/** Parses the sort keys of a search. */
export function parseSort(
  state: SearchParseState,
  fields: SearchFieldMap,
  sortKeys: unknown,
): SortKey[] {
  if (!Array.isArray(sortKeys)) {
    addError(state, ["sort"], "Must be a list of sort keys.");
    return [];
  }
  if (sortKeys.length > maxSortKeys) {
    addComplexityError(state, ["sort"], `Must have at most ${maxSortKeys} sort keys.`);
    return [];
  }
  const seenNames = new Set<string>();
  return sortKeys.flatMap((entry: unknown, index) => {
    const sortKey = parseSortKey(state, fields, entry, ["sort", index]);
    if (!sortKey) return [];
    // A repeated key cannot change the order.
    if (seenNames.has(sortKey.field.name)) return [];
    seenNames.add(sortKey.field.name);
    return [sortKey];
  });
}

const unsortableKinds = ["multi_select", "line_items", "files", "actor"];

/** Whether a field can sort items. Lists have no order, and the index does not contain actors. */
export const isSortable = ({ kind }: SearchField): boolean => !unsortableKinds.includes(kind);

function parseSortKey(
  state: SearchParseState,
  fields: SearchFieldMap,
  entry: unknown,
  path: Path,
): SortKey | undefined {
  if (!isObject(entry))
    return addError(state, path, 'Must be like { "field": "amount", "direction": "desc" }.');
  const unknownKey = Object.keys(entry).find((key) => key !== "field" && key !== "direction");
  if (unknownKey !== undefined) {
    const reason = 'Unknown property. Allowed: "field", "direction".';
    return addError(state, [...path, unknownKey], reason);
  }
  const field = parseField(state, fields, entry["field"], [...path, "field"]);
  if (!field) return undefined;
  if (!isSortable(field)) {
    const reason = `Cannot sort by "${field.name}".`;
    return addError(state, [...path, "field"], reason);
  }
  const direction = entry["direction"] ?? "asc";
  if (direction === "asc" || direction === "desc") return { field, direction };
  return addError(state, [...path, "direction"], 'Must be "asc" or "desc".');
}

/**
 * Handles sort keys that follow the order of stored items: ids, receipt numbers and creation times. Such a key needs no
 * index, and keys after it have no effect. Drops an ascending one at the end, because it equals the default order of
 * ties.
 */
export function resolveStoredOrder(sort: readonly SortKey[]): Pick<Search, "sort" | "order"> {
  const index = sort.findIndex(({ field }) => isStoredOrder(field));
  const storedOrderKey = sort[index];
  if (!storedOrderKey) return { sort: [...sort], order: "desc" };
  if (index === 0) return { sort: [], order: storedOrderKey.direction };
  const precedingKeys = sort.slice(0, index);
  return {
    sort: storedOrderKey.direction === "asc" ? precedingKeys : [...precedingKeys, storedOrderKey],
    order: "desc",
  };
}

export function isStoredOrder({ source }: SearchField): boolean {
  return source.in === "system" && storedOrderFields.includes(source.name);
}
