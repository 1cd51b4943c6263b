import { unknownFieldError, type Warning } from "#domain/data/values.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { Item } from "#domain/item/item.ts";
import { isObject } from "#domain/json.ts";
import { errorAt, truncate } from "#domain/problem/field-errors.ts";
import { problem, type FieldError, type Problem } from "#domain/problem/problem.ts";
import { ItemMatcher } from "#domain/search/matches.ts";
import { isInView } from "./sees-item.ts";

/**
 * The rules for writes through a view (contract, section 19). The whole collection validates and computes an item. The
 * caller can name only fields that it sees, and learns nothing about other fields.
 */

/** Returns the body without keys that the caller does not see, and an error for each of these keys. */
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
  errorAt(
    [],
    "outside_view",
    "The item would not match the view of this credential, or a field that the view hides would be invalid.",
  );

export const outsideView = (): Problem => problem.invalidInput([outsideViewError()]);

/** Returns the errors that the caller may see. Replaces the errors of hidden fields by one error without a field. */
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

/** Removes the new key of a renamed column, so that the error equals the one for any unknown key. */
function withoutFormerKey({ renamed_to: newKey, ...error }: FieldError): FieldError {
  if (newKey === undefined) return error;
  const key = /[^.\]]*$/.exec(error.field)?.[0] ?? "";
  return { ...error, reason: `There is no field "${truncate(key)}".` };
}

export const knowsField = ({ fields }: CollectionAccess, key: string): boolean =>
  fields.byKey.has(key);

/** The maximum number of warnings in a response. Further warnings are dropped. */
const maxWarnings = 100;

/** Returns the first warnings of fields that the caller sees. Warnings of hidden fields do not count. */
export function visibleWarnings(access: CollectionAccess, warnings: readonly Warning[]): Warning[] {
  const visible =
    access.extent === "whole"
      ? warnings
      : warnings.filter(({ field }) => knowsField(access, field.replace(/[[.].*$/, "")));
  return visible.slice(0, maxWarnings);
}

/** The matchers of items, so that a batch evaluates the conditions on unchanged fields once. */
const matchers = new WeakMap<Item, ItemMatcher>();

/**
 * Throws 422 when the item would leave the caller's view. The batch of the write guards the definition and the version
 * of the item, so it cannot store a state that this did not check.
 */
export function assertInView(access: CollectionAccess, before: Item | null, after: Item): void {
  if (access.extent === "whole") return;
  const matcher = new ItemMatcher(after, before && (matchers.get(before) ?? null));
  matchers.set(after, matcher);
  if (!isInView(access, after, matcher)) throw outsideView();
}
