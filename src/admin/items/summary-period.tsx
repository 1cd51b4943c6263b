import { maxMonths, type MonthPeriod } from "#actions/summarize-items.ts";
import { useText } from "#admin/language/index.tsx";
import { Input } from "#html/inputs.tsx";

/** The numbers of months in the links, up to the current month. */
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
          max="9998-12"
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
          <a
            class="button quiet"
            href={`?from=${from}&to=${to}`}
            aria-current={from === period.from && to === period.to ? "page" : undefined}
          >
            {text.recent(months)}
          </a>
        );
      })}
      <small class="muted">{text.longest(maxMonths)}</small>
    </form>
  );
}
