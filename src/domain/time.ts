export const minute = 60_000;

/** RFC 3339 in UTC with milliseconds: how the service writes its own stamps. */
export function stamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/**
 * What common libraries write: RFC 3339, with the seconds left out, with offsets like `+0900` and `+09`, and ISO 8601's
 * basic format. A leap second is read as the end of the second before it.
 */
const extended =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:\.(\d{1,9}))?)?([Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/;
const basic =
  /^(\d{4})(\d\d)(\d\d)[Tt]([01]\d|2[0-3])([0-5]\d)(?:([0-5]\d|60)(?:\.(\d{1,9}))?)?([Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/;
const withoutOffset =
  /^(?:\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?|\d{8}[Tt]\d{4}(?:\d\d(?:\.\d+)?)?)$/;

export type TimeFault = "time_zone_required" | "invalid_format";

/**
 * A date-time with an offset, as the same instant in UTC. Milliseconds are always written; finer digits (up to
 * nanoseconds) are kept as sent.
 */
export function utcDateTime(text: string): { value: string } | { fault: TimeFault } {
  const match = extended.exec(text) ?? basic.exec(text);
  if (!match) return { fault: withoutOffset.test(text) ? "time_zone_required" : "invalid_format" };
  const [
    ,
    year = "",
    month = "",
    day = "",
    hour,
    minutes,
    sent = "00",
    fraction = "",
    offset = "Z",
  ] = match;
  if (!isCalendarDay(`${year}-${month}-${day}`)) return { fault: "invalid_format" };
  const leap = sent === "60";
  const seconds = leap ? "59" : sent;
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minutes}:${seconds}Z`);
  const written = new Date(local - offsetMinutes(offset) * minute).toISOString();
  // What is answered can be sent back: years outside 0001 to 9999 could not.
  if (written.length !== 24 || written.startsWith("0000")) return { fault: "invalid_format" };
  const digits = (leap ? "999" : fraction).replace(/0+$/, "").padEnd(3, "0");
  return { value: `${written.slice(0, 19)}.${digits}Z` };
}

/** The nearest right form of what looks like a date-time or a day, for a reason; undefined where nothing is near. */
export function nearestDateTime(text: string, form: "date" | "datetime"): string | undefined {
  const parts =
    /^\s*(\d{4})[-/.]?(\d{1,2})[-/.]?(\d{1,2})(?:[Tt ,]+(\d{1,2})(?:[:.]?(\d\d))?(?:[:.]?(\d\d))?(?:[.,]\d*)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?/i.exec(
      text,
    ) ?? dayFirst(text);
  if (!parts) return undefined;
  const [, year = "", month = "", day = "", hour = "0", minutes = "0", seconds = "0", offset] =
    parts;
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  if (!isCalendarDay(date)) return undefined;
  if (form === "date") return date;
  const time = [hour, minutes, seconds].map((part) => part.padStart(2, "0")).join(":");
  const zone = offset === undefined || /^[a-z]/i.test(offset) ? "Z" : offset;
  const near = `${date}T${time}${zone}`;
  return "value" in utcDateTime(near) ? near : undefined;
}

/** As in 21.11.2026; where month and day could be each other, nothing is near. */
function dayFirst(text: string): string[] | undefined {
  const [, first = "", second = "", year = ""] =
    /^\s*(\d{1,2})[./-](\d{1,2})[./-](\d{4})\s*$/.exec(text) ?? [];
  const isDayFirst = text.includes(".") || Number(first) > 12;
  return year !== "" && isDayFirst ? ["", year, second, first] : undefined;
}

/** The milliseconds since 1970 of an RFC 3339 date-time with an offset. */
export function instant(text: string): number | undefined {
  const parsed = utcDateTime(text);
  return "value" in parsed ? Date.parse(`${parsed.value.slice(0, 23)}Z`) : undefined;
}

/** Whether `YYYY-MM-DD` names a day of the (proleptic Gregorian) calendar, in the years 0001 to 9999. */
export function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !day.startsWith("0000") && !Number.isNaN(time) && stamp(time).startsWith(day);
}

export function offsetMinutes(offset: string): number {
  if (offset === "Z" || offset === "z") return 0;
  const [hours, rest] = [offset.slice(1, 3), offset.slice(3).replace(":", "")];
  const minutes = Number(hours) * 60 + Number(rest);
  return offset.startsWith("-") ? -minutes : minutes;
}

/** Whether the runtime knows this IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    formatter(name);
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  if (formatters.size > 500) formatters.clear();
  formatters.set(zone, made);
  return made;
}

/** The calendar day, `YYYY-MM-DD`, that it is in a zone. */
export function dayInZone(time: number, zone: string): string {
  return stamp(time + offsetAt(zone, time) * minute).slice(0, 10);
}

/** `YYYY-MM-DD HH:MM:SS` as clocks in a zone show it. */
export function localDateTime(time: number, zone: string): string {
  return stamp(time + offsetAt(zone, time) * minute)
    .slice(0, 19)
    .replace("T", " ");
}

/** The instant, in UTC, of what clocks in a zone show (`YYYY-MM-DDTHH:MM`, with or without seconds and a fraction). */
export function instantInZone(local: string, zone: string): string | undefined {
  const time = Date.parse(`${local}Z`);
  if (Number.isNaN(time)) return undefined;
  // As for days: a second look settles times beside a change of clocks.
  const guess = offsetAt(zone, time);
  return stamp(time - offsetAt(zone, time - guess * minute) * minute);
}

const quarter = 15 * minute;
/** Since then, clocks change at full quarters of an hour. */
const regular = Date.UTC(1972, 0, 1);
/** By zone, and by quarters of an hour since 1970. */
const offsets = new Map<string, Map<number, number>>();
const mostZones = 10;
const mostOffsets = 5000;

/** Minutes east of UTC, rounded: before standard time, zones had seconds. */
export function offsetAt(zone: string, time: number): number {
  if (time < regular) return offsetOf(zone, time);
  const own = offsetsOf(zone);
  const at = Math.floor(time / quarter);
  const known = own.get(at);
  if (known !== undefined) return known;
  if (own.size >= mostOffsets) own.clear();
  const offset = offsetOf(zone, time);
  own.set(at, offset);
  return offset;
}

function offsetsOf(zone: string): Map<number, number> {
  const known = offsets.get(zone);
  if (known) return known;
  if (offsets.size >= mostZones) offsets.clear();
  const made = new Map<number, number>();
  offsets.set(zone, made);
  return made;
}

function offsetOf(zone: string, time: number): number {
  const parts = formatter(zone).formatToParts(time);
  const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  const [, sign, hours, minutes, seconds = "0"] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
  if (sign === undefined) return 0;
  const size = Number(hours) * 60 + Number(minutes) + Math.round(Number(seconds) / 60);
  return sign === "-" ? -size : size;
}

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
