import { useReader } from "../../../../html/reader";
import type { Filterable } from "./filterable";
import { searchParams, type Query } from "../query";
import { describeFilter } from "./describe-filter";

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
    text: describeFilter(filter, by, reader),
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
