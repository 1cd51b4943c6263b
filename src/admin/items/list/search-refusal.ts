import { Problem, type FieldError } from "../../../domain/problem/problem";
import type { Filterable } from "./filter/filterable";
import type { Query } from "./query";

/** A search that was refused, in the words of the filters that asked for it. */
export function searchRefusal(
  refusal: Problem,
  { filters }: Query,
  by: readonly Filterable[],
): { summary: Problem; inputs: Problem } {
  const errors = (refusal.members["errors"] ?? []) as FieldError[];
  const told = errors.map((error) => {
    const place = /^conditions\[(\d+)\]/.exec(error.field)?.[1];
    const filter = place === undefined ? undefined : filters[Number(place)];
    if (!filter) return { ...error, label: error.field === "q" ? "Text" : error.field };
    const label = by.find(({ path }) => path === filter.path)?.label ?? filter.path;
    return { ...error, field: `f.${filter.path}.${filter.op}`, label };
  });
  const reasons = told.map(({ label, reason }) => `${label}: ${reason}`);
  const detail =
    reasons.length > 0 ? `This cannot be searched. ${reasons.join(" ")}` : refusal.detail;
  return {
    summary: new Problem(refusal.code, detail),
    inputs: new Problem(refusal.code, detail, { errors: told }),
  };
}
