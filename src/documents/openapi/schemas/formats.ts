import { ref, stamp, type Schema } from "./schema";

export const phone = "^[ ().\\-/]*\\+?(?:[ ().\\-/]*[0-9]){5,15}[ ().\\-/]*$";
export const email =
  "^(?:[A-Za-z0-9_'+-]+\\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\\.)+[A-Za-z]{2,}$";
/** A host holds none of what ends it, and of the characters that no host has. */
export const url =
  "^[Hh][Tt][Tt][Pp][Ss]?://[/\\\\]*(?:[^\\s/?#\\\\]*@)?(?:\\[[0-9A-Fa-f:.]+\\]|[^\\s/?#\\\\@:\\[\\]<>^|]+)(?::\\d{0,5})?(?:[/?#\\\\]\\S*)?$";
export const largest = Number.MAX_SAFE_INTEGER;
/** Text without U+0000. */
export const storable: Schema = { type: "string", pattern: "^[^\\u0000]*$" };
/** A calendar day: the schemas of every document have it under this name. */
export const day = ref("schemas", "CalendarDay");
/** In the years 0001 to 9999. */
export const moment: Schema = { ...stamp, pattern: "^(?:[1-9]|0[1-9]|00[1-9]|000[1-9])" };

/** Days that the calendar has, leap years included. */
const year = "(?:[1-9]\\d{3}|0[1-9]\\d\\d|00[1-9]\\d|000[1-9])";
const calendarDays = [
  `${year}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))`,
  "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29",
].join("|");
export const calendarDay: Schema = {
  type: "string",
  description: "A calendar day, with its offset; what is sent may leave the offset out.",
  pattern: `^(?:${calendarDays})(?:Z|[+-](?:0\\d|1[0-5]):[0-5]\\d)?$`,
};
