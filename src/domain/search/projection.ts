import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import {
  addComplexityError,
  addError,
  addRenamedError,
  type Path,
  type SearchParseState,
} from "./operand.ts";

/** The maximum number of fields in a definition. */
const maxProjectedFields = 2000;

/** Parses `fields`, the keys that `data` contains in the response. */
export function parseProjection(
  state: SearchParseState,
  collection: Collection,
  projection: unknown,
): string[] | null {
  if (projection === null) return null;
  if (!Array.isArray(projection))
    return addError(state, ["fields"], "Must be a list of field keys.") ?? null;
  if (projection.length > maxProjectedFields) {
    return (
      addComplexityError(state, ["fields"], `Must have at most ${maxProjectedFields} keys.`) ?? null
    );
  }
  const { fields } = collection.definition.fields;
  const fieldKeys = fields.map(({ key }) => key);
  const existingKeys = new Set(fieldKeys);
  const keys = new Set<string>();
  for (const [index, key] of (projection as unknown[]).entries()) {
    if (typeof key === "string" && existingKeys.has(key)) keys.add(key);
    else addKeyError(state, fields, fieldKeys, key, ["fields", index]);
  }
  return [...keys];
}

function addKeyError(
  state: SearchParseState,
  fields: readonly Field[],
  choices: readonly string[],
  key: unknown,
  path: Path,
): undefined {
  const isKey = typeof key === "string";
  const renamed = isKey && fields.find(({ previous_keys: keys }) => keys.includes(key));
  if (renamed) return addRenamedError(state, path, key, renamed.key);
  const reason = `${isKey ? `There is no field "${truncate(key)}".` : "Must be a field key."} Fields: ${formatChoices(choices)}.`;
  return addError(state, path, reason, "invalid_condition", { allowed: choices.slice(0, 100) });
}
