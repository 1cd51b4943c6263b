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
