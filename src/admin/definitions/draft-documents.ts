import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { textOf, type Sent } from "#admin/form-input.ts";
import { type Draft, type DraftField, flagsOf, rulesOf, isFieldType, type Rule, type FieldType, optionLines, labelOf, makeKey, writtenRule } from "./draft.ts";
import type { Field, Option } from "#domain/definition/field.ts";
import { fieldDocument } from "#domain/definition/document.ts";

/** The name of an input of the editor: of the field at these places. */
export function inputName(path: readonly number[], name: string): string {
  return `${path.map((index) => `fields[${index}].`).join("")}${name}`;
}

interface Node {
  own: Record<string, string>;
  within: Map<string, Node>;
}

/** As many as a definition can have. */
const mostFields = 2000;

const tooManyFields = () =>
  problem.invalidInput([
    errorAt(["fields"], "invalid_definition", `A definition has at most ${mostFields} fields.`),
  ]);

/** What the editor's form sent; its fields in the order in which they stand there, whatever their numbers. */
export function sentDraft(sent: Sent): Draft {
  const root: Node = { own: {}, within: new Map() };
  let found = 0;
  for (const [name, value] of Object.entries(sent)) {
    let node = root;
    let rest = name;
    for (let step = /^fields\[(\d+)\]\./.exec(rest); step; step = /^fields\[(\d+)\]\./.exec(rest)) {
      const [start, index = ""] = step;
      const known = node.within.get(index);
      if (!known) found += 1;
      if (found > mostFields) throw tooManyFields();
      const next = known ?? { own: {}, within: new Map<string, Node>() };
      node.within.set(index, next);
      node = next;
      rest = rest.slice(start.length);
    }
    if (node !== root) node.own[rest] = textOf(value);
  }
  return {
    version: Number(textOf(sent["version"])) || 0,
    key: textOf(sent["key"]).trim(),
    name: textOf(sent["name"]).trim(),
    fields: fieldsOf(root, false),
  };
}

function fieldsOf({ within }: Node, inRow: boolean): DraftField[] {
  return [...within.values()].flatMap((node): DraftField[] => {
    const { own } = node;
    const type = own["type"] ?? "";
    if (!isFieldType(type) || (inRow && type === "line_items")) return [];
    const flags = flagsOf(type, inRow).map((flag) => [flag, own[flag] !== undefined] as const);
    const rules = rulesOf(type).map((rule) => [rule, own[rule] ?? ""] as const);
    return [
      {
        was: own["was"] ?? "",
        seen: own["seen"] ?? "",
        key: own["key"] ?? "",
        label: own["label"] ?? "",
        type,
        flags: Object.fromEntries(flags),
        rules: Object.fromEntries(rules),
        fields: inRow ? [] : fieldsOf(node, true),
        open: own["open"] === "on",
      },
    ];
  });
}

/** The keys that were stored when the editor was opened. */
export function knownKeys(sent: Sent): string[] {
  return textOf(sent["known"])
    .split(" ")
    .filter((key) => key !== "");
}

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

/** The fields of a definition document that a draft stands for. `stored` are those of now, to be continued. */
export function fieldDocuments(
  drafts: readonly DraftField[],
  stored: readonly Field[],
  inRow = false,
): Record<string, unknown>[] {
  const keys = fieldKeys(drafts);
  return drafts.map((draft, index) => {
    const before = stored.find((field) => field.key === draft.was && field.type === draft.type);
    return documentOf(draft, keys[index] ?? draft.key, before, inRow);
  });
}

/** The key of each field: the one that is written, or one that is made from its label. */
export function fieldKeys(drafts: readonly DraftField[]): string[] {
  const taken = new Set(drafts.map(({ key }) => key.trim()).filter((key) => key !== ""));
  return drafts.map((draft) => {
    const key = draft.key.trim() || makeKey(labelOf(draft), draft.type, taken);
    taken.add(key);
    return key;
  });
}

function documentOf(
  draft: DraftField,
  key: string,
  before: Field | undefined,
  inRow: boolean,
): Record<string, unknown> {
  const { type } = draft;
  // What the editor does not show, or shows without change, stays as it is stored.
  const kept: Record<string, unknown> = before ? fieldDocument(before) : {};
  const shown = before && storedField(before);
  const document: Record<string, unknown> = { key, label: labelOf(draft), type };
  for (const flag of flagsOf(type, inRow)) {
    const isOn = draft.flags[flag] === true;
    // What was never said stays unsaid.
    if (isOn || flag !== "integer" || kept[flag] !== undefined) document[flag] = isOn;
  }
  for (const rule of rulesOf(type)) {
    const text = (draft.rules[rule] ?? "").replaceAll("\r\n", "\n");
    const same = shown && text === shown.rules[rule];
    const value = same ? kept[rule] : writtenRule(rule, text.trim(), draft);
    if (value !== undefined) document[rule] = value;
  }
  if (type === "line_items") {
    const columns = before?.type === "line_items" ? before.fields : [];
    document["fields"] = fieldDocuments(draft.fields, columns, true);
  }
  if (draft.was !== "" && draft.was !== key) document["renamed_from"] = draft.was;
  return document;
}
