import { unknownFieldError, type Warning } from "#domain/data/values.ts";
import { conditionsOf, type ReachedCollection } from "#domain/data/narrow.ts";
import type { Item } from "#domain/item/item.ts";
import { isObject } from "#domain/json.ts";
import { errorAt, truncate } from "#domain/problem/field-errors.ts";
import { problem, type FieldError, type Problem } from "#domain/problem/problem.ts";
import { matchesItem } from "#domain/search/matches.ts";

/**
 * The rules of writes through a view (contract, section 19). The whole collection checks and computes an item. The caller
 * names only fields that it sees, and learns nothing of the others.
 */

/** The body without keys that the caller does not know, and their errors. */
export function separateHidden(
  reached: ReachedCollection,
  body: unknown,
): { body: unknown; errors: FieldError[] } {
  const { fields } = reached;
  if (reached.reach === "whole" || !isObject(body) || !isObject(body["data"]))
    return { body, errors: [] };
  const entries = Object.entries(body["data"]);
  const known = entries.filter(([key]) => fields.byKey.has(key));
  const errors = entries
    .filter(([key]) => !fields.byKey.has(key))
    .map(([key]) => unknownFieldError(fields, key, ["data", key]));
  return { body: { ...body, data: Object.fromEntries(known) }, errors };
}

const outsideViewError = () =>
  errorAt([], "outside_view", "The item would not be in the view of this credential afterwards.");

export const outsideView = (): Problem => problem.invalidInput([outsideViewError()]);

/** Errors as the caller may see them. Those of hidden fields become one that names none. */
export function visibleErrors(
  reached: ReachedCollection,
  errors: readonly FieldError[],
): FieldError[] {
  if (reached.reach === "whole") return [...errors];
  const shown = errors.filter(({ pointer = "" }) => {
    const [, key] = /^\/data\/([^/]+)/.exec(pointer) ?? [];
    return key === undefined || knowsField(reached, key);
  });
  const visible = shown.map(withoutFormerKey);
  return shown.length === errors.length ? visible : [...visible, outsideViewError()];
}

/** A column that has another name now is as unknown as any other. */
function withoutFormerKey({ renamed_to: newKey, ...error }: FieldError): FieldError {
  if (newKey === undefined) return error;
  const key = /[^.\]]*$/.exec(error.field)?.[0] ?? "";
  return { ...error, reason: `There is no field "${truncate(key)}".` };
}

export const knowsField = ({ fields }: ReachedCollection, key: string): boolean =>
  fields.byKey.has(key);

export function visibleWarnings(
  reached: ReachedCollection,
  warnings: readonly Warning[],
): Warning[] {
  if (reached.reach === "whole") return [...warnings];
  return warnings.filter(({ field }) => knowsField(reached, field.replace(/[[.].*$/, "")));
}

/**
 * Throws 422 when the item would leave the caller's view. The batch of the write guards the definition and the version of
 * the item, so it stores nothing that this has not seen.
 */
export function assertInView(reached: ReachedCollection, after: Item): void {
  if (!matchesItem(conditionsOf(reached), after)) throw outsideView();
}
