import { instantInZone } from "../../../../domain/time-zone";
import type { Clock } from "./clock";
import type { Condition, Kind } from "./condition";
import { isDay, days, wholeDays } from "./days";

const onlyValue = new Set(["eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with"]);

export function leaf(
  field: string,
  kind: Kind,
  op: string,
  values: string[],
  clock: Clock,
): Condition {
  const [first = ""] = values;
  if (op === "is_empty") return { field, op, value: first !== "false" };
  if (op === "days") return days(field, kind, first, clock);
  if (kind === "datetime" && isDay(first)) return wholeDays(field, op, values, clock);
  const all = values.map((value) => operandOf(kind, value, clock));
  return { field, op, value: onlyValue.has(op) ? all[0] : all };
}

function operandOf(kind: Kind, text: string, { zone }: Clock): unknown {
  if (kind === "number")
    return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === "boolean")
    return text === "true" || text === "yes"
      ? true
      : text === "false" || text === "no"
        ? false
        : text;
  const local = kind === "datetime" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
  return local ? (instantInZone(text, zone) ?? text) : text;
}
