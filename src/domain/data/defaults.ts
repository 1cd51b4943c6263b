import { invalid } from "../definition/rules";
import { mostMatchSteps, type MatchBudget } from "../pattern/pattern";
import type { FieldError } from "../problem/problem";
import { judge } from "./check/check-values";
import type { CompiledFields } from "./compile";

/** Defaults that their own fields would refuse, as errors of the definition. */
export function defaultErrors(
  fields: CompiledFields,
  path: readonly (string | number)[] = ["fields"],
  matching: MatchBudget = { steps: mostMatchSteps },
): FieldError[] {
  return fields.list.flatMap(({ field, rows, ...rest }, index) => {
    const at = [...path, index];
    const own =
      field.default === undefined
        ? []
        : judge({ field, rows, ...rest }, field.default, matching).map(({ reason }) =>
            invalid([...at, "default"], reason),
          );
    return rows ? [...own, ...defaultErrors(rows, [...at, "fields"], matching)] : own;
  });
}
