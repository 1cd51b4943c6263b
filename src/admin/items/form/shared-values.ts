import type { Field } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";

/** The types of fields that often have the same value in the next item. Excludes unique fields. */
const sharedTypes: readonly Field["type"][] = [
  "boolean",
  "date",
  "multi_select",
  "reference",
  "select",
];

/** The maximum length of the values, because they are part of a URL. */
const maxLength = 2000;

const isShared = (field: Field) =>
  sharedTypes.includes(field.type) && !("unique" in field && field.unique);

/** Returns the values of an item with which the form of the next item starts, as a parameter of its URL. */
export function shareValues(fields: readonly Field[], data: Record<string, unknown>): string {
  const shared = fields.filter(isShared).map(({ key }) => [key, data[key]] as const);
  const filled = shared.filter(([, value]) => value !== null && value !== undefined);
  const text = encodeURIComponent(JSON.stringify(Object.fromEntries(filled)));
  return text.length > maxLength ? "%7B%7D" : text;
}

/** Reads the parameter. Undefined if there is none. Ignores values of another form. */
export function readShared(
  fields: readonly Field[],
  text: string | undefined,
): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  const values = parseObject(text);
  const sharedFields = fields.filter((field) => isShared(field) && fits(field, values[field.key]));
  return Object.fromEntries(sharedFields.map(({ key }) => [key, values[key]]));
}

function fits({ type }: Field, value: unknown): boolean {
  if (type === "boolean") return typeof value === "boolean";
  if (type !== "multi_select") return typeof value === "string";
  return Array.isArray(value) && value.every((option) => typeof option === "string");
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
