import { textOf } from "#admin/form-input.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import type { Field } from "#domain/definition/field.ts";
import { Problem, type FieldError } from "#domain/problem/problem.ts";

type Texts = Pick<Catalogue, "itemForm" | "problems">;

/** The problem of an item with its field errors in the language of the page. */
export function explainProblem(error: Problem, fields: readonly Field[], text: Texts): Problem {
  const { code, detail, members, headers } = error;
  const errors = members["errors"] as FieldError[] | undefined;
  const explained =
    errors?.map((each) => ({
      ...each,
      reason: text.problems.reason(each, findField(fields, each.field)),
    })) ?? errorOfField(error, fields, text);
  return explained ? new Problem(code, detail, { ...members, errors: explained }, headers) : error;
}

/** The field or column of an error, like `title`, `tags[1]` and `lines[0].qty`. */
function findField(fields: readonly Field[], place: string): Field | undefined {
  const [key, columnKey] = place.replaceAll(/\[\d+\]/g, "").split(".");
  const field = fields.find((each) => each.key === key);
  if (columnKey === undefined || field?.type !== "line_items") return field;
  return field.fields.find((column) => column.key === columnKey);
}

/** A problem that names one field becomes its error, so that the field's input shows it. */
function errorOfField(error: Problem, fields: readonly Field[], { itemForm, problems }: Texts) {
  const field = textOf(error.members["field"]);
  if (field === "") return undefined;
  const label = fields.find(({ key }) => key === field)?.label ?? field;
  const isDuplicate = error.code === "duplicate";
  return [{ field, reason: isDuplicate ? itemForm.duplicate(label) : problems.detail(error) }];
}
