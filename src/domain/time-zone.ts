import { minute, stamp } from "./time";

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
