import { showDay, useReader, type Reader } from "../../../html/reader";
import type { Filterable } from "./filter-inputs";
import { searchParams, type Filter, type Query } from "./query";

const words: Record<string, string> = {
  eq: "is",
  ne: "is not",
  gt: "is more than",
  gte: "from",
  lt: "is less than",
  lte: "up to",
  between: "between",
  contains: "contains",
  starts_with: "starts with",
  in: "is",
  not_in: "is not",
  has_any: "has",
  has_all: "has all of",
  has_none: "has none of",
  days: "in",
};

const dayWords: Record<string, string> = { today: "today", yesterday: "yesterday" };

/** The filters that are on, each with the way to be without it. */
export function Chips({
  base,
  query,
  by,
}: {
  base: string;
  query: Query;
  by: readonly Filterable[];
}) {
  const reader = useReader();
  const without = (changed: Partial<Query>) =>
    `${base}?${searchParams({ ...query, ...changed }).toString()}`;
  const chips = query.filters.map((filter) => ({
    text: describe(filter, by, reader),
    href: without({ filters: query.filters.filter((each) => each !== filter) }),
  }));
  if (query.text !== "") {
    chips.unshift({ text: `Text “${query.text}”`, href: without({ text: "" }) });
  }
  if (query.conditions !== "") {
    chips.push({ text: "Conditions as JSON", href: without({ conditions: "" }) });
  }
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters that are on">
      {chips.map(({ text, href }) => (
        <li>
          {text}
          <a href={href} aria-label={`Without: ${text}`}>
            ✕
          </a>
        </li>
      ))}
    </ul>
  );
}

function describe({ path, op, values }: Filter, by: readonly Filterable[], reader: Reader): string {
  const known = by.find((each) => each.path === path);
  const name = known?.label ?? path;
  if (op === "is_empty") return `${name} is ${values[0] === "false" ? "not " : ""}empty`;
  const shown = values.map((value) => {
    if (op === "days") return dayWords[value] ?? span(Number(value));
    if (known?.type === "boolean") return value === "true" || value === "yes" ? "yes" : "no";
    if (/^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))) {
      return showDay({ ...reader, zone: "UTC" }, Date.parse(value));
    }
    return known?.options.find((option) => option.value === value)?.label ?? value;
  });
  return `${name} ${words[op] ?? op.replaceAll("_", " ")} ${shown.join(op === "between" ? " and " : " or ")}`;
}

const span = (days: number) => (days < 0 ? `the last ${-days} days` : `the next ${days} days`);
