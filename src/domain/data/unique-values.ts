import type { Collection } from "../definition/collection";
import type { Gained } from "../definition/pending";
import { uniqueIdOf } from "../definition/field";
import type { Status } from "../item/status";
import { fieldNumber } from "./field-number";
import type { Data, Scalar } from "./values";

export type UniqueValue = [field: number, value: Scalar];

/** The values that are this item's alone, those of fields that become unique included. Drafts hold none. */
export function uniqueValues(
  { id, definition, pending }: Collection,
  data: Data,
  status: Status | null,
): UniqueValue[] {
  if (status === "draft") return [];
  const own = definition.fields.fields.flatMap((field): UniqueValue[] => {
    const uniqueId = uniqueIdOf(field);
    return uniqueId === undefined ? [] : uniqueValue(id, { ...field, uniqueId }, data);
  });
  const coming = pending?.gained.flatMap((field) => uniqueValue(id, field, data)) ?? [];
  return [...own, ...coming];
}

/** The value of a field that is, or becomes, unique. Dates are the same on the same calendar day. */
export function uniqueValue(
  collectionId: number,
  { id, uniqueId, type }: Pick<Gained, "id" | "uniqueId" | "type">,
  data: Data,
): UniqueValue[] {
  const value = data[String(id)];
  if (value === undefined || Array.isArray(value)) return [];
  const compared = type === "date" ? String(value).slice(0, 10) : value;
  return [[fieldNumber(collectionId, uniqueId), compared]];
}
