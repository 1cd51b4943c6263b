import { oneOf, shortened } from "../../../domain/problem/field-errors";
import { problem, type FieldError } from "../../../domain/problem/problem";
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

type Sent = Record<string, string[]>;

const mostFilters = 40;
const single = ["q", "conditions", "sort", "direction", "cursor", "trail", "field", "op", "value"];
const repeated = ["columns", "empty", "filled"];

/** Nothing in an address is ignored: what is not known, or stands there twice, is refused. */
export function refuseUnknown(sent: Sent, more: readonly string[] = []): void {
  const known = [...single, ...repeated, ...more];
  const errors = Object.entries(sent).flatMap(([field, values]): FieldError[] => {
    const isKnown = known.includes(field) || filterName.test(field);
    const parameters = `The parameters are ${oneOf(known)}, and f.FIELD.OPERATOR.`;
    if (!isKnown) {
      const reason = `This list has no such parameter. ${parameters}`;
      return [{ field: shortened(field), code: "unknown_parameter", reason }];
    }
    if (values.length === 1 || !single.includes(field)) return [];
    return [{ field, code: "invalid_type", reason: "Send this parameter once." }];
  });
  const direction = sent["direction"]?.[0] ?? "asc";
  if (!["", "asc", "desc"].includes(direction)) {
    const reason = 'Must be one of "asc", "desc".';
    errors.push({ field: "direction", code: "invalid_format", reason });
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
}

const filterName = /^f\.(.+)\.(\w+)$/;

export function readQuery(sent: Sent): Query {
  const one = (name: string) => sent[name]?.[0] ?? "";
  const named = Object.entries(sent).flatMap(([name, all]) => {
    const [, path, op] = filterName.exec(name) ?? [];
    const values = all.filter((value) => value !== "");
    return path && op && values.length > 0 ? [{ path, op, values }] : [];
  });
  const emptiness = ["empty", "filled"].flatMap((name) =>
    (sent[name] ?? [])
      .filter((path) => path !== "")
      .map((path) => ({ path, op: "is_empty", values: [String(name === "empty")] })),
  );
  // As programs write it: one field, one operator, one value.
  const plain = one("field")
    ? [{ path: one("field"), op: one("op") || "eq", values: plainValues(one("op"), one("value")) }]
    : [];
  const key = one("sort");
  return {
    text: one("q").trim(),
    filters: [...plain, ...named, ...emptiness].slice(0, mostFilters),
    conditions: one("conditions").trim(),
    sort: key ? { key, direction: one("direction") === "desc" ? "desc" : "asc" } : undefined,
    columns: sent["columns"]?.filter((column) => column !== ""),
    cursor: one("cursor") || undefined,
    trail: one("trail")
      .split(" ")
      .filter((cursor) => cursor !== ""),
  };
}

const lists = ["between", "in", "not_in", "has_any", "has_all", "has_none"];

function plainValues(op: string, value: string): string[] {
  return lists.includes(op) ? value.split(",").map((part) => part.trim()) : [value];
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
