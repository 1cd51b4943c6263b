import type { FieldSet, Field } from "#domain/definition/field.ts";
import { labelOf, type Draft, type DraftField, isFieldType, flagsOf, rulesOf } from "./draft.ts";
import { newField, storedField } from "./draft-documents.ts";
import { digestOf } from "#domain/cursor.ts";

/** What a button of the editor does to the draft, and the input that is to have the focus then. */
export interface Acted {
  draft: Draft;
  focus: number[] | undefined;
}

/**
 * `add:TYPE` or `add:TYPE:LIST`, `up:PATH`, `down:PATH`, `copy:PATH`, `remove:PATH`, `restore:KEY`; a path is the place of
 * a field, or that of its list and its own behind a dot.
 */
export function acted(draft: Draft, act: string, stored: FieldSet): Acted {
  const [verb = "", what = "", where = ""] = act.split(":");
  const next: Draft = { ...draft, fields: draft.fields.map(copied) };
  if (verb === "add" && isFieldType(what)) {
    const list = where === "" ? next.fields : next.fields[Number(where)]?.fields;
    if (!list || (where !== "" && what === "line_items")) return { draft, focus: undefined };
    const at = list.push(newField(what)) - 1;
    return { draft: next, focus: where === "" ? [at] : [Number(where), at] };
  }
  if (verb === "restore") return { draft: restored(next, what, stored), focus: undefined };
  const path = what.split(".").map(Number);
  const list = path.length === 1 ? next.fields : next.fields[path[0] ?? -1]?.fields;
  const at = path.at(-1) ?? -1;
  const field = list?.[at];
  if (!list || !field) return { draft, focus: undefined };
  return { draft: next, focus: changed(verb, list, field, at, path.slice(0, -1)) };
}

function changed(
  verb: string,
  list: DraftField[],
  field: DraftField,
  at: number,
  before: number[],
): number[] | undefined {
  const to = verb === "up" ? at - 1 : at + 1;
  switch (verb) {
    case "up":
    case "down":
      if (to < 0 || to >= list.length) return [...before, at];
      list.splice(at, 1);
      list.splice(to, 0, field);
      return [...before, to];
    case "copy":
      list.splice(at + 1, 0, duplicate(field));
      return [...before, at + 1];
    case "remove":
      list.splice(at, 1);
      return list.length === 0 ? undefined : [...before, Math.min(at, list.length - 1)];
    default:
      return undefined;
  }
}

function copied(field: DraftField): DraftField {
  return { ...field, fields: field.fields.map(copied) };
}

/** A field of its own: what is stored stays with the first. */
function duplicate(field: DraftField): DraftField {
  const fresh = (each: DraftField): DraftField => ({
    ...each,
    was: "",
    seen: "",
    key: "",
    fields: each.fields.map((column) => ({ ...fresh(column), key: column.key })),
  });
  return { ...fresh(field), label: `${labelOf(field)} (copy)` };
}

/** A field that the draft took away, or that was hidden before. */
function restored(draft: Draft, key: string, { fields, retired }: FieldSet): Draft {
  const field = [...fields, ...retired].find((each) => each.key === key);
  if (!field || draft.fields.some(({ was }) => was === key)) return draft;
  const back = storedField(field);
  const isLive = fields.includes(field);
  const at = isLive ? fields.indexOf(field) : draft.fields.length;
  // One that was hidden is matched by its key alone.
  const own = isLive ? back : { ...back, was: "" };
  return {
    ...draft,
    fields: [...draft.fields.slice(0, at), own, ...draft.fields.slice(at)],
  };
}

/** The drafts of what is stored, with what tells later which of them were changed. */
export async function draftsOf(fields: readonly Field[]): Promise<DraftField[]> {
  return Promise.all(
    fields.map(async (field) => {
      const draft = storedField(field);
      return { ...draft, seen: await digestOf(JSON.stringify(formOf(draft, false))) };
    }),
  );
}

/** All that a form says of a field, in one order. */
function formOf({ key, label, type, flags, rules, fields }: DraftField, inRow: boolean): unknown {
  return [
    key.trim(),
    label.trim(),
    type,
    flagsOf(type, inRow).map((flag) => flags[flag] === true),
    rulesOf(type).map((rule) => (rules[rule] ?? "").replaceAll("\r\n", "\n").trim()),
    fields.map((column) => [column.was, formOf(column, true)]),
  ];
}

interface Rebased {
  draft: Draft;
  /** Labels of fields that only others changed: they are now as the others left them. */
  theirs: string[];
  /** Labels of fields that both changed: they are as the draft has them. */
  both: string[];
}

/**
 * A draft that was made from an older version, on what is stored now. `known` are the keys that there were then: fields
 * that came since are added.
 */
export async function rebase(
  draft: Draft,
  known: readonly string[],
  stored: readonly Field[],
  version: number,
): Promise<Rebased> {
  const now = await draftsOf(stored);
  const theirs: string[] = [];
  const both: string[] = [];
  const fields = await Promise.all(
    draft.fields.map(async (own): Promise<DraftField[]> => {
      if (own.was === "") return [own];
      const untouched = (await digestOf(JSON.stringify(formOf(own, false)))) === own.seen;
      const at = stored.findIndex(
        ({ key, previous_keys }) => key === own.was || previous_keys.includes(own.was),
      );
      const current = now[at];
      if (current?.seen === own.seen) return [own];
      (untouched ? theirs : both).push(labelOf(current ?? own));
      if (untouched) return current ? [{ ...current, open: own.open }] : [];
      const key = own.key === own.was ? (current?.key ?? own.key) : own.key;
      return [{ ...own, key, was: current?.was ?? own.was, seen: current?.seen ?? "" }];
    }),
  );
  const added = stored.flatMap(({ key, previous_keys }, index) => {
    const isNew = ![key, ...previous_keys].some((each) => known.includes(each));
    const field = now[index];
    return isNew && field ? [field] : [];
  });
  theirs.push(...added.map(labelOf));
  return { draft: { ...draft, version, fields: [...fields.flat(), ...added] }, theirs, both };
}
