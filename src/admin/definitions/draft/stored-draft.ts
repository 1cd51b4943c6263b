import type { Field, Option } from "../../../domain/definition/field";
import { textOf } from "../../frame/sent";
import { flagsOf, rulesOf, type Rule } from "./rules";
import type { FieldType } from "./types";
import type { DraftField } from "./draft";
import { optionLines } from "./option-lines";

/** A field that is stored, as the editor shows it first. */
export function storedField(field: Field): DraftField {
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
    fields: field.type === "line_items" ? field.fields.map(storedField) : [],
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

function ruleText(rule: Rule, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (rule === "options") return optionLines(value as Option[]);
  return typeof value === "object" ? JSON.stringify(value) : textOf(value);
}
