import { unknownFieldError, type Warning } from "#domain/data/values.ts";
import { conditionsOf, type CollectionAccess } from "#domain/data/narrow.ts";
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
  access: CollectionAccess,
  body: unknown,
): { body: unknown; errors: FieldError[] } {
  const { fields } = access;
  if (access.extent === "whole" || !isObject(body) || !isObject(body["data"]))
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
  access: CollectionAccess,
  errors: readonly FieldError[],
): FieldError[] {
  if (access.extent === "whole") return [...errors];
  const shown = errors.filter(({ pointer = "" }) => {
    const [, key] = /^\/data\/([^/]+)/.exec(pointer) ?? [];
    return key === undefined || knowsField(access, key);
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

export const knowsField = ({ fields }: CollectionAccess, key: string): boolean =>
  fields.byKey.has(key);

/** The limit for the warnings of a response. Drops further ones. */
const maxWarnings = 100;

/** The first warnings of fields that the caller sees. Those of hidden fields do not count. */
export function visibleWarnings(access: CollectionAccess, warnings: readonly Warning[]): Warning[] {
  const visible =
    access.extent === "whole"
      ? warnings
      : warnings.filter(({ field }) => knowsField(access, field.replace(/[[.].*$/, "")));
  return visible.slice(0, maxWarnings);
}

/**
 * Throws 422 when the item would leave the caller's view. The batch of the write guards the definition and the version of
 * the item, so it stores nothing that this has not seen.
 */
export function assertInView(access: CollectionAccess, after: Item): void {
  if (!matchesItem(conditionsOf(access), after)) throw outsideView();
}
