import { maxMonths, type MonthPeriod } from "#actions/summarize-items.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import type { FieldError, Problem } from "#domain/problem/problem.ts";
import { Input } from "#html/inputs.tsx";

/** The errors of the period in the language of the page. */
export const explainPeriod = (error: Problem, text: Catalogue["summary"]): Problem =>
  error.withErrors(
    ((error.members["errors"] ?? []) as FieldError[]).map((each) => ({
      ...each,
      reason:
        each.code !== "out_of_range"
          ? text.errors.month
          : each.reason.includes("at most")
            ? text.longest(maxMonths)
            : text.errors.order,
    })),
  );

/** The numbers of months that a link shows, up to the present one. */
const presets = [1, 3, 12];

export function PeriodForm({
  period,
  recent,
}: {
  period: MonthPeriod;
  recent: (months: number) => MonthPeriod;
}) {
  const text = useText().summary;
  return (
    <form method="get" class="bar period">
      {(["from", "to"] as const).map((name) => (
        <Input
          name={name}
          type="month"
          label={text[name]}
          value={period[name]}
          required
          pattern="\d{4}-\d{2}"
        />
      ))}
      <button type="submit" class="quiet">
        {text.show}
      </button>
      {presets.map((months) => {
        const { from, to } = recent(months);
        return (
          <a class="button quiet" href={`?from=${from}&to=${to}`}>
            {text.recent(months)}
          </a>
        );
      })}
      <small class="muted">{text.longest(maxMonths)}</small>
    </form>
  );
}
