import { dayInZone, instantInZone } from "../../../../domain/time-zone";
import type { Clock } from "./clock";
import type { Condition, Kind } from "./condition";

export const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
const oneDay = 24 * 60 * 60 * 1000;
/** A century, which is as far as anybody looks. */
const mostDays = 36_525;

/** Today, yesterday, or so many days back (`-7`) or ahead (`30`), today included. */
export function days(field: string, kind: Kind, text: string, clock: Clock): Condition {
  const count = text === "today" ? 0 : text === "yesterday" ? -1 : Number(text);
  if (!Number.isInteger(count) || Math.abs(count) > mostDays) {
    return { field, op: "between", value: [text, text] };
  }
  const day = (offset: number) => dayInZone(clock.now + offset * oneDay, clock.zone);
  const alone = text === "yesterday";
  const range = [day(Math.min(0, count)), alone ? day(count) : day(Math.max(0, count))];
  if (kind === "datetime") return wholeDays(field, "between", range, clock);
  return { field, op: "between", value: range };
}

/** Moments are compared with the days of a zone, from their beginning to their end. */
export function wholeDays(field: string, op: string, values: string[], { zone }: Clock): Condition {
  const [first = "", last = first] = values;
  const begin = (day: string) => instantInZone(`${day}T00:00`, zone) ?? day;
  const after = (day: string) =>
    isDay(day) ? begin(new Date(Date.parse(day) + oneDay).toISOString().slice(0, 10)) : day;
  const from = { field, op: "gte", value: begin(first) };
  switch (op) {
    case "gte":
      return from;
    case "gt":
      return { field, op: "gte", value: after(first) };
    case "lt":
      return { field, op: "lt", value: begin(first) };
    case "lte":
      return { field, op: "lt", value: after(first) };
    case "eq":
      return { all: [from, { field, op: "lt", value: after(first) }] };
    case "between":
      return { all: [from, { field, op: "lt", value: after(last) }] };
    default:
      return { field, op, value: values };
  }
}
