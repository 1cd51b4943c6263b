const minuteMs = 60_000;

/** Formats a time as RFC 3339 in UTC with milliseconds, like all timestamps of the service. */
export function formatTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/**
 * The formats that common libraries write: RFC 3339, optionally without seconds, offsets like `+0900` and `+09`, and
 * ISO 8601's basic format. A leap second counts as the last millisecond of the previous second.
 */
const extendedFormat =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:\.(\d{1,9}))?)?([Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/;
const basicFormat =
  /^(\d{4})(\d\d)(\d\d)[Tt]([01]\d|2[0-3])([0-5]\d)(?:([0-5]\d|60)(?:\.(\d{1,9}))?)?([Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/;
const noOffsetFormat =
  /^(?:\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?|\d{8}[Tt]\d{4}(?:\d\d(?:\.\d+)?)?)$/;

export type DateTimeErrorCode = "time_zone_required" | "invalid_format";

/**
 * Converts a date-time with an offset to UTC. The result always has milliseconds and keeps finer digits (up to
 * nanoseconds).
 */
export function toUtcDateTime(text: string): { value: string } | { errorCode: DateTimeErrorCode } {
  const match = extendedFormat.exec(text) ?? basicFormat.exec(text);
  if (!match)
    return { errorCode: noOffsetFormat.test(text) ? "time_zone_required" : "invalid_format" };
  const [
    ,
    year = "",
    month = "",
    day = "",
    hour,
    minutes,
    rawSeconds = "00",
    fraction = "",
    offset = "Z",
  ] = match;
  if (!isCalendarDay(`${year}-${month}-${day}`)) return { errorCode: "invalid_format" };
  const isLeapSecond = rawSeconds === "60";
  const seconds = isLeapSecond ? "59" : rawSeconds;
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minutes}:${seconds}Z`);
  const utc = new Date(local - offsetMinutes(offset) * minuteMs).toISOString();
  // The API rejects years outside 0001 to 9999, so it must not produce them.
  if (utc.length !== 24 || utc.startsWith("0000")) return { errorCode: "invalid_format" };
  const digits = (isLeapSecond ? "999" : fraction).replace(/0+$/, "").padEnd(3, "0");
  return { value: `${utc.slice(0, 19)}.${digits}Z` };
}

/** Suggests a valid text for the reason of an error when the text of the request looks like a day or a date-time. */
export function suggestDateTime(text: string, target: "date" | "datetime"): string | undefined {
  const parts =
    /^\s*(\d{4})[-/.]?(\d{1,2})[-/.]?(\d{1,2})(?:[Tt ,]+(\d{1,2})(?:[:.]?(\d\d))?(?:[:.]?(\d\d))?(?:[.,]\d*)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?/i.exec(
      text,
    ) ?? matchDayFirst(text);
  if (!parts) return undefined;
  const [, year = "", month = "", day = "", hour = "0", minutes = "0", seconds = "0", offset] =
    parts;
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  if (!isCalendarDay(date)) return undefined;
  if (target === "date") return date;
  const time = [hour, minutes, seconds].map((part) => part.padStart(2, "0")).join(":");
  const zone = offset === undefined || /^[a-z]/i.test(offset) ? "Z" : offset;
  const suggestion = `${date}T${time}${zone}`;
  return "value" in toUtcDateTime(suggestion) ? suggestion : undefined;
}

/** Matches days like 21.11.2026. Returns undefined when day and month are ambiguous. */
function matchDayFirst(text: string): string[] | undefined {
  const [, firstPart = "", secondPart = "", year = ""] =
    /^\s*(\d{1,2})[./-](\d{1,2})[./-](\d{4})\s*$/.exec(text) ?? [];
  const isDayFirst = text.includes(".") || Number(firstPart) > 12;
  return year !== "" && isDayFirst ? ["", year, secondPart, firstPart] : undefined;
}

/** Returns the milliseconds since 1970 of an RFC 3339 date-time with an offset. Undefined for an invalid one. */
export function toEpochMs(text: string): number | undefined {
  const parsed = toUtcDateTime(text);
  return "value" in parsed ? Date.parse(`${parsed.value.slice(0, 23)}Z`) : undefined;
}

/** Whether `YYYY-MM-DD` is a day of the (proleptic Gregorian) calendar in the years 0001 to 9999. */
export function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !day.startsWith("0000") && !Number.isNaN(time) && formatTimestamp(time).startsWith(day);
}

function offsetMinutes(offset: string): number {
  if (offset === "Z" || offset === "z") return 0;
  const [hours, minutesText] = [offset.slice(1, 3), offset.slice(3).replace(":", "")];
  const minutes = Number(hours) * 60 + Number(minutesText);
  return offset.startsWith("-") ? -minutes : minutes;
}

/** Whether the runtime knows this IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    getFormatter(name);
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function getFormatter(zone: string): Intl.DateTimeFormat {
  const cached = formatters.get(zone);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  if (formatters.size > 500) formatters.clear();
  formatters.set(zone, format);
  return format;
}

/** Returns the calendar day of an instant in a zone as `YYYY-MM-DD`. */
export function dayInZone(time: number, zone: string): string {
  return formatTimestamp(time + offsetAt(zone, time) * minuteMs).slice(0, 10);
}

/** Returns the calendar day (`YYYY-MM-DD`) that is `days` after another one, or before it if negative. */
export const addDays = (day: string, days: number): string =>
  formatTimestamp(Date.parse(`${day}T00:00:00Z`) + days * 24 * 60 * minuteMs).slice(0, 10);

/** Formats the local time in a zone as `YYYY-MM-DD HH:MM:SS`. */
export function formatLocalDateTime(time: number, zone: string): string {
  return formatTimestamp(time + offsetAt(zone, time) * minuteMs)
    .slice(0, 19)
    .replace("T", " ");
}

/** Converts a local time in a zone (`YYYY-MM-DDTHH:MM`, optionally with seconds and a fraction) to UTC. */
export function localToUtc(local: string, zone: string): string | undefined {
  const time = Date.parse(`${local}Z`);
  if (Number.isNaN(time)) return undefined;
  // The first offset is a guess. A second lookup corrects times near a clock change.
  const guess = offsetAt(zone, time);
  return formatTimestamp(time - offsetAt(zone, time - guess * minuteMs) * minuteMs);
}

/** Returns the instant with the same local time this number of calendar days earlier. */
export function daysBefore(time: number, days: number, zone: string): number {
  const local = time + offsetAt(zone, time) * minuteMs - days * 24 * 60 * minuteMs;
  const guess = offsetAt(zone, local);
  return local - offsetAt(zone, local - guess * minuteMs) * minuteMs;
}

const quarterHourMs = 15 * minuteMs;
/** From this time on, offsets change only at full quarters of an hour. */
const quarterOffsetsSinceMs = Date.UTC(1972, 0, 1);
/** Offsets by zone, and by quarter of an hour since 1970. */
const offsetCache = new Map<string, Map<number, number>>();
const maxCachedZones = 10;
const maxCachedOffsets = 5000;

/** Returns the minutes east of UTC, rounded because offsets included seconds before standard time. */
function offsetAt(zone: string, time: number): number {
  if (time < quarterOffsetsSinceMs) return computeOffset(zone, time);
  const offsets = getCachedOffsets(zone);
  const quarterHour = Math.floor(time / quarterHourMs);
  const cached = offsets.get(quarterHour);
  if (cached !== undefined) return cached;
  if (offsets.size >= maxCachedOffsets) offsets.clear();
  const offset = computeOffset(zone, time);
  offsets.set(quarterHour, offset);
  return offset;
}

function getCachedOffsets(zone: string): Map<number, number> {
  const cached = offsetCache.get(zone);
  if (cached) return cached;
  if (offsetCache.size >= maxCachedZones) offsetCache.clear();
  const offsets = new Map<number, number>();
  offsetCache.set(zone, offsets);
  return offsets;
}

function computeOffset(zone: string, time: number): number {
  const seconds = offsetSeconds(zone, time);
  return Math.sign(seconds) * Math.round(Math.abs(seconds) / 60);
}

/** Returns the seconds east of UTC. */
export function offsetSeconds(zone: string, time: number): number {
  const [, sign, hours, minutes, seconds = "0"] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(getFormatter(zone).format(time)) ?? [];
  if (sign === undefined) return 0;
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -total : total;
}

const zonedDayPattern = /^(\d{4}-\d\d-\d\d)(Z|[+-]\d\d:\d\d)?$/;
/** Before standard time, offsets exceeded today's ±14:00. Manila had −15:56, Juneau +15:02. */
const dayOffsetPattern = /^[+-](0\d|1[0-5]):[0-5]\d$/;

/**
 * Returns a calendar day with its offset (`2026-11-21+09:00`). A day without one gets the offset of `zone` on that day.
 */
export function dayWithOffset(text: string, zone: string): string | undefined {
  const [, day, offset] = zonedDayPattern.exec(text) ?? [];
  if (day === undefined || !isCalendarDay(day)) return undefined;
  if (offset === undefined) return day + formatZoneOffset(zone, day);
  if (offset !== "Z" && !dayOffsetPattern.test(offset)) return undefined;
  return day + (offsetMinutes(offset) === 0 ? "Z" : offset);
}

/** Returns the offset of `zone` at the start of `day`, as `Z` or `±HH:MM`. */
function formatZoneOffset(zone: string, day: string): string {
  if (zone === "UTC") return "Z";
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The first offset is a guess. A second lookup corrects days that begin at a clock change.
  const guess = offsetAt(zone, midnight);
  const offset = offsetAt(zone, midnight - guess * minuteMs);
  if (offset === 0) return "Z";
  const totalMinutes = Math.abs(offset);
  return `${offset < 0 ? "-" : "+"}${padTwoDigits(Math.trunc(totalMinutes / 60))}:${padTwoDigits(totalMinutes % 60)}`;
}

function padTwoDigits(part: number): string {
  return String(part).padStart(2, "0");
}

/** Returns the instant at which a calendar day (`YYYY-MM-DD`) ends in a zone. Undefined for an invalid day. */
export function endOfDayMs(calendarDay: string, zone: string): number | undefined {
  if (!isCalendarDay(calendarDay)) return undefined;
  const nextDay = formatTimestamp(
    Date.parse(`${calendarDay}T00:00:00Z`) + 24 * 60 * minuteMs,
  ).slice(0, 10);
  const nextDayWithOffset = dayWithOffset(nextDay, zone);
  return nextDayWithOffset === undefined
    ? undefined
    : Date.parse(`${nextDay}T00:00:00Z`) - offsetMinutes(nextDayWithOffset.slice(10)) * minuteMs;
}
