import type { Catalogue } from "#admin/language/index.tsx";
import type { Definition } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import type { FieldError, Problem } from "#domain/problem/problem.ts";

const errorsOf = ({ members }: Problem) => (members["errors"] ?? []) as FieldError[];

/** The errors of views in a problem. They have no input in the editor. Undefined if there are none. */
export function viewProblem(problem: Problem | undefined): Problem | undefined {
  const errors = problem ? errorsOf(problem).filter(({ field }) => field.startsWith("views")) : [];
  return errors.length > 0 ? problem?.withErrors(errors) : undefined;
}

/** Names views and fields as the page does where a view uses a field that the draft removes. */
export function withViewHelp(
  problem: Problem,
  definition: Definition | undefined,
  { definitionEditor: { problems } }: Catalogue,
): Problem {
  const fields = (definition?.fields.fields ?? []).flatMap((field): Field[] =>
    field.type === "line_items" ? [field, ...field.fields] : [field],
  );
  const errors = errorsOf(problem);
  if (errors.length === 0) return problem;
  const explained = errors.map((error) => {
    const [, view, field] = /^The view "(.*?)" uses the field "(.*?)"/.exec(error.reason) ?? [];
    if (view === undefined || field === undefined) return error;
    const name = definition?.views?.find(({ key }) => key === view)?.name ?? view;
    const label = fields.find(({ key }) => key === field)?.label ?? field;
    return { ...error, reason: problems.viewUsesField(name, label) };
  });
  return problem.withErrors(explained);
}
