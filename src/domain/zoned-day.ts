import { minute, stamp, isCalendarDay, offsetMinutes } from "./time";
import { offsetAt } from "./time-zone";

const zonedDay = /^(\d{4}-\d\d-\d\d)(Z|[+-]\d\d:\d\d)?$/;
/** Before standard time, zones reached beyond today's ±14:00: Manila to −15:56, Juneau to +15:02. */
const zonedDayOffset = /^[+-](0\d|1[0-5]):[0-5]\d$/;

/** A calendar day with its offset (`2026-11-21+09:00`); one sent without gets that of `zone` on that day. */
export function dayWithOffset(text: string, zone: string): string | undefined {
  const [, day, offset] = zonedDay.exec(text) ?? [];
  if (day === undefined || !isCalendarDay(day)) return undefined;
  if (offset === undefined) return day + zoneOffset(zone, day);
  if (offset !== "Z" && !zonedDayOffset.test(offset)) return undefined;
  return day + (offsetMinutes(offset) === 0 ? "Z" : offset);
}

/** The offset of `zone` when `day` begins there: `Z` or `±HH:MM`. */
function zoneOffset(zone: string, day: string): string {
  if (zone === "UTC") return "Z";
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The offset at the guess tells the true instant; a second look settles days that begin at a change of clocks.
  const guess = offsetAt(zone, midnight);
  const offset = offsetAt(zone, midnight - guess * minute);
  if (offset === 0) return "Z";
  const size = Math.abs(offset);
  return `${offset < 0 ? "-" : "+"}${pad(Math.trunc(size / 60))}:${pad(size % 60)}`;
}

function pad(part: number): string {
  return String(part).padStart(2, "0");
}

/** The instant at which a calendar day, `YYYY-MM-DD`, ends in a zone; undefined where there is no such day. */
export function endOfDay(calendarDay: string, zone: string): number | undefined {
  if (!isCalendarDay(calendarDay)) return undefined;
  const next = stamp(Date.parse(`${calendarDay}T00:00:00Z`) + 24 * 60 * minute).slice(0, 10);
  const begins = dayWithOffset(next, zone);
  return begins === undefined
    ? undefined
    : Date.parse(`${next}T00:00:00Z`) - offsetMinutes(begins.slice(10)) * minute;
}
