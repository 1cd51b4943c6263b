import { textOf } from "../../frame/sent";

/** One filter of an address: `f.amount.gte=100`, or `f.lines.sku.contains=A` for a column of rows. */
export interface Filter {
  /** The key of a field, with that of a column behind a dot. */
  path: string;
  op: string;
  values: string[];
}

/** What the address of a list of items says. */
export interface Query {
  text: string;
  filters: Filter[];
  /** Conditions as JSON, as the API takes them. */
  conditions: string;
  sort: { key: string; direction: "asc" | "desc" } | undefined;
  /** The columns that are shown; nothing for those of before. */
  columns: string[] | undefined;
  cursor: string | undefined;
  /** The cursors of the pages before this one, the last one last; empty for the first page. */
  trail: string[];
}

/** Whether it asks for some of the items only. */
export function isNarrowed({ text, filters, conditions }: Query): boolean {
  return text !== "" || filters.length > 0 || conditions !== "";
}

/** The query as an address has it, without the place of a page. */
export function searchParams(query: Partial<Query>): URLSearchParams {
  const params = new URLSearchParams();
  const set = (name: string, value: unknown) => {
    const text = textOf(value);
    if (text !== "") params.append(name, text);
  };
  set("q", query.text);
  for (const { path, op, values } of query.filters ?? []) {
    for (const value of values) set(`f.${path}.${op}`, value);
  }
  set("conditions", query.conditions);
  set("sort", query.sort?.key);
  if (query.sort?.direction === "desc") set("direction", "desc");
  return params;
}
