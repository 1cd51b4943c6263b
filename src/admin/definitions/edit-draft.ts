import type { FieldSet, Field } from "#domain/definition/field.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import {
  fieldKeys,
  labelOf,
  type Draft,
  type DraftField,
  type FieldTypeNames,
  isFieldType,
  flagsOf,
  makeKey,
  needsChosenKey,
  rulesOf,
} from "./draft.ts";
import { newDraftField, toDraftField } from "./draft-documents.ts";
import { digestText } from "#domain/cursor.ts";

/** The part of a field's row that gets the focus after an edit. Only its label needs an open row. */
export interface EditFocus {
  path: readonly number[];
  part: "label" | "row" | "up" | "down";
}

/** The draft after an edit. */
export interface EditResult {
  draft: Draft;
  focus: EditFocus | undefined;
}

/**
 * Applies an edit to a draft: `add:TYPE`, `add:TYPE:LIST`, `up:PATH`, `down:PATH`, `copy:PATH`, `remove:PATH` or
 * `restore:KEY`. A path is the index of a field, or the indexes of a list and its column, separated by a dot.
 */
export function applyEdit(
  draft: Draft,
  action: string,
  stored: FieldSet,
  text: Catalogue,
): EditResult {
  const [verb = "", subject = "", listIndex = ""] = action.split(":");
  const next: Draft = { ...draft, fields: draft.fields.map(cloneField) };
  if (verb === "add" && isFieldType(subject)) {
    const list = listIndex === "" ? next.fields : next.fields[Number(listIndex)]?.fields;
    if (!list || (listIndex !== "" && subject === "line_items")) return { draft, focus: undefined };
    const index = list.push(newDraftField(subject)) - 1;
    const path = listIndex === "" ? [index] : [Number(listIndex), index];
    return { draft: next, focus: { path, part: "label" } };
  }
  if (verb === "restore") return { draft: restoreField(next, subject, stored), focus: undefined };
  const path = subject.split(".").map(Number);
  const list = path.length === 1 ? next.fields : next.fields[path[0] ?? -1]?.fields;
  const index = path.at(-1) ?? -1;
  if (!list?.[index]) return { draft, focus: undefined };
  return { draft: next, focus: editFieldList(verb, list, index, path.slice(0, -1), text) };
}

function editFieldList(
  verb: string,
  list: DraftField[],
  index: number,
  listPath: number[],
  text: Catalogue,
): EditFocus | undefined {
  const focusOn = (at: number, part: EditFocus["part"]) => ({ path: [...listPath, at], part });
  const newIndex = verb === "up" ? index - 1 : index + 1;
  switch (verb) {
    case "up":
    case "down":
      if (newIndex < 0 || newIndex >= list.length) return focusOn(index, verb);
      list.splice(newIndex, 0, ...list.splice(index, 1));
      return focusOn(newIndex, verb);
    case "copy":
      list.splice(index + 1, 0, ...duplicateField(list, index, text));
      return focusOn(index + 1, "label");
    case "remove":
      list.splice(index, 1);
      return list.length === 0 ? undefined : focusOn(Math.min(index, list.length - 1), "row");
    default:
      return undefined;
  }
}

function cloneField(field: DraftField): DraftField {
  return { ...field, fields: field.fields.map(cloneField) };
}

/** Copies a field without its stored key, so that the stored data stays with the original. */
function duplicateField(list: readonly DraftField[], index: number, text: Catalogue): DraftField[] {
  const asNew = (source: DraftField): DraftField => ({
    ...source,
    was: "",
    seen: "",
    key: "",
    fields: source.fields.map((column) => ({ ...asNew(column), key: column.key })),
  });
  const keys = fieldKeys(list);
  return list.slice(index, index + 1).map((field) => {
    const label = text.definitionEditor.copyOf(labelOf(field, text.terms.fieldTypes));
    // A key cannot be derived from a label in Japanese.
    const key = needsChosenKey(label)
      ? makeKey(`${keys[index] ?? ""}_copy`, "", new Set(keys))
      : "";
    return { ...asNew(field), label, key };
  });
}

/** Restores a field that the draft removed or that an earlier version hid. */
function restoreField(draft: Draft, key: string, { fields, retired }: FieldSet): Draft {
  const field = [...fields, ...retired].find((candidate) => candidate.key === key);
  if (!field || draft.fields.some(({ was }) => was === key)) return draft;
  const restored = toDraftField(field);
  const isLive = fields.includes(field);
  const index = isLive ? fields.indexOf(field) : draft.fields.length;
  // Saving matches a hidden field by `key` alone, so `was` is empty.
  const draftField = isLive ? restored : { ...restored, was: "" };
  return {
    ...draft,
    fields: [...draft.fields.slice(0, index), draftField, ...draft.fields.slice(index)],
  };
}

/** Returns drafts of the stored fields, with digests that later show which fields were edited. */
export async function buildDraftFields(fields: readonly Field[]): Promise<DraftField[]> {
  return Promise.all(
    fields.map(async (field) => {
      const draft = toDraftField(field);
      return { ...draft, seen: await digestText(JSON.stringify(canonicalForm(draft, false))) };
    }),
  );
}

/** Serializes all form values of a field in a fixed order, for its digest. */
function canonicalForm(
  { key, label, type, flags, rules, fields }: DraftField,
  inRow: boolean,
): unknown {
  return [
    key.trim(),
    label.trim(),
    type,
    flagsOf(type, inRow).map((flag) => flags[flag] === true),
    rulesOf(type).map((rule) => (rules[rule] ?? "").replaceAll("\r\n", "\n").trim()),
    fields.map((column) => [column.was, canonicalForm(column, true)]),
  ];
}

interface RebasedDraft {
  draft: Draft;
  /** Labels of fields that only others changed. The draft adopts their changes. */
  theirs: string[];
  /** Labels of fields that both the member and others changed. The draft keeps the member's version. */
  both: string[];
}

/**
 * Rebases a draft of an older version onto the stored fields. `baseKeys` are the keys of that older version. Adds
 * fields that were stored since then to the draft.
 */
export async function rebaseDraft(
  draft: Draft,
  baseKeys: readonly string[],
  stored: readonly Field[],
  version: number,
  names: FieldTypeNames,
): Promise<RebasedDraft> {
  const storedDrafts = await buildDraftFields(stored);
  const theirs: string[] = [];
  const both: string[] = [];
  const fields = await Promise.all(
    draft.fields.map(async (field): Promise<DraftField[]> => {
      if (field.was === "") return [field];
      const digest = await digestText(JSON.stringify(canonicalForm(field, false)));
      const isUnedited = digest === field.seen;
      const index = stored.findIndex(
        ({ key, previous_keys }) => key === field.was || previous_keys.includes(field.was),
      );
      const current = storedDrafts[index];
      if (current?.seen === field.seen) return [field];
      (isUnedited ? theirs : both).push(labelOf(current ?? field, names));
      if (isUnedited) return current ? [{ ...current, open: field.open }] : [];
      const key = field.key === field.was ? (current?.key ?? field.key) : field.key;
      return [{ ...field, key, was: current?.was ?? field.was, seen: current?.seen ?? "" }];
    }),
  );
  const addedFields = stored.flatMap(({ key, previous_keys }, index) => {
    const isNew = ![key, ...previous_keys].some((candidate) => baseKeys.includes(candidate));
    const field = storedDrafts[index];
    return isNew && field ? [field] : [];
  });
  theirs.push(...addedFields.map((field) => labelOf(field, names)));
  return { draft: { ...draft, version, fields: [...fields.flat(), ...addedFields] }, theirs, both };
}
