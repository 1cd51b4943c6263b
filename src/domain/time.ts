const minute = 60_000;

/** Whether the runtime knows this IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    formatter(name);
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/** RFC 3339 in UTC with milliseconds: how the service writes its own stamps. */
export function stamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const localDateTime = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?$/;

export type TimeFault = "time_zone_required" | "invalid_format";

/**
 * An RFC 3339 date-time with an offset, as the same instant in UTC. Milliseconds are always written; finer
 * digits (up to nanoseconds) are kept as sent.
 */
export function utcDateTime(text: string): { value: string } | { fault: TimeFault } {
  const match = dateTime.exec(text);
  if (!match) return { fault: localDateTime.test(text) ? "time_zone_required" : "invalid_format" };
  const [, year = "", month = "", day = "", , , , fraction = "", offset = "Z"] = match;
  if (!isCalendarDay(`${year}-${month}-${day}`)) return { fault: "invalid_format" };
  const whole = Date.parse(`${text.slice(0, 19).toUpperCase()}Z`) - offsetMinutes(offset) * minute;
  const written = new Date(whole).toISOString();
  // What is answered can be sent back: years outside 0001 to 9999 could not.
  if (written.length !== 24 || written.startsWith("0000")) return { fault: "invalid_format" };
  const digits = fraction.replace(/0+$/, "").padEnd(3, "0");
  return { value: `${written.slice(0, 19)}.${digits}Z` };
}

/** The milliseconds since 1970 of an RFC 3339 date-time with an offset. */
export function instant(text: string): number | undefined {
  const parsed = utcDateTime(text);
  return "value" in parsed ? Date.parse(`${parsed.value.slice(0, 23)}Z`) : undefined;
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

/** Whether `YYYY-MM-DD` names a day of the (proleptic Gregorian) calendar, in the years 0001 to 9999. */
export function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !day.startsWith("0000") && !Number.isNaN(time) && stamp(time).startsWith(day);
}

function offsetMinutes(offset: string): number {
  if (offset === "Z" || offset === "z") return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6));
  return offset.startsWith("-") ? -minutes : minutes;
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

/** The calendar day, `YYYY-MM-DD`, that it is in a zone. */
export function dayInZone(time: number, zone: string): string {
  return stamp(time + offsetAt(zone, time) * minute).slice(0, 10);
}

/** Minutes east of UTC, rounded: before standard time, zones had seconds. */
function offsetAt(zone: string, time: number): number {
  const parts = formatter(zone).formatToParts(time);
  const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  const [, sign, hours, minutes, seconds = "0"] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
  if (sign === undefined) return 0;
  const size = Number(hours) * 60 + Number(minutes) + Math.round(Number(seconds) / 60);
  return sign === "-" ? -size : size;
}
