import type { Field, LineItemsField } from "#domain/definition/field.ts";
import { type FormValues, textOf } from "#admin/form-input.ts";
import { readRows, toSubmittedValue, readFieldValue, fieldsWithInputs } from "./read-form.ts";
import { editableColumns, nonEmptyTexts } from "./values.ts";
import { digestText } from "#domain/cursor.ts";
import { isObject } from "#domain/json.ts";

type Data = Record<string, unknown>;

/** Returns the submitted value of an edited field. Unedited cells keep their stored values. */
function mergeChangedValue(field: Field, form: FormValues, stored: unknown, zone: string): unknown {
  if (field.type === "line_items") return mergeChangedRows(field, form, stored, zone);
  const value = readFieldValue(field, field.key, form, zone);
  return field.type === "multi_select" ? inStoredOrder(nonEmptyTexts(value), stored) : value;
}

function mergeChangedRows(
  field: LineItemsField,
  form: FormValues,
  stored: unknown,
  zone: string,
): Data[] {
  const storedRows = Array.isArray(stored) ? (stored as Data[]) : [];
  return readRows(field, form, zone).map(({ was, cells }) => {
    const row = was === null ? undefined : storedRows[was];
    if (!row) return cells;
    const mergedCells = editableColumns(field.fields).map((column) => {
      const [value, storedValue] = [cells[column.key], row[column.key]];
      const unedited = toSubmittedValue(column, storedValue, zone);
      if (JSON.stringify(value) === JSON.stringify(unedited)) {
        return [column.key, storedValue ?? null];
      }
      const isList = column.type === "multi_select";
      return [column.key, isList ? inStoredOrder(nonEmptyTexts(value), storedValue) : value];
    });
    return Object.fromEntries(mergedCells) as Data;
  });
}

function inStoredOrder(chosen: string[], stored: unknown): string[] {
  const chosenValues = new Set(chosen);
  const storedValues = new Set(nonEmptyTexts(stored).filter((value) => chosenValues.has(value)));
  return [...storedValues, ...chosen.filter((value) => !storedValues.has(value))];
}

/** Digests of the values that the form displayed, by field key. Saving compares them to find changes. */
export type SeenDigests = Record<string, string>;

const digestValue = (value: unknown) => digestText(JSON.stringify(value) ?? "");
const editableFields = (fields: readonly Field[]) =>
  fields.filter(({ type }) => type !== "computed");

export async function digestFields(
  fields: readonly Field[],
  data: Data,
  zone: string,
): Promise<SeenDigests> {
  const entries = fieldsWithInputs(fields, data).map(async (field) => {
    return [field.key, await digestValue(toSubmittedValue(field, data[field.key], zone))] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Reads the `$seen` input. Returns undefined if the request does not come from our form. */
export function readSeenDigests(form: FormValues): SeenDigests | undefined {
  try {
    const parsed: unknown = JSON.parse(textOf(form["$seen"]));
    if (!isObject(parsed)) return undefined;
    return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, textOf(value)]));
  } catch {
    return undefined;
  }
}

export interface FormChanges {
  /** The edited values in the API's format, by field key. */
  mine: Data;
  /** Fields that someone else changed since the form was rendered. */
  theirs: Field[];
  /** Fields that both people changed to different values. The member still has to choose. */
  both: Field[];
}

/** Compares the submitted values with the values that the form displayed and with the stored values. */
export async function compareChanges(
  fields: readonly Field[],
  form: FormValues,
  seen: SeenDigests,
  stored: Data,
  zone: string,
): Promise<FormChanges> {
  const changes: FormChanges = { mine: {}, theirs: [], both: [] };
  for (const field of editableFields(fields)) {
    const { key } = field;
    const [submittedDigest, storedDigest] = await Promise.all([
      digestValue(readFieldValue(field, key, form, zone)),
      digestValue(toSubmittedValue(field, stored[key], zone)),
    ]);
    const seenDigest = seen[key];
    // The form did not contain this field yet, so the member has not changed it.
    if (seenDigest === undefined) continue;
    if (storedDigest !== seenDigest) changes.theirs.push(field);
    if (submittedDigest === seenDigest || submittedDigest === storedDigest) continue;
    if (form[`$keep.${key}`] === "theirs") continue;
    changes.mine[key] = mergeChangedValue(field, form, stored[key], zone);
    if (storedDigest !== seenDigest) changes.both.push(field);
  }
  return changes;
}
