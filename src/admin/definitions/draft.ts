import { typedNumber } from "#admin/form-input.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { transliterate } from "./transliterate.ts";
import { valueKinds, type Field, type FieldOption } from "#domain/definition/field.ts";

export type FieldType = Field["type"];

/** The keys of fields whose labels give no key, in the order of the buttons that add fields. */
const defaultKeys: Record<FieldType, string> = {
  text: "text",
  multiline_text: "long_text",
  number: "number",
  boolean: "yes_no",
  date: "date",
  datetime: "date_and_time",
  email: "email",
  url: "url",
  phone: "phone",
  select: "single_choice",
  multi_select: "multiple_choice",
  reference: "reference",
  line_items: "line_items",
  files: "files",
  computed: "calculated",
};

export const fieldTypes = Object.keys(defaultKeys) as FieldType[];

export const isFieldType = (text: string): text is FieldType => Object.hasOwn(defaultKeys, text);

export const resultTypes = ["number", "text", "boolean", "date", "datetime"] as const;

/** Rules that are on or off, edited with a checkbox. */
export type Flag = "required" | "unique" | "searchable" | "integer";
/** Rules that have a value, edited as text. */
export type Rule =
  | "help"
  | "section"
  | "app"
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
  | "max_files"
  | "max_bytes"
  | "accept"
  | "default";

/** Rules whose value is a number. */
const numericRules: ReadonlySet<Rule> = new Set([
  "decimals",
  "min_length",
  "max_length",
  "minimum",
  "maximum",
  "min_rows",
  "max_rows",
  "max_files",
  "max_bytes",
]);

const isListType = (type: FieldType) => ["list", "rows", "files"].includes(valueKinds[type]);

/** Returns the flags that fields of this type have. */
export function flagsOf(type: FieldType, inRow: boolean): Flag[] {
  const isComputed = type === "computed";
  return [
    ...(isComputed ? [] : (["required"] as const)),
    ...(isComputed || isListType(type) || inRow ? [] : (["unique"] as const)),
    ...(type === "number" ? (["integer"] as const) : []),
    "searchable",
  ];
}

const typeRules: Record<FieldType, Rule[]> = {
  text: ["min_length", "max_length", "pattern", "default"],
  multiline_text: ["min_length", "max_length", "pattern", "default"],
  number: ["minimum", "maximum", "decimals", "default"],
  boolean: ["default"],
  date: ["default"],
  datetime: ["default"],
  email: ["default"],
  url: ["default"],
  phone: ["default"],
  select: ["options", "default"],
  multi_select: ["options", "default"],
  reference: ["app"],
  line_items: ["min_rows", "max_rows", "default"],
  files: ["max_files", "max_bytes", "accept"],
  computed: ["formula", "result", "decimals"],
};

/** Returns the rules with a value that fields of this type have. */
export const rulesOf = (type: FieldType): readonly Rule[] => [
  "help",
  "section",
  ...typeRules[type],
];

/** A field in the editor. Its texts may be invalid. */
export interface DraftField {
  /** The stored key. Empty for a new field. */
  was: string;
  /** A digest of the stored field at the time when the editor opened. */
  seen: string;
  /** The entered key. Empty to derive the key from the label. */
  key: string;
  label: string;
  type: FieldType;
  flags: Partial<Record<Flag, boolean>>;
  rules: Partial<Record<Rule, string>>;
  /** The columns of line items. */
  fields: DraftField[];
  /** Whether the row of the field is open. Only scripts send it. */
  open: boolean;
}

/** A definition in the editor. */
export interface Draft {
  /** The stored version that the draft is based on. 0 for a new definition. */
  version: number;
  key: string;
  name: string;
  /** The time zone of a new definition. Empty for the creator's time zone. */
  timeZone: string;
  /** The location of a new definition's data. Empty for any location. */
  location: string;
  /** The key of the collection that a new definition copies. Otherwise empty. */
  copyOf: string;
  fields: DraftField[];
}

export type FieldTypeNames = Catalogue["terms"]["fieldTypes"];

/** Returns the label of a field: the entered label, or the name of its type. */
export const labelOf = ({ label, type }: DraftField, names: FieldTypeNames) =>
  label.trim() || names[type];

/** Returns the key of each field: the entered key, or one derived from the label. */
export function fieldKeys(drafts: readonly DraftField[]): string[] {
  const usedKeys = new Set(drafts.map(({ key }) => key.trim()).filter((key) => key !== ""));
  return drafts.map((draft) => {
    const key = draft.key.trim() || deriveKey(draft, usedKeys);
    usedKeys.add(key);
    return key;
  });
}

const maxKeyLength = 40;

/** Whether a label has no characters that a key can have. The member then has to choose a key. */
export const needsChosenKey = (label: string) => label.trim() !== "" && toSlug(label) === "";

/** Whether a label has letters that have no transliteration, so that a key derived from it would lose them. */
export const hasUnknownLetters = (label: string) =>
  /[^\P{L}\p{Script=Latin}]/u.test(transliterate(label));

/**
 * Derives a key from the label in Latin letters, or from a name of the field's type. The result does not depend on the
 * language of the page.
 */
const deriveKey = ({ label, type }: DraftField, usedKeys: ReadonlySet<string>) =>
  makeKey(transliterate(label), defaultKeys[type], usedKeys);

/** Derives an unused key from a label: lowercase letters, digits and underscores. */
export function makeKey(label: string, fallback: string, usedKeys: ReadonlySet<string>): string {
  const slug = toSlug(label);
  const key = slug === "" ? fallback : slug;
  if (!usedKeys.has(key)) return key;
  for (let count = 2; ; count += 1) if (!usedKeys.has(`${key}_${count}`)) return `${key}_${count}`;
}

function toSlug(label: string): string {
  return label
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("ø", "o")
    .replaceAll("æ", "ae")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, maxKeyLength)
    .replace(/_+$/, "");
}

const escapeOption = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("|", "\\|");

/** Formats one option per line: its label, then a bar and the stored value if it differs. */
export function formatOptions(options: readonly FieldOption[]): string {
  return options
    .map(({ value, label }) =>
      label === value ? escapeOption(label) : `${escapeOption(label)} | ${escapeOption(value)}`,
    )
    .join("\n");
}

function readOptions(text: string): FieldOption[] {
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

/** Converts the text of a rule for the definition. Keeps invalid texts, so that the definition's check reports them. */
export function toRuleValue(rule: Rule, text: string, { type }: DraftField): unknown {
  if (rule === "options") return readOptions(text);
  if (text === "") return rule === "formula" ? "" : undefined;
  if (numericRules.has(rule)) return numberOrText(text);
  if (rule === "accept") return text.split(/[\s,]+/).filter((range) => range !== "");
  if (rule !== "default") return text;
  switch (valueKinds[type]) {
    case "number":
      return numberOrText(text);
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "list":
    case "rows":
      return jsonOrText(text);
    case "files":
    case "text":
    case "computed":
      return text;
  }
}

const numberOrText = (text: string) => typedNumber(text) ?? text;

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
