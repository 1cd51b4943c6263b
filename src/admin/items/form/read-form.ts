import { valueKinds, type Field, type LineItemsField } from "#domain/definition/field.ts";
import { filesOf, readFileIds } from "#admin/items/files/sent-files.ts";
import { problem } from "#domain/problem/problem.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { fieldText, textOf, typedNumber, type FormValues } from "#admin/form-input.ts";
import { localToUtc } from "#domain/time.ts";
import { editableColumns, formerValues, inputText, nonEmptyTexts } from "./values.ts";

type Data = Record<string, unknown>;

/** The maximum number of cells of line items on one page. More would take too long to render. */
const maxRenderedCells = 15_000;

/** Returns how many rows of each list one page renders, by the list's key. */
export function renderedRowCounts(fields: readonly Field[], data: Data): Map<string, number> {
  const counts = new Map<string, number>();
  let freeCells = maxRenderedCells;
  for (const field of fields) {
    if (field.type !== "line_items") continue;
    const rows = data[field.key];
    const columns = Math.max(1, field.fields.length);
    const count = Math.min(Array.isArray(rows) ? rows.length : 0, Math.floor(freeCells / columns));
    counts.set(field.key, count);
    freeCells -= count * columns;
  }
  return counts;
}

/** Returns the fields that a form can edit. Omits computed fields and lists with more rows than a page renders. */
export function fieldsWithInputs(fields: readonly Field[], data: Data): Field[] {
  const counts = renderedRowCounts(fields, data);
  return fields.filter(({ key, type }) => {
    const rows = data[key];
    if (type !== "line_items" || !Array.isArray(rows)) return type !== "computed";
    return rows.length === counts.get(key);
  });
}

/** Allows space for added rows. A form with more cells would take too long to render again. */
const maxSubmittedCells = 2 * maxRenderedCells;

/** A row in the form. */
export interface FormRow {
  /** The row's index among the stored rows. Null for a new row. */
  was: number | null;
  removed: boolean;
  cells: FormValues;
  isSent: boolean;
}

export const blankRow = (): FormRow => ({ was: null, removed: false, cells: {}, isSent: false });

const maxFormRows = 1000;

/** Rejects a form whose lists have too many cells in total. */
export function assertCellsFit(
  fields: readonly Field[],
  form: FormValues,
  { itemForm: text }: Pick<Catalogue, "itemForm">,
): void {
  let cells = 0;
  for (const field of fields) {
    if (field.type !== "line_items") continue;
    cells += rowIndexes(field, form).length * field.fields.length;
    if (cells <= maxSubmittedCells) continue;
    const reason = text.rows.tooManyCells(maxSubmittedCells, cells);
    throw problem.invalidInput([{ field: field.key, code: "too_many_rows", reason }]);
  }
}

/** Returns the distinct row indexes of a list in a submitted form. */
const rowIndexes = ({ key }: LineItemsField, form: FormValues): number[] => [
  ...new Set(
    Object.keys(form)
      .filter((name) => name.startsWith(`${key}[`))
      .map((name) => Number(/\[(\d+)\]/.exec(name)?.[1])),
  ),
];

/** Returns the indexes of a list after moving a row as a button requests: `$move` is `LIST:INDEX:up` or `down`. */
function movedIndexes(field: LineItemsField, form: FormValues): number[] {
  const indexes = rowIndexes(field, form);
  const [list, index = "", direction] = textOf(form["$move"]).split(":");
  const from = index === "" ? -1 : indexes.indexOf(Number(index));
  const to = direction === "up" ? from - 1 : from + 1;
  if (list !== field.key || from === -1 || to < 0 || to >= indexes.length) return indexes;
  const [moved = 0] = indexes.splice(from, 1);
  return indexes.toSpliced(to, 0, moved);
}

/** Returns the submitted rows in order. Omits blank new rows, which are not stored either. */
export function rowsToRender(field: LineItemsField, form: FormValues): FormRow[] {
  const { key, fields } = field;
  const indexes = movedIndexes(field, form).slice(0, maxFormRows);
  const rows = indexes.flatMap((index): FormRow[] => {
    const prefix = `${key}[${index}].`;
    const cells = Object.fromEntries(
      fields.map((column) => [column.key, form[prefix + column.key]]),
    );
    const was = textOf(form[`${prefix}#`]);
    const removed = form[`${prefix}-`] !== undefined;
    const isEmpty = Object.values(cells).every((value) => value === undefined || value === "");
    if (was === "" && (isEmpty || removed)) return [];
    return [{ was: was === "" ? null : Number(was), removed, cells, isSent: true }];
  });
  // Field errors use the indexes of the remaining rows, so removed rows come last.
  return [...rows.filter(({ removed }) => !removed), ...rows.filter(({ removed }) => removed)];
}

export function storedRows(stored: unknown): FormRow[] {
  const rows = Array.isArray(stored) ? (stored as FormValues[]) : [];
  return rows.map((cells, was) => ({ was, removed: false, cells, isSent: false }));
}

/** A row that a form sent. */
export interface SubmittedRow {
  /** The row's index when the form was rendered. Null for a new row. */
  was: number | null;
  cells: Record<string, unknown>;
}

/** Reads a field from a form in the API's format. Returns null or an empty list for a blank input. */
export function readFieldValue(
  field: Field,
  name: string,
  form: FormValues,
  zone: string,
): unknown {
  if (field.type === "line_items") return readRows(field, form, zone).map(({ cells }) => cells);
  if (field.type === "multi_select") return nonEmptyTexts(form[name]);
  if (field.type === "files") return readFileIds(name, form);
  return readScalar(field, form[name], zone);
}

function readScalar(field: Field, value: unknown, zone: string): unknown {
  const lines = textOf(value).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  const text = fieldText(field.type, lines);
  if (text === "") return null;
  const kind = valueKinds[field.type];
  if (kind === "boolean") return text === "true" || text === "yes";
  if (kind === "number") return typedNumber(text) ?? text;
  const isLocalTime =
    field.type === "datetime" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
  return isLocalTime ? (localToUtc(text, zone) ?? text) : text;
}

const maxSubmittedRows = 1000;

/** Reads the rows in form order, without removed rows and blank new rows. */
export function readRows(list: LineItemsField, form: FormValues, zone: string): SubmittedRow[] {
  const { key, fields } = list;
  const indexes = rowIndexes(list, form).slice(0, maxSubmittedRows);
  return indexes.flatMap((index): SubmittedRow[] => {
    const inputName = (name: string) => `${key}[${index}].${name}`;
    const was = textOf(form[inputName("#")]);
    if (form[inputName("-")] !== undefined) return [];
    const cells = Object.fromEntries(
      editableColumns(fields).map((column) => [
        column.key,
        readFieldValue(column, inputName(column.key), form, zone),
      ]),
    );
    if (was !== "") return [{ was: Number(was), cells }];
    // A new row omits blank cells, so that their columns get the defaults.
    const filled = Object.entries(cells).filter(([, value]) => !isBlank(value));
    return filled.length === 0 ? [] : [{ was: null, cells: Object.fromEntries(filled) }];
  });
}

/** Whether an input is blank. */
export const isBlank = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0);

/** Converts a stored value to the value that an unedited form would send. */
export function toSubmittedValue(field: Field, value: unknown, zone: string): unknown {
  if (field.type === "line_items") {
    const rows = Array.isArray(value) ? (value as FormValues[]) : [];
    return rows.map((row) =>
      Object.fromEntries(
        editableColumns(field.fields).map((column) => [
          column.key,
          toSubmittedValue(column, row[column.key], zone),
        ]),
      ),
    );
  }
  if (field.type === "files") return filesOf(value).map(({ id }) => id);
  if (field.type === "multi_select") {
    const values = nonEmptyTexts(value);
    const checkedValues = new Set(values);
    const currentValues = field.options.map((option) => option.value);
    const optionValues = [...currentValues, ...formerValues(field.options, values)];
    return optionValues.filter((option) => checkedValues.has(option));
  }
  return readScalar(field, inputText(field, value, zone), zone);
}

/** Reads all editable fields from a form. */
export function readItemData(
  fields: readonly Field[],
  form: FormValues,
  zone: string,
): Record<string, unknown> {
  const inputs = fields.filter(({ type }) => type !== "computed");
  return Object.fromEntries(
    inputs.map((field) => [field.key, readFieldValue(field, field.key, form, zone)]),
  );
}
