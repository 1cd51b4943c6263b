import { dayInZone } from "../time-zone";
import { instant, isCalendarDay, stamp, utcDateTime } from "../time";
import { spend, stepsOfDay, zoneNow } from "./budget";
import type { Decimal } from "./decimal";

const day = 24 * 60 * 60 * 1000;

/** b − a in calendar days; a date-time counts as the day that it is in the zone of the collection. */
export function daysBetween(a: string, b: string): number {
  return (midnight(b) - midnight(a)) / day;
}

function midnight(text: string): number {
  spend(stepsOfDay);
  const at = instant(text);
  const calendarDay = at === undefined ? text : dayInZone(at, zoneNow());
  if (!isCalendarDay(calendarDay)) throw new Error("This is no day.");
  return Date.parse(`${calendarDay}T00:00:00Z`);
}

/** A day so many days later; a date-time so many times 24 hours later. */
export function addDays(text: string, days: Decimal): string {
  spend(2 * stepsOfDay);
  const count = days.toNumber();
  if (!Number.isInteger(count)) throw new Error("Days are added whole.");
  const at = instant(text);
  if (at === undefined && !isCalendarDay(text)) throw new Error("This is no day.");
  const later = (at ?? Date.parse(`${text}T00:00:00Z`)) + count * day;
  // Years of four digits, as everywhere; beyond the calendar of JavaScript there is no stamp at all.
  if (!(Math.abs(later) <= 8.64e15)) throw new Error("There is no such day.");
  const moved = stamp(later);
  const result = at === undefined ? moved.slice(0, 10) : withFraction(moved, text);
  if (at === undefined ? isCalendarDay(result) : "value" in utcDateTime(result)) return result;
  throw new Error("There is no such day.");
}

/** Fractions finer than milliseconds are those of the text that was moved. */
function withFraction(moved: string, text: string): string {
  const parsed = utcDateTime(text);
  return "value" in parsed ? moved.slice(0, 19) + parsed.value.slice(19) : moved;
}
