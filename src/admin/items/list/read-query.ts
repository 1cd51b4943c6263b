import { oneOf, shortened } from "../../../domain/problem/field-errors";
import { problem, type FieldError } from "../../../domain/problem/problem";
import type { Query } from "./query";

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
