import type { FieldSet } from "../../../domain/definition/field";
import { labelOf, type Draft, type DraftField } from "./draft";
import { newField, storedField } from "./stored-draft";
import { isFieldType } from "./types";

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
