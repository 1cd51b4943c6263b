import type { Catalogue } from "#admin/language/index.tsx";
import type { Definition } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { readReason } from "#domain/problem/reasons.ts";
import type { FieldError, Problem } from "#domain/problem/problem.ts";

const errorsOf = ({ members }: Problem) => (members["errors"] ?? []) as FieldError[];

/** Returns the errors of views in a problem, for which the editor has no inputs. Undefined if there are none. */
export function viewProblem(problem: Problem | undefined): Problem | undefined {
  const errors = problem ? errorsOf(problem).filter(({ field }) => field.startsWith("views")) : [];
  return errors.length > 0 ? problem?.withErrors(errors) : undefined;
}

/** Whether a problem has errors of inputs. The editor highlights these inputs. */
export const hasFieldErrors = (problem: Problem | undefined): boolean =>
  problem !== undefined && errorsOf(problem).some(({ field }) => !field.startsWith("views"));

/** A view that uses a field that the draft removes. */
export interface BrokenView {
  key: string;
  name: string;
  reason: string;
}

/** Finds the views in the errors of a problem. Uses the labels of the page. */
export function findBrokenViews(
  problem: Problem | undefined,
  definition: Definition | undefined,
  text: Catalogue,
): BrokenView[] {
  return problem ? errorsOf(problem).flatMap((error) => toBrokenView(error, definition, text)) : [];
}

function toBrokenView(
  { reason }: FieldError,
  definition: Definition | undefined,
  { definitionEditor: { problems } }: Catalogue,
): BrokenView[] {
  const parts = readReason(reason);
  if (parts?.key !== "viewUsesRemovedField") return [];
  const { view: key, field } = parts.values;
  const fields = (definition?.fields.fields ?? []).flatMap((each): Field[] =>
    each.type === "line_items" ? [each, ...each.fields] : [each],
  );
  const name = definition?.views?.find((view) => view.key === key)?.name ?? key;
  const label = fields.find((each) => each.key === field)?.label ?? field;
  return [{ key, name, reason: problems.viewUsesField(name, label) }];
}

/** Adds the names of the page to errors about a view that uses a field which the draft removes. */
export function withViewHelp(
  problem: Problem,
  definition: Definition | undefined,
  text: Catalogue,
): Problem {
  const errors = errorsOf(problem);
  if (errors.length === 0) return problem;
  return problem.withErrors(
    errors.map((error) => {
      const [view] = toBrokenView(error, definition, text);
      // The reason already contains the view, for which the page has no input.
      return view ? { ...error, field: "", reason: view.reason } : error;
    }),
  );
}
