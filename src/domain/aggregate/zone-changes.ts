import { formatTimestamp, offsetSeconds } from "#domain/time.ts";

/** The offsets of a time zone over some years, in seconds east of UTC. */
export interface ZoneChanges {
  /** The offset before the first change. */
  first: number;
  changes: { at: string; offset: number }[];
}

/** The years of most date-times. Finding their changes takes a few milliseconds. */
export const usualYears = { from: 1990, below: 2050 };
/** Zones have changed since 1840 and follow yearly rules from 2088 at the latest. */
export const allYears = { from: 1840, below: 2132 };

/** Shorter than the time for which any zone keeps an offset. */
const stepMs = 14 * 24 * 60 * 60 * 1000;
const secondMs = 1000;
/** Since 1972, clocks change only at full quarters of an hour. */
const quartersSince = Date.UTC(1972, 0, 1);
const quarterMs = 15 * 60 * secondMs;

const cache = new Map<string, ZoneChanges>();
const maxCachedZones = 50;

/** Finds the instants at which the offset of a zone changes, as UTC without `Z`. */
export function zoneChanges(zone: string, years: typeof usualYears): ZoneChanges {
  const key = `${years.from} ${zone}`;
  const cached = cache.get(key);
  if (cached) return cached;
  if (cache.size >= maxCachedZones) cache.clear();
  const changes = findChanges(zone, Date.UTC(years.from, 0, 1), Date.UTC(years.below, 0, 1));
  cache.set(key, changes);
  return changes;
}

function findChanges(zone: string, from: number, below: number): ZoneChanges {
  const first = offsetSeconds(zone, from);
  const changes: ZoneChanges["changes"] = [];
  let before = first;
  for (let start = from; start < below; start += stepMs) {
    const end = Math.min(start + stepMs, below);
    const offset = offsetSeconds(zone, end);
    if (offset === before) continue;
    const at = firstInstantOf(zone, offset, start, end);
    changes.push({ at: formatTimestamp(at).slice(0, 19), offset });
    before = offset;
  }
  return { first, changes };
}

/** Finds the instant at which the offset changed to `offset`, by bisection. */
function firstInstantOf(zone: string, offset: number, start: number, end: number): number {
  const unit = start >= quartersSince ? quarterMs : secondMs;
  let [low, high] = [Math.floor(start / unit), Math.ceil(end / unit)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetSeconds(zone, middle * unit) === offset) high = middle;
    else low = middle;
  }
  return high * unit;
}

/** The 28 years after the last explicit change. They contain every kind of year, by first weekday and leap day. */
const modelYears = { from: 2104, below: 2132 };

/**
 * Returns two digits for each year of the 400-year Gregorian cycle: a model year with the same calendar, minus 2104.
 * After the last explicit change, offsets depend only on the calendar of the year.
 */
export function modelYearDigits(): string {
  const models = new Map<string, number>();
  for (let year = modelYears.from; year < modelYears.below; year += 1)
    models.set(kindOf(year), year - modelYears.from);
  return Array.from({ length: 400 }, (_, index) => {
    const model = models.get(kindOf(2400 + index)) ?? 0;
    return String(model).padStart(2, "0");
  }).join("");
}

/** Years of the same kind have the same calendar. */
const kindOf = (year: number) =>
  `${new Date(Date.UTC(year, 0, 1)).getUTCDay()} ${new Date(Date.UTC(year, 1, 29)).getUTCDate()}`;

export const firstModelYear = modelYears.from;
