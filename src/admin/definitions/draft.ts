import type { Field, Option } from "#domain/definition/field.ts";

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

/** A field as the editor has it: all that is written, right or wrong. */
export interface DraftField {
  /** The key that it is stored under; empty for a new one. */
  was: string;
  /** A digest of what it was when the editor was opened. */
  seen: string;
  /** Empty where it is to be made from the label. */
  key: string;
  label: string;
  type: FieldType;
  flags: Partial<Record<Flag, boolean>>;
  rules: Partial<Record<Rule, string>>;
  /** The columns of line items. */
  fields: DraftField[];
  /** Whether its further rules are shown. */
  open: boolean;
}

/** A definition as the editor has it. */
export interface Draft {
  /** The version that it was made from; 0 for a new one. */
  version: number;
  key: string;
  name: string;
  fields: DraftField[];
}

export const labelOf = ({ label, type }: DraftField) => label.trim() || typeWords[type];

const longest = 40;

/** A key that a label stands for: small letters, digits and underscores, and none of those that are taken. */
export function makeKey(label: string, otherwise: string, taken: ReadonlySet<string>): string {
  const plain = label
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("ø", "o")
    .replaceAll("æ", "ae")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, longest)
    .replace(/_+$/, "");
  const key = plain === "" ? otherwise : plain;
  if (!taken.has(key)) return key;
  for (let count = 2; ; count += 1) if (!taken.has(`${key}_${count}`)) return `${key}_${count}`;
}

const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("|", "\\|");

/** One option a line: its label, and behind a bar the value that is stored, where it is another. */
export function optionLines(options: readonly Option[]): string {
  return options
    .map(({ value, label }) =>
      label === value ? escaped(label) : `${escaped(label)} | ${escaped(value)}`,
    )
    .join("\n");
}

export function readOptions(text: string): Option[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const [label = "", value] = line
        .split(/(?<!(?<!\\)(?:\\\\)*\\)\|/)
        .map((part) => part.trim().replaceAll(/\\([\\|])/g, "$1"));
      return { value: value || label, label };
    });
}

/** A rule as it was written, as the definition has it; what is wrong there is told by the definition's own check. */
export function writtenRule(rule: Rule, text: string, { type }: DraftField): unknown {
  if (rule === "options") return readOptions(text);
  if (text === "") return rule === "formula" ? "" : undefined;
  if (counts.has(rule)) return numberOr(text);
  if (rule !== "default") return text;
  if (type === "number") return numberOr(text);
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return type === "multi_select" || type === "line_items" ? jsonOr(text) : text;
}

const numberOr = (text: string) => (Number.isNaN(Number(text)) ? text : Number(text));

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
