import type { Catalogue } from "#admin/language/index.tsx";
import { maxDraftFields, tooManyFieldsProblem } from "./draft-size.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import {
  type Draft,
  type DraftField,
  flagsOf,
  rulesOf,
  isFieldType,
  type Rule,
  type FieldType,
  formatOptions,
  type FieldTypeNames,
  fieldKeys,
  labelOf,
  toRuleValue,
} from "./draft.ts";
import { toHalfWidth } from "#domain/text.ts";
import { toPlainFormula } from "./plain-formula.ts";
import type { Field, FieldOption } from "#domain/definition/field.ts";
import { defaultDecimals } from "./formula-decimals.ts";
import { fieldDocument } from "#domain/definition/document.ts";

/** Returns the name of an editor input of the field at this path. */
export function inputName(path: readonly number[], name: string): string {
  return `${path.map((index) => `fields[${index}].`).join("")}${name}`;
}

interface InputNode {
  values: Record<string, string>;
  children: Map<string, InputNode>;
}

/** Parses the editor's form. Fields keep the order of their inputs, whatever their indexes. */
export function parseDraft(form: FormValues, text: Catalogue["definitionEditor"]): Draft {
  const root: InputNode = { values: {}, children: new Map() };
  let fieldCount = 0;
  for (const [name, value] of Object.entries(form)) {
    let node = root;
    let suffix = name;
    for (
      let step = /^fields\[(\d+)\]\./.exec(suffix);
      step;
      step = /^fields\[(\d+)\]\./.exec(suffix)
    ) {
      const [start, index = ""] = step;
      const child = node.children.get(index);
      if (!child) fieldCount += 1;
      if (fieldCount > maxDraftFields) throw tooManyFieldsProblem(text);
      const next = child ?? { values: {}, children: new Map<string, InputNode>() };
      node.children.set(index, next);
      node = next;
      suffix = suffix.slice(start.length);
    }
    if (node !== root) node.values[suffix] = textOf(value);
  }
  return {
    version: Number(textOf(form["version"])) || 0,
    key: toHalfWidth(textOf(form["key"])).trim(),
    name: textOf(form["name"]).trim(),
    timeZone: textOf(form["time_zone"]).trim(),
    location: textOf(form["location"]),
    copyOf: textOf(form["copy_of"]).trim(),
    fields: collectDraftFields(root, false),
  };
}

function collectDraftFields({ children }: InputNode, inRow: boolean): DraftField[] {
  return [...children.values()].flatMap((node): DraftField[] => {
    const { values } = node;
    const type = values["type"] ?? "";
    if (!isFieldType(type) || (inRow && type === "line_items")) return [];
    const flags = flagsOf(type, inRow).map((flag) => [flag, values[flag] !== undefined] as const);
    const rules = rulesOf(type).map((rule) => {
      const value = values[rule] ?? "";
      return [rule, rule === "formula" ? toPlainFormula(value) : value] as const;
    });
    return [
      {
        was: values["was"] ?? "",
        seen: values["seen"] ?? "",
        key: toHalfWidth(values["key"] ?? ""),
        label: values["label"] ?? "",
        type,
        flags: Object.fromEntries(flags),
        rules: Object.fromEntries(rules),
        fields: inRow ? [] : collectDraftFields(node, true),
        open: values["open"] === "on",
      },
    ];
  });
}

/** Reads the keys of the fields that were stored when the editor opened. */
export function readKnownKeys(form: FormValues): string[] {
  return textOf(form["known"])
    .split(" ")
    .filter((key) => key !== "");
}

/** Copies a stored field as a new field with the same key. */
export function copyDraftField(field: Field): DraftField {
  const draft = toDraftField(field);
  return { ...draft, was: "", fields: draft.fields.map((column) => ({ ...column, was: "" })) };
}

/** Converts a stored field to an unedited draft. */
export function toDraftField(field: Field): DraftField {
  const members: Record<string, unknown> = { ...field };
  const flags = flagsOf(field.type, false).map((flag) => [flag, members[flag] === true] as const);
  const rules = rulesOf(field.type).map((rule) => [rule, formatRule(rule, members[rule])] as const);
  return {
    was: field.key,
    seen: "",
    key: field.key,
    label: field.label,
    type: field.type,
    flags: Object.fromEntries(flags),
    rules: Object.fromEntries(rules),
    fields: field.type === "line_items" ? field.fields.map(toDraftField) : [],
    open: false,
  };
}

/** Creates a new field. Line items start with one column. */
export function newDraftField(type: FieldType): DraftField {
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
    fields: type === "line_items" ? [{ ...newDraftField("text"), open: true }] : [],
    open: false,
  };
}

function formatRule(rule: Rule, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (rule === "options") return formatOptions(value as FieldOption[]);
  if (rule === "accept" && Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : textOf(value);
}

/** Converts drafts to the fields of a definition document. Unedited rules keep their values from `stored`. */
export function buildFieldDocuments(
  drafts: readonly DraftField[],
  stored: readonly Field[],
  names: FieldTypeNames,
  inRow = false,
): Record<string, unknown>[] {
  const keys = fieldKeys(drafts);
  return drafts.map((draft, index) => {
    const storedField = stored.find(
      (field) => field.key === draft.was && field.type === draft.type,
    );
    const decimals = draft.rules.decimals || defaultDecimals(draft, drafts);
    const complete = decimals === "" ? draft : { ...draft, rules: { ...draft.rules, decimals } };
    return buildFieldDocument(complete, keys[index] ?? draft.key, storedField, names, inRow);
  });
}

function buildFieldDocument(
  draft: DraftField,
  key: string,
  storedField: Field | undefined,
  names: FieldTypeNames,
  inRow: boolean,
): Record<string, unknown> {
  const { type } = draft;
  // Rules with an unedited text keep their stored value.
  const storedDocument: Record<string, unknown> = storedField ? fieldDocument(storedField) : {};
  const storedDraft = storedField && toDraftField(storedField);
  const document: Record<string, unknown> = { key, label: labelOf(draft, names), type };
  for (const flag of flagsOf(type, inRow)) {
    const isOn = draft.flags[flag] === true;
    // Omits an unchecked `integer` unless the stored field has it.
    if (isOn || flag !== "integer" || storedDocument[flag] !== undefined) document[flag] = isOn;
  }
  for (const rule of rulesOf(type)) {
    if (inRow && rule === "section") continue;
    const text = (draft.rules[rule] ?? "").replaceAll("\r\n", "\n");
    const isUnedited = storedDraft && text === storedDraft.rules[rule];
    const value = isUnedited ? storedDocument[rule] : toRuleValue(rule, text.trim(), draft);
    if (value !== undefined) document[rule] = value;
  }
  if (type === "line_items") {
    const columns = storedField?.type === "line_items" ? storedField.fields : [];
    document["fields"] = buildFieldDocuments(draft.fields, columns, names, true);
  }
  if (draft.was !== "" && draft.was !== key) document["renamed_from"] = draft.was;
  return document;
}
