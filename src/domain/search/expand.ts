import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import {
  addComplexityError,
  addError,
  addRenamedError,
  type Path,
  type SearchParseState,
} from "./operand.ts";

/** A reference whose records a response includes. */
export interface Expansion {
  /** The key of its app. */
  app: string;
  /** The slot of its values, in the rows of `list` if that is not null. */
  slot: string;
  list: string | null;
}

/** The maximum number of names in `expand` (contract, section 18). */
export const maxExpansions = 5;

/** Returns every reference of a collection by its name in `expand`: `customer`, or `lines.product` for a column. */
export function expansions({ definition }: Collection): Map<string, Expansion> {
  return new Map(expansionsIn(definition.fields.fields, "", null));
}

function expansionsIn(
  fields: readonly Field[],
  prefix: string,
  list: string | null,
): [string, Expansion][] {
  return fields.flatMap((field): [string, Expansion][] => {
    const slot = String(field.id);
    if (field.type === "reference") return [[prefix + field.key, { app: field.app, slot, list }]];
    return field.type === "line_items" ? expansionsIn(field.fields, `${field.key}.`, slot) : [];
  });
}

/** Parses `expand`, a list of names of references. It comes from the body, or otherwise from the query string. */
export function parseExpand(
  state: SearchParseState,
  collection: Collection,
  sent: unknown,
  query: readonly string[] = [],
): Expansion[] {
  if (sent !== null) return parseNames(state, collection, sent);
  const errors: FieldError[] = [];
  const queryExpansions = parseNames({ ...state, errors }, collection, query);
  // An error in the query has the name of the parameter, and no pointer.
  for (const { pointer: _, ...error } of errors) state.errors.push({ ...error, field: "expand" });
  return queryExpansions;
}

function parseNames(state: SearchParseState, collection: Collection, names: unknown): Expansion[] {
  if (!Array.isArray(names)) {
    addError(state, ["expand"], "Must be a list of keys of references.");
    return [];
  }
  if (names.length > maxExpansions) {
    addComplexityError(state, ["expand"], `Must have at most ${maxExpansions} keys.`);
    return [];
  }
  const knownExpansions = expansions(collection);
  const requestedExpansions = names.flatMap((name: unknown, index) => {
    const expansion = typeof name === "string" ? knownExpansions.get(name) : undefined;
    if (expansion) return [expansion];
    addNameError(state, collection, [...knownExpansions.keys()], name, ["expand", index]);
    return [];
  });
  return [...new Set(requestedExpansions)];
}

function addNameError(
  state: SearchParseState,
  { definition }: Collection,
  allowed: string[],
  name: unknown,
  path: Path,
): void {
  if (typeof name !== "string") {
    addError(state, path, "Must be the key of a reference.");
    return;
  }
  const renamed = definition.fields.fields.find(
    (field) => field.type === "reference" && field.previous_keys.includes(name),
  );
  if (renamed) {
    addRenamedError(state, path, name, renamed.key);
    return;
  }
  const choices =
    allowed.length > 0 ? `References: ${formatChoices(allowed)}.` : "There are no references.";
  const reason = `"${truncate(name)}" is not a reference. ${choices}`;
  addError(state, path, reason, "invalid_condition", { allowed: allowed.slice(0, 100) });
}
