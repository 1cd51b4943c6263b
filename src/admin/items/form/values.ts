import type { Field, Option, RowField } from "#domain/definition/field.ts";
import { isTimeZone, localDateTime } from "#domain/time.ts";
import { textOf } from "#admin/form-input.ts";

/** The zone in which a form's times were written; the collection's where it says none. */
export function zoneSent(sent: unknown, otherwise: string): string {
  return typeof sent === "string" && isTimeZone(sent) ? sent : otherwise;
}

/** What the input of a single value shows for it. */
export function inputText(field: Field, value: unknown, zone: string): string {
  const text = textOf(value);
  if (field.type === "date") return text.slice(0, 10);
  return field.type === "datetime" ? localText(text, zone) : text;
}

/** As inputs of the type `datetime-local` take it: seconds and milliseconds where there are some. */
function localText(text: string, zone: string): string {
  const time = Date.parse(`${text.slice(0, 23)}Z`);
  if (text.length < 24 || Number.isNaN(time)) return text.replace(/Z$/, "");
  const local = localDateTime(time, zone).replace(" ", "T");
  const fraction = text.slice(19, 23);
  if (fraction !== ".000") return local + fraction;
  return local.endsWith(":00") ? local.slice(0, 16) : local;
}

/** The options of a field, with those that its value had when they still were some. */
export function optionsFor(options: readonly Option[], chosen: readonly string[]): Option[] {
  const known = new Set(options.map(({ value }) => value));
  const former = [...new Set(chosen)].filter((value) => value !== "" && !known.has(value));
  return [...options, ...former.map((value) => ({ value, label: `${value} (former option)` }))];
}

/** The texts in what was sent, or stored, for a field of many values. */
export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((each) => each !== "");
  const text = textOf(value);
  return text === "" ? [] : [text];
}

/** The columns of rows that people fill in. */
export function writtenColumns(fields: readonly RowField[]): RowField[] {
  return fields.filter(({ type }) => type !== "computed");
}

export const yesOrNo = [
  { value: "", label: "" },
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

const attributes: Partial<Record<Field["type"], Record<string, string>>> = {
  number: { type: "number", step: "any" },
  date: { type: "date" },
  email: { type: "text", inputmode: "email", autocomplete: "off" },
  url: { type: "text", inputmode: "url" },
  phone: { type: "text", inputmode: "tel", autocomplete: "off" },
};

/** The attributes of an input of one line: what is right is for the server to judge, whose rules are the API's. */
export function lineAttributes(field: Field, text: string): Record<string, string> {
  if (field.type === "datetime") return { type: "datetime-local", step: stepOf(text) };
  return attributes[field.type] ?? { type: "text" };
}

/** As fine as what stands there: a browser refuses a value between its steps. */
export function stepOf(text: string): string {
  if (text.includes(".")) return "0.001";
  return text.length > 16 ? "1" : "60";
}
