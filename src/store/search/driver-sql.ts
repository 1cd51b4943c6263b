import type { Values } from "./condition-sql";
import type { Driver, Range } from "./driver";

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

/** That the item of an entry `c` is one of the driver's, told by the index alone. */
export function probeSql({ field, range }: Driver, values: Values): string {
  const found = `select 1 from search_entry p where p.field = ${field.number}${rangeSql(range, "p.value", values)} and p.item = c.item`;
  // A scalar, so that it is judged on the entry, before the item is fetched.
  return `(${found}) is not null`;
}
