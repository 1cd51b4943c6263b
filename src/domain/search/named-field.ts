import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import {
  addError,
  addRenamedError,
  type Path,
  type SearchFieldMap,
  type SearchParseState,
} from "./operand.ts";
import type { SearchField } from "./tree.ts";

/**
 * Finds the field that a condition, sort key, group or metric names. Otherwise adds a field error with the searchable
 * fields that are `isSuitable`.
 */
export function parseField(
  state: SearchParseState,
  fields: SearchFieldMap,
  key: unknown,
  path: Path,
  isSuitable: (field: SearchField) => boolean = () => true,
): SearchField | undefined {
  if (typeof key !== "string") return addError(state, path, "Must be the key of a field.");
  const field = fields.get(key);
  if (field) return field;
  const renamedField = [...fields.values()].find((searchField) =>
    searchField?.previousKeys.includes(key),
  );
  if (renamedField) return addRenamedError(state, path, key, renamedField.name);
  const allowed = [...fields].flatMap(([name, each]) => (each && isSuitable(each) ? [name] : []));
  const reason = fields.has(key)
    ? `The field "${key}" is not searchable. Its definition has "searchable": false.`
    : `There is no field "${truncate(key)}".${pathHint(state, fields, key)} Fields: ${formatChoices(allowed)}.`;
  return addError(state, path, reason, "invalid_condition", { allowed: allowed.slice(0, 100) });
}

/** Returns a hint for searching by a path like `customer.name` or `lines.qty`. Empty for other keys. */
function pathHint({ isInMatches }: SearchParseState, fields: SearchFieldMap, key: string): string {
  const [head = "", ...tail] = key.split(".");
  const kind = tail.length > 0 ? fields.get(head)?.kind : undefined;
  if (kind === "line_items") return ` For columns, search with "any" or "none" on "${head}".`;
  if (kind !== "reference" || isInMatches) return "";
  return ` For fields of the record, search with "matches" on "${head}".`;
}
