import { describeInexactNumber, findTooDeepPath, InexactNumber, isObject } from "#domain/json.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { maxConditionDepth } from "#domain/search/tree.ts";
import type { Acceptance } from "./collection.ts";
import { definitionError } from "./field.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** The maximum number of members and entries on all levels. No definition needs more. */
const maxValues = 50_000;
const maxErrors = 100;
/** The maximum number of levels of arrays and objects in a definition (contract, section 8). */
const maxLevels = 8;
/** The levels above the conditions of a view, and two levels for each level of conditions and rows. */
const maxViewLevels = 5 + 2 * maxConditionDepth;

type Path = readonly (string | number)[];

/** Rejects what the schema cannot check: too many levels or values, and numbers that a double cannot represent. */
export function documentErrors(body: unknown): FieldError[] {
  const { views, ...members } = isObject(body) ? body : { views: undefined };
  const deepPath = findTooDeepPath(isObject(body) ? members : body, maxLevels);
  // The conditions of a view have a separate limit of levels (contract, section 9).
  const deepViewPath = findTooDeepPath({ views }, maxViewLevels);
  if (deepViewPath) {
    const reason = reasonFor("conditionsTooDeep", { maximum: maxConditionDepth });
    return [definitionError(deepViewPath, reason)];
  }
  if (deepPath) {
    const reason = reasonFor("definitionTooDeep", { maximum: maxLevels });
    return [definitionError(deepPath, reason)];
  }
  const errors: FieldError[] = [];
  const pending: [value: unknown, path: Path][] = [[body, []]];
  let valueCount = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [value, path] = next;
    if (value instanceof InexactNumber) {
      const reason = describeInexactNumber(value);
      if (errors.length < maxErrors) errors.push(definitionError(path, reason));
    } else if (typeof value === "object" && value !== null) {
      const entries = Object.entries(value);
      valueCount += entries.length;
      if (valueCount > maxValues) {
        return [definitionError([], reasonFor("tooManyDefinitionValues", { maximum: maxValues }))];
      }
      for (const [key, child] of entries) {
        // The field checks its own default later.
        if (key === "default" || typeof child !== "object") continue;
        pending.push([child, [...path, Array.isArray(value) ? Number(key) : key]]);
      }
    }
  }
  return errors;
}

export function keyErrors(documentKey: string | undefined, pathKey: string): FieldError[] {
  if (documentKey === undefined || documentKey === pathKey) return [];
  return [definitionError(["key"], reasonFor("otherKeyInPath", { key: pathKey }))];
}

export function acceptanceErrors(
  acceptance: Pick<Acceptance, "opens_at" | "closes_at"> | undefined,
): FieldError[] {
  if (!acceptance || acceptance.opens_at === null || acceptance.closes_at === null) return [];
  if (acceptance.opens_at < acceptance.closes_at) return [];
  return [definitionError(["acceptance", "closes_at"], reasonFor("closesBeforeOpening"))];
}
