import type { Driver, Range } from "../../domain/search/plan";
import type { Values } from "./condition-sql";

/** That an entry `c` is one of the driver's. */
export function driverSql({ field, range }: Driver, values: Values): string {
  return `c.field = ${field.number}${rangeSql(range, "c.value", values)}`;
}

/** The range of a value, as further conditions on it. */
export function rangeSql(range: Range, at: string, values: Values): string {
  if ("at" in range) return ` and ${at} = ${values.scalar(range.at)}`;
  if ("among" in range) return ` and ${at} in ${values.list(range.among)}`;
  const { low, high } = range;
  const above = low ? ` and ${at} ${low.inclusive ? ">=" : ">"} ${values.scalar(low.value)}` : "";
  const below = high
    ? ` and ${at} ${high.inclusive ? "<=" : "<"} ${values.scalar(high.value)}`
    : "";
  return above + below;
}

/** How many entries the driver has, counted up to one more than `upTo`. */
export function sizeSql(driver: Driver, upTo: number, values: Values): string {
  const entries = `select 1 from search_entry c where ${driverSql(driver, values)} limit ${upTo + 1}`;
  return `(select count(*) from (${entries}))`;
}
