import type { Unit } from "#domain/aggregate/aggregate.ts";
import {
  allYears,
  firstModelYear,
  modelYearDigits,
  usualYears,
  zoneChanges,
  type ZoneChanges,
} from "#domain/aggregate/zone-changes.ts";

/** SQL for the period of a calendar day. `day` is a text like `2026-11-21`, or null. */
export function periodSql(day: string, unit: Unit): string {
  switch (unit) {
    case "day":
      return day;
    case "week":
      return `strftime('%G-W%V', ${day})`;
    case "month":
      return `substr(${day}, 1, 7)`;
    case "quarter":
      return `substr(${day}, 1, 4) || '-Q' || ((substr(${day}, 6, 2) + 2) / 3)`;
    case "year":
      return `substr(${day}, 1, 4)`;
  }
}

/**
 * SQL for the calendar day in a time zone. `instant` is a column with a UTC time as text without `Z`. The offset is the
 * one at `offsetInstant`.
 */
export function localDaySql(
  instant: string,
  changes: ZoneChanges,
  offsetInstant = instant,
): string {
  // SQLite has no dates after 9999. An offset could lead there.
  return `coalesce(date(${instant}, ${offsetSql(offsetInstant, changes)}), substr(${instant}, 1, 10))`;
}

/** SQL for the offset at an instant, by binary search. */
function offsetSql(instant: string, { first, changes }: ZoneChanges): string {
  const offsets = [first, ...changes.map(({ offset }) => offset)];
  const branch = (low: number, high: number): string => {
    if (low === high) return `'${offsets[low] ?? 0} seconds'`;
    const middle = (low + high) >> 1;
    return `iif(${instant} < '${changes[middle]?.at ?? ""}', ${branch(low, middle)}, ${branch(middle + 1, high)})`;
  };
  return branch(0, changes.length);
}

/** Returns the changes of a zone's UTC offset, in all years or only in the usual ones. */
export const offsetChanges = (zone: string, inAllYears: boolean): ZoneChanges =>
  zoneChanges(zone, inAllYears ? allYears : usualYears);

/** SQL for whether an instant lies outside the usual years, so that the period needs all changes. */
export const isUnusualTimeSql = (instant: string): string =>
  `(${instant} < '${usualYears.from}' or ${instant} >= '${usualYears.below}')`;

/**
 * SQL for the instant in the usual years with the same offset as an instant in the far future. Both years have the same
 * calendar.
 */
export function modelInstantSql(instant: string): string {
  const digits = `substr('${modelYearDigits()}', substr(${instant}, 1, 4) % 400 * 2 + 1, 2)`;
  return `iif(${instant} < '${allYears.below}', ${instant}, (${firstModelYear} + ${digits}) || substr(${instant}, 5))`;
}
