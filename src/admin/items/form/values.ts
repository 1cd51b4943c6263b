import type { Field, FieldOption, RowField } from "#domain/definition/field.ts";
import { dayInput } from "#html/inputs.tsx";
import { isTimeZone, formatLocalDateTime } from "#domain/time.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { textOf } from "#admin/form-input.ts";

/** Returns the time zone that the form was displayed in, or the fallback if it is missing or unknown. */
export function readTimeZone(zone: unknown, fallback: string): string {
  return typeof zone === "string" && isTimeZone(zone) ? zone : fallback;
}

/** Returns the text of a single-value input for a stored value. */
export function inputText(field: Field, value: unknown, zone: string): string {
  const text = textOf(value);
  if (field.type === "date") return text.slice(0, 10);
  if (field.type === "number" && field.decimals !== undefined)
    return padDecimals(text, field.decimals);
  return field.type === "datetime" ? localInputText(text, zone) : text;
}

/** Pads to the field's number of decimals, unless the value has more. */
function padDecimals(text: string, decimals: number): string {
  const number = Number(text);
  if (text === "" || !Number.isFinite(number)) return text;
  const padded = number.toFixed(decimals);
  return Number(padded) === number && !padded.includes("e") ? padded : text;
}

/** Formats a time for a `datetime-local` input. Omits seconds and milliseconds that are zero. */
function localInputText(text: string, zone: string): string {
  const time = Date.parse(`${text.slice(0, 23)}Z`);
  if (text.length < 24 || Number.isNaN(time)) return text.replace(/Z$/, "");
  const localTime = formatLocalDateTime(time, zone).replace(" ", "T");
  const fraction = text.slice(19, 23);
  if (fraction !== ".000") return localTime + fraction;
  return localTime.endsWith(":00") ? localTime.slice(0, 16) : localTime;
}

/** Returns the options of a field, followed by former options that the value still contains. */
export const optionsFor = (
  options: readonly FieldOption[],
  chosen: readonly string[],
  { itemForm: text }: Pick<Catalogue, "itemForm">,
): FieldOption[] => [
  ...options,
  ...formerValues(options, chosen).map((value) => ({ value, label: text.formerOption(value) })),
];

/** Returns the chosen values that are no longer options. */
export function formerValues(options: readonly FieldOption[], chosen: readonly string[]): string[] {
  const currentValues = new Set(options.map(({ value }) => value));
  return [...new Set(chosen)].filter((value) => value !== "" && !currentValues.has(value));
}

/** Returns the non-empty texts of a submitted or stored list. A single text counts as a list of one. */
export function nonEmptyTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((item) => item !== "");
  const text = textOf(value);
  return text === "" ? [] : [text];
}

/** Returns the columns that people fill in: all except computed ones. */
export function editableColumns(fields: readonly RowField[]): RowField[] {
  return fields.filter(({ type }) => type !== "computed");
}

export const yesNoOptions = ({ terms: { booleans } }: Pick<Catalogue, "terms">) => [
  { value: "", label: "" },
  { value: "true", label: booleans.true },
  { value: "false", label: booleans.false },
];

const textInput = { type: "text" };
const typeAttributes: Record<Field["type"], Record<string, string>> = {
  text: textInput,
  multiline_text: textInput,
  number: { type: "number", step: "any" },
  boolean: textInput,
  date: dayInput,
  datetime: textInput,
  select: textInput,
  reference: textInput,
  multi_select: textInput,
  line_items: textInput,
  files: textInput,
  computed: textInput,
  email: { type: "text", inputmode: "email", autocomplete: "off" },
  url: { type: "text", inputmode: "url" },
  phone: { type: "text", inputmode: "tel", autocomplete: "off" },
};

/** Returns the attributes of a one-line input. Only the server validates e-mail addresses, URLs and phone numbers. */
export function inputAttributes(field: Field, text: string): Record<string, string> {
  if (field.type === "datetime") return timeAttributes(text);
  // The numeric keyboards of phones have no minus sign.
  if (field.type === "number" && (field.minimum ?? -1) >= 0)
    return { ...typeAttributes.number, inputmode: field.integer ? "numeric" : "decimal" };
  return typeAttributes[field.type];
}

/** Returns the attributes of an input for a date and time: years of 4 digits, and a step that fits the text. */
export const timeAttributes = (text: string) => ({
  type: "datetime-local",
  max: "9999-12-31T23:59:59.999",
  step: stepOf(text),
});

/** Returns the step in seconds that fits the text. Browsers reject values between steps. */
function stepOf(text: string): string {
  if (text.includes(".")) return "0.001";
  return text.length > 16 ? "1" : "60";
}
