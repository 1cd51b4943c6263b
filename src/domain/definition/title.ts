import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { definitionError, titleField, valueType, type Field, type FieldSet } from "./field.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** The member of a field set for the title, or the errors of the key. */
export interface TitleResult {
  member: Pick<FieldSet, "title">;
  errors: FieldError[];
}

const titleTypes: ReadonlySet<Field["type"]> = new Set([
  "text",
  "multiline_text",
  "email",
  "url",
  "phone",
]);

/** Whether the values of a field can be the title of a record. They must be searchable texts, and can be computed. */
export const canBeTitle = (field: Field): boolean =>
  field.searchable && titleTypes.has(valueType(field));

/** Finds the field that `title_field` names. Returns no field for null. */
export function findTitle(fields: readonly Field[], key: string | null): TitleResult {
  if (key === null) return { member: {}, errors: [] };
  const field = fields.find((candidate) => candidate.key === key);
  if (field && canBeTitle(field)) return { member: { title: field.id }, errors: [] };
  const choices = fields.filter(canBeTitle).map((candidate) => candidate.key);
  const reason =
    choices.length > 0
      ? reasonFor("notTitleFieldOf", { key: truncate(key), choices: formatChoices(choices) })
      : reasonFor("notTitleField", { key: truncate(key) });
  return { member: {}, errors: [definitionError(["title_field"], reason)] };
}

/** Returns the error of a definition that drops its title field without naming another one. */
const titleError = (key: string): FieldError =>
  definitionError(["title_field"], reasonFor("titleFieldRemoved", { key }));

/** Returns the new title. A document without `title_field` keeps the title field, which may have a new key. */
export function mergeTitle(
  before: FieldSet,
  fields: readonly Field[],
  key: string | null | undefined,
): TitleResult {
  if (key !== undefined) return findTitle(fields, key);
  const current = titleField(before);
  const field = current && fields.find(({ id }) => id === current.id);
  if (!current) return { member: {}, errors: [] };
  return field ? findTitle(fields, field.key) : { member: {}, errors: [titleError(current.key)] };
}
