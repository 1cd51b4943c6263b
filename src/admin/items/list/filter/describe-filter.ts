import { showDay, type Reader } from "../../../../html/reader";
import type { Filterable } from "./filterable";
import type { Filter } from "../query";

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

export function describeFilter(
  { path, op, values }: Filter,
  by: readonly Filterable[],
  reader: Reader,
): string {
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
