import type { Field } from "./field.ts";

/** Whether a field must have a value. A list with a minimum number of rows is never empty. */
export const rejectsEmpty = (field: Field): boolean =>
  field.required || (field.type === "line_items" && (field.min_rows ?? 0) > 0);

/** Whether the creator of an item must send a value. */
export const mustBeSent = (field: Field): boolean =>
  rejectsEmpty(field) && field.default === undefined;
