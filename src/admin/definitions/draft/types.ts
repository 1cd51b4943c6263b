import type { Field } from "../../../domain/definition/field";

export type FieldType = Field["type"];

/** The types in words, in the order in which they are offered. */
export const typeWords: Record<FieldType, string> = {
  text: "Text",
  multiline_text: "Long text",
  number: "Number",
  boolean: "Yes or no",
  date: "Date",
  datetime: "Date and time",
  email: "E-mail",
  url: "Web address",
  phone: "Phone",
  select: "Single choice",
  multi_select: "Multiple choice",
  line_items: "Line items",
  computed: "Calculated",
};

export const fieldTypes = Object.keys(typeWords) as FieldType[];

export const isFieldType = (text: string): text is FieldType => Object.hasOwn(typeWords, text);

export const results = ["number", "text", "boolean", "date", "datetime"] as const;

/** Rules that are on or off. */
export type Flag = "required" | "unique" | "searchable" | "integer";
/** Rules that are written. */
export type Rule =
  | "options"
  | "formula"
  | "result"
  | "decimals"
  | "min_length"
  | "max_length"
  | "pattern"
  | "minimum"
  | "maximum"
  | "min_rows"
  | "max_rows"
  | "default";

/** Rules that are numbers. */
export const counts: ReadonlySet<Rule> = new Set([
  "decimals",
  "min_length",
  "max_length",
  "minimum",
  "maximum",
  "min_rows",
  "max_rows",
]);

const isText = (type: FieldType) => type === "text" || type === "multiline_text";
const isList = (type: FieldType) => type === "multi_select" || type === "line_items";

/** The rules that are on or off which a field of this type has. */
export function flagsOf(type: FieldType, inRow: boolean): Flag[] {
  const computed = type === "computed";
  return [
    ...(computed ? [] : (["required"] as const)),
    ...(computed || isList(type) || inRow ? [] : (["unique"] as const)),
    ...(type === "number" ? (["integer"] as const) : []),
    "searchable",
  ];
}

/** The rules that are written which a field of this type has. */
export function rulesOf(type: FieldType): Rule[] {
  return [
    ...(type === "select" || type === "multi_select" ? (["options"] as const) : []),
    ...(type === "computed" ? (["formula", "result", "decimals"] as const) : []),
    ...(isText(type) ? (["min_length", "max_length", "pattern"] as const) : []),
    ...(type === "number" ? (["minimum", "maximum", "decimals"] as const) : []),
    ...(type === "line_items" ? (["min_rows", "max_rows"] as const) : []),
    ...(type === "computed" ? [] : (["default"] as const)),
  ];
}
