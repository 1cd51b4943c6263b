import { isObject, toCanonicalJson } from "#domain/json.ts";
import type { Definition, View } from "#domain/definition/collection.ts";
import { definitionError, type Field, type FieldSet } from "#domain/definition/field.ts";
import { withColumns } from "#domain/definition/merge-rules.ts";
import type { ViewDocument } from "#domain/definition/view.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

interface MergedViews {
  views: View[];
  errors: FieldError[];
}

/**
 * Returns the views of the request. Without views in the request, returns the current ones with the new keys of renamed
 * fields.
 */
export function mergeViews(
  current: Definition | null,
  after: FieldSet,
  documents: readonly ViewDocument[] | undefined,
): MergedViews {
  if (documents) return { views: [...documents], errors: [] };
  return current ? renameFields(current.views ?? [], current.fields, after) : noViews;
}

const noViews: MergedViews = { views: [], errors: [] };

/**
 * Applies the change from the current views to `views` to a pending definition. Views that this change does not affect
 * stay as they are in the pending definition.
 */
export function mergePendingViews(
  current: Definition,
  views: readonly View[],
  pending: Definition,
): MergedViews {
  const currentViews = byKey(current.views);
  const pendingViews = byKey(pending.views);
  const isUnchanged = (view: View) =>
    toCanonicalJson(view) === toCanonicalJson(currentViews.get(view.key));
  const changed = views.filter((view) => !isUnchanged(view));
  const renamedViews = renameFields(changed, current.fields, pending.fields);
  const changedViews = byKey(renamedViews.views);
  const sentViews = views.flatMap(
    ({ key }) => changedViews.get(key) ?? pendingViews.get(key) ?? [],
  );
  const sentKeys = byKey(views);
  const added = (pending.views ?? []).filter(
    ({ key }) => !sentKeys.has(key) && !currentViews.has(key),
  );
  return { views: [...sentViews, ...added], errors: renamedViews.errors };
}

const byKey = (views: Definition["views"]) =>
  new Map((views ?? []).map((view) => [view.key, view]));

/** Replaces keys of fields in `before` by their keys in `after`. */
function renameFields(views: readonly View[], before: FieldSet, after: FieldSet): MergedViews {
  const errors: FieldError[] = [];
  const formerFields = [...before.fields, ...before.retired].flatMap(withColumns);
  const formerIds = new Set(formerFields.map(({ id }) => id));
  const keys = fieldKeys(before.fields, after.fields, formerIds);
  const renamedViews = views.map((view): View => {
    const removed = new Set<string>();
    const rename = (value: unknown) => renamed(value, keys, removed);
    const { conditions, sort, fields } = view;
    const renamedView = {
      ...view,
      ...(conditions ? { conditions: conditions.map(rename) } : {}),
      ...(sort ? { sort: sort.map(rename) } : {}),
      ...(fields ? { fields: fields.map((key) => newKey(key, keys, removed)) } : {}),
    };
    for (const key of removed) errors.push(removedFieldError(view, key));
    return renamedView;
  });
  return { views: renamedViews, errors };
}

function removedFieldError({ key }: View, field: string): FieldError {
  const reason = reasonFor("viewUsesRemovedField", { view: key, field });
  return definitionError(["views"], reason);
}

/**
 * The new key of each field by its old key, and the same for its columns. The new key of a removed field is undefined.
 */
type FieldKeys = Map<string, { key: string | undefined; columns: FieldKeys }>;

function fieldKeys(
  before: readonly Field[],
  after: readonly Field[],
  formerIds: ReadonlySet<number>,
): FieldKeys {
  return new Map(
    before.map((field) => {
      // A field of a new type replaces the field with its key.
      const next =
        after.find(({ id }) => id === field.id) ??
        after.find(({ id, key }) => key === field.key && !formerIds.has(id));
      const columns =
        field.type === "line_items" && next?.type === "line_items"
          ? fieldKeys(field.fields, next.fields, formerIds)
          : new Map();
      return [field.key, { key: next?.key, columns }] as const;
    }),
  );
}

function newKey(key: string, keys: FieldKeys, removed: Set<string>): string {
  const entry = keys.get(key);
  if (entry && entry.key === undefined) removed.add(key);
  return entry?.key ?? key;
}

/** Renames the fields in a condition, a group or a sort key. */
function renamed(node: unknown, keys: FieldKeys, removed: Set<string>): unknown {
  if (Array.isArray(node)) return node.map((each: unknown) => renamed(each, keys, removed));
  if (!isObject(node)) return node;
  const { field, op, value } = node;
  if (typeof field !== "string")
    return Object.fromEntries(
      Object.entries(node).map(([name, part]) => [name, renamed(part, keys, removed)]),
    );
  const columns = keys.get(field)?.columns ?? new Map();
  const operand = op === "any" || op === "none" ? renamed(value, columns, removed) : value;
  return {
    ...node,
    field: newKey(field, keys, removed),
    ...(value === undefined ? {} : { value: operand }),
  };
}
