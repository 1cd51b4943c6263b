import { textOf } from "#admin/form-input.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import type { FieldFacts } from "#admin/language/field-facts.ts";
import type { Field } from "#domain/definition/field.ts";
import { type FieldError, Problem } from "#domain/problem/problem.ts";

/** Translates the field errors of a problem to the language of the page. */
export function explainErrors(
  error: Problem,
  { problems }: Pick<Catalogue, "problems">,
  fieldAt: (place: string) => FieldFacts | undefined = () => undefined,
): Problem {
  const errors = error.members["errors"] as FieldError[] | undefined;
  const explained = errors?.map((each) => ({
    ...each,
    reason: problems.reason(each, fieldAt(each.field)),
  }));
  return explained?.length ? error.withErrors(explained) : error;
}

/** Translates a problem and its field errors to the language of the page. */
export function explainProblem(error: Problem, text: Pick<Catalogue, "problems">): Problem {
  // Keeps the object if the detail is unchanged, because the page for missing settings recognizes the class of its
  // problem.
  const detail = text.problems.detail(error);
  const explained =
    detail === error.detail ? error : new Problem(error.code, detail, error.members, error.headers);
  return explainErrors(explained, text);
}

/** Translates the problem of an item. If it names a field, it becomes an error of the field's input. */
export function explainItemProblem(
  error: Problem,
  fields: readonly Field[],
  text: Pick<Catalogue, "itemForm" | "problems">,
): Problem {
  const key = textOf(error.members["field"]);
  if (key === "" || error.members["errors"] !== undefined)
    return explainErrors(error, text, (place) => findField(fields, place));
  const label = findField(fields, key)?.label ?? key;
  const isDuplicate = error.code === "duplicate";
  const reason = isDuplicate ? text.itemForm.duplicate(label) : text.problems.detail(error);
  return error.withErrors([{ field: key, reason }]);
}

/** Finds the field or column of an error, like `title`, `tags[1]` and `lines[0].qty`. */
export function findField(fields: readonly Field[], place: string): Field | undefined {
  const [key, columnKey] = place.replaceAll(/\[\d+\]/g, "").split(".");
  const field = fields.find((each) => each.key === key);
  if (columnKey === undefined || field?.type !== "line_items") return field;
  return field.fields.find((column) => column.key === columnKey);
}
