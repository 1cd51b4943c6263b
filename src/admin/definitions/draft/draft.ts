import type { Field, Option } from "../../../domain/definition/field";
import { textOf } from "../../frame/sent";
import { flagsOf, rulesOf, typeWords, type FieldType, type Flag, type Rule } from "./types";

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

/** A field that is stored, as the editor shows it first. */
export function draftOf(field: Field): DraftField {
  const has: Record<string, unknown> = { ...field };
  const flags = flagsOf(field.type, false).map((flag) => [flag, has[flag] === true] as const);
  const rules = rulesOf(field.type).map((rule) => [rule, ruleText(rule, has[rule])] as const);
  return {
    was: field.key,
    seen: "",
    key: field.key,
    label: field.label,
    type: field.type,
    flags: Object.fromEntries(flags),
    rules: Object.fromEntries(rules),
    fields: field.type === "line_items" ? field.fields.map(draftOf) : [],
    open: false,
  };
}

/** A new field; line items begin with one column. */
export function newField(type: FieldType): DraftField {
  return {
    was: "",
    seen: "",
    key: "",
    label: "",
    type,
    flags: { searchable: true },
    rules: {
      ...Object.fromEntries(rulesOf(type).map((rule) => [rule, ""])),
      ...(type === "computed" ? { result: "number" } : {}),
    },
    fields: type === "line_items" ? [newField("text")] : [],
    open: false,
  };
}

export const labelOf = ({ label, type }: DraftField) => label.trim() || typeWords[type];

function ruleText(rule: Rule, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (rule === "options") return optionLines(value as Option[]);
  return typeof value === "object" ? JSON.stringify(value) : textOf(value);
}

const escaped = (text: string) => text.replaceAll("\\", "\\\\").replaceAll("|", "\\|");

/** One option a line: its label, and behind a bar the value that is stored, where it is another. */
function optionLines(options: readonly Option[]): string {
  return options
    .map(({ value, label }) =>
      label === value ? escaped(label) : `${escaped(label)} | ${escaped(value)}`,
    )
    .join("\n");
}

export function optionsOf(text: string): Option[] {
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
