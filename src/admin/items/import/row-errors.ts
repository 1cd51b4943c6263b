import type { CheckedRow } from "#actions/import-rows.ts";
import { findField } from "#admin/explain-problem.ts";
import { textOf } from "#admin/form-input.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { itemTargets, targetKey, type CsvLine, type ImportPlan } from "#domain/import/csv.ts";
import { Problem, type FieldError } from "#domain/problem/problem.ts";
import { toHalfWidth } from "#domain/text.ts";
import { isCalendarDay } from "#domain/time.ts";
import type { ImportFile } from "./file.ts";
import { truncateCell } from "./formats.tsx";

/** An error in one column of a row, or in the whole row (column −1). */
export interface RowError {
  column: number;
  /** The field's label and the path inside its value. Empty for the whole row. */
  place: string;
  reason: string;
}

export interface RejectedRow {
  row: CsvLine;
  faults: RowError[];
}

type Texts = Pick<Catalogue, "itemForm" | "itemImport" | "problems" | "terms">;

/** Returns the rejected rows, with reasons in the words of the item form. */
export function rejectedRows(
  { csv, plan }: ImportFile,
  checkedRows: readonly CheckedRow[],
  collection: Collection,
  text: Texts,
): RejectedRow[] {
  return checkedRows.flatMap(({ outcome }, index): RejectedRow[] => {
    const row = csv.rows[index];
    if (!(outcome instanceof Problem) || !row) return [];
    return [{ row, faults: toRowErrors(outcome, row, plan, collection, text) }];
  });
}

function toRowErrors(
  error: Problem,
  { cells }: CsvLine,
  { columns, dates }: ImportPlan,
  { definition }: Collection,
  text: Texts,
): RowError[] {
  const { fields } = definition.fields;
  const errors = (error.members["errors"] ?? ownError(error, fields, text)) as FieldError[];
  if (errors.length === 0) return [{ column: -1, place: "", reason: text.problems.detail(error) }];
  const keys = columns.map(targetKey);
  return errors.map((each) => {
    const name = each.field.replace(/^operations\[\d+\]\.?/, "").replace(/^data(\.|$)/, "");
    const [key = "", path = ""] = /^([^.[]*)(.*)$/.exec(name)?.slice(1) ?? [];
    const field = findField(fields, name);
    const label = fields.find((known) => known.key === key)?.label ?? labelOfTarget(key, text);
    const target = key === "id" || key === "status" ? `$${key}` : key;
    const column = key === "" ? -1 : keys.indexOf(keys.includes(key) ? key : target);
    return {
      column,
      place: label === "" ? "" : placeInWords(label, path, field, text),
      reason: reasonOf(each, field, cells[column] ?? "", dates, text).replace(
        `"${key}"`,
        // A label can contain special replacement patterns, such as “$&”.
        () => `“${label}”`,
      ),
    };
  });
}

/** Describes a place like “Positions, row 2, Quantity”. An invalid entry of a list appears with its whole cell. */
function placeInWords(
  label: string,
  path: string,
  field: Field | undefined,
  { itemImport, terms }: Texts,
): string {
  const [, row, column] = /^\[(\d+)\](?:\.(\w+))?/.exec(path) ?? [];
  const isRow = field?.type === "line_items" || column !== undefined;
  if (row === undefined || !isRow) return label;
  const parts = [label, itemImport.reasons.row(Number(row) + 1)];
  return terms.list(column === undefined ? parts : [...parts, field?.label ?? column]);
}

function labelOfTarget(key: string, { itemImport }: Texts): string {
  if (key === itemTargets.id || key === "id") return "ID";
  return key === itemTargets.status || key === "status" ? itemImport.status : key;
}

/** Returns the error of a problem that names one field, such as a value that another item has. */
function ownError({ code, members }: Problem, fields: readonly Field[], text: Texts) {
  const field = textOf(members["field"]);
  if (field === "") return [];
  const { line } = members;
  const reason =
    typeof line === "number"
      ? text.itemImport.reasons.sameAsLine(line)
      : text.itemForm.duplicate(findField(fields, field)?.label ?? field);
  return [{ field, code, reason }];
}

/** Whether a text looks like a date, in any order of day and month, but is not a day of the calendar. */
function isImpossibleDate(text: string): boolean {
  const plain = toHalfWidth(text).trim();
  const [, year, first, second] =
    /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?$/.exec(plain) ??
    /^()(\d{1,2})[-/.](\d{1,2})[-/.]\d{4}$/.exec(plain) ??
    [];
  if (first === undefined) return false;
  const isDay = (month: string, day: string | undefined) => {
    const fullYear = year || plain.slice(-4);
    return isCalendarDay(`${fullYear}-${month.padStart(2, "0")}-${(day ?? "").padStart(2, "0")}`);
  };
  return !isDay(first, second) && (year !== "" || !isDay(second ?? "", first));
}

const maxListedOptions = 10;

function reasonOf(
  error: FieldError,
  field: Field | undefined,
  cell: string,
  dates: ImportPlan["dates"],
  text: Texts,
): string {
  const { formats, reasons } = text.itemImport;
  const isFormat = error.code === "invalid_format" || error.code === "time_zone_required";
  if (isFormat && (field?.type === "date" || field?.type === "datetime")) {
    const [day = ""] = cell.trim().split(/[\sT]/);
    const example = formats.dates[dates];
    if (isImpossibleDate(day)) return reasons.noSuchDate;
    return field.type === "date" ? reasons.date(example) : reasons.dateTime(example);
  }
  const options = field && "options" in field ? field.options.map(({ label }) => label) : [];
  if (error.code !== "not_an_option" || options.length === 0)
    return text.problems.reason(error, field);
  const listed = options.slice(0, maxListedOptions);
  return reasons.chooseOption(
    text.terms.list(options.length > listed.length ? [...listed, "…"] : listed),
  );
}

/** Formats the error with the label of its column and the value: “Room “Green”: Must be one of Blue, Red.” */
export function formatRowError(
  { place, column, reason }: RowError,
  { cells }: CsvLine,
  { itemImport: { reasons } }: Texts,
): string {
  const value = cells[column] ?? "";
  if (place === "") return reason;
  return reasons.at(value === "" ? place : reasons.value(place, truncateCell(value)), reason);
}
