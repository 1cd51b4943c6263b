import { textOf, type FormValues } from "#admin/form-input.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { Field } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { readItemData } from "./read-form.ts";
import { readTimeZone } from "./values.ts";

/** The fields of an app or form. */
export const fieldsOf = ({ collection }: CompiledCollection) => collection.definition.fields.fields;
/** Returns the time zone that the form was displayed in. */
export const formTimeZone = (form: FormValues, { collection }: CompiledCollection) =>
  readTimeZone(form["$zone"], collection.definition.time_zone);

/** Builds the request body of the API. Programs send `data`. The values of form inputs are converted. */
export function buildItemBody(
  form: FormValues,
  compiled: CompiledCollection,
): Record<string, unknown> {
  const { version: _, $version: __, ...body } = form;
  if (isObject(form["data"])) return body;
  const fields = fieldsOf(compiled);
  const status = readStatus(form, fields);
  const data = readItemData(fields, form, formTimeZone(form, compiled));
  const entries = Object.entries(data).filter(
    ([key, value]) => form["$seen"] !== undefined || Object.hasOwn(form, key) || isFilled(value),
  );
  return { ...status, data: Object.fromEntries(entries) };
}

const isFilled = (value: unknown) => Array.isArray(value) && value.length > 0;

/** Reads the requested status. Programs may send it as `status`, unless a field has that key. */
export function readStatus(form: FormValues, fields: readonly Field[]): { status?: string } {
  const programStatus = fields.some(({ key }) => key === "status") ? undefined : form["status"];
  const status = textOf(form["$status"] ?? programStatus);
  return status === "" ? {} : { status };
}
