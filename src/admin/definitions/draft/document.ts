import type { Field } from "../../../domain/definition/field";
import { fieldDocument } from "../../../domain/definition/field-document";
import { storedField } from "./stored-draft";
import { labelOf, type DraftField } from "./draft";
import { makeKey } from "./keys";
import { flagsOf, rulesOf } from "./rules";
import { writtenRule } from "./written-rule";

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
