import type { Collection } from "../definition/collection";
import { isUnique } from "../definition/field";
import type { Status } from "../status";
import { fieldNumber } from "./field-number";
import type { Data, Scalar } from "./values";

export type UniqueValue = [field: number, value: Scalar];

/** The values that are this item's alone. Drafts hold none. Dates are the same on the same calendar day. */
export function uniqueValues(
  { id, definition }: Collection,
  data: Data,
  status: Status | null,
): UniqueValue[] {
  if (status === "draft") return [];
  return definition.fields.fields.filter(isUnique).flatMap((field): UniqueValue[] => {
    const value = data[String(field.id)];
    if (value === undefined || Array.isArray(value)) return [];
    const compared = field.type === "date" ? String(value).slice(0, 10) : value;
    return [[fieldNumber(id, field.id), compared]];
  });
}
