import { digestOf } from "../../../domain/cursor";
import type { Field } from "../../../domain/definition/field";
import { storedField } from "./stored-draft";
import { labelOf, type Draft, type DraftField } from "./draft";
import { flagsOf, rulesOf } from "./rules";

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
