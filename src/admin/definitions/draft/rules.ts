import type { FieldType } from "./types";

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
