import type {
  Collection,
  CollectionKind,
  Definition,
  View,
} from "#domain/definition/collection.ts";
import { definitionError } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { Problem, type FieldError } from "#domain/problem/problem.ts";
import { reasonFor } from "#domain/problem/reasons.ts";
import { meOperand } from "./tree.ts";
import { parseView } from "./view.ts";

/** Validates the views of a definition. */

/** The maximum size of all views of a definition as JSON. */
const maxViewsLength = 300_000;

/** The maximum number of conditions in all views of a definition, because each write evaluates all of them. */
const maxViewConditions = 500;

/** Counts the conditions in a view or in a part of one. */
export function countConditions(node: unknown): number {
  if (Array.isArray(node))
    return node.reduce<number>((sum, each) => sum + countConditions(each), 0);
  if (!isObject(node)) return 0;
  const inner = Object.values(node).reduce<number>((sum, each) => sum + countConditions(each), 0);
  return inner + (node["op"] === undefined ? 0 : 1);
}

const countViewConditions = (definition: Definition | null): number =>
  (definition?.views ?? []).reduce((sum, { conditions }) => sum + countConditions(conditions), 0);

/**
 * Reports every view that is not a valid search of the definition. The limit of conditions applies only if there are
 * more than in the `former` definitions, which may be older than the limit.
 */
export function viewErrors(
  kind: CollectionKind,
  key: string,
  definition: Definition,
  former: readonly (Definition | null)[],
): FieldError[] {
  const views = definition.views ?? [];
  const versions = { version: 0, revision: 0, stamp: "", pending: null, fieldsVersion: 0 };
  const collection = { id: 0, kind, key, ...versions, definition };
  const length = JSON.stringify(views).length;
  if (length > maxViewsLength) {
    const reason = reasonFor("viewsTooLong", { maximum: maxViewsLength, length });
    return [definitionError(["views"], reason)];
  }
  const count = countViewConditions(definition);
  if (count > Math.max(maxViewConditions, ...former.map(countViewConditions))) {
    const reason = reasonFor("viewConditions", { maximum: maxViewConditions, count });
    return [definitionError(["views"], reason)];
  }
  const seenKeys = new Set<string>();
  return views.flatMap((view, index) => {
    const isRepeated = seenKeys.has(view.key);
    seenKeys.add(view.key);
    const repeated = reasonFor("keyTwice", { key: view.key });
    return [
      ...(isRepeated ? [definitionError(["views", index, "key"], repeated)] : []),
      ...searchErrors(collection, view, index),
    ];
  });
}

function searchErrors(collection: Collection, view: View, index: number): FieldError[] {
  const path = ["views", index];
  if (usesMatches(view.conditions))
    return [definitionError([...path, "conditions"], reasonFor("viewWithMatches"))];
  try {
    const { unknownOptions } = parseView(collection, view, meOperand);
    return unknownOptions
      .filter(({ field }) => field.options?.isComplete)
      .map(({ error }) => definitionErrorOf(view, index, error));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return (error.members["errors"] as FieldError[]).map((each) =>
      definitionErrorOf(view, index, each),
    );
  }
}

function usesMatches(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(usesMatches);
  if (!isObject(node)) return false;
  return node["op"] === "matches" || Object.values(node).some(usesMatches);
}

/** Converts an error of a search to an error of the definition that contains it. */
function definitionErrorOf({ key }: View, index: number, error: FieldError): FieldError {
  const { field, pointer = "", code: _code, reason, ...details } = error;
  const { field: viewName, pointer: viewPointer = "" } = errorAt(
    ["views", index],
    "invalid_definition",
    "",
  );
  return {
    ...details,
    field: field === "" ? viewName : `${viewName}.${field}`,
    pointer: viewPointer + pointer,
    code: "invalid_definition",
    reason: reasonFor("inView", { view: key, reason }),
  };
}
