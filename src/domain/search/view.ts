import { isObject } from "#domain/json.ts";
import type { Collection, Definition, View, ViewVersions } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { withColumns } from "#domain/definition/merge-rules.ts";
import { formatChoices } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { parseSearch } from "./parse.ts";
import { useResults } from "./results.ts";
import { meOperand, type Condition, type ParsedSearch, type SearchField } from "./tree.ts";
import { findViewBound } from "./view-bound.ts";

/** Parses and compares the views of a definition (contract, section 19). */

/** Returns the view as a search. `me` is the actor that `"$me"` stands for. */
export function parseView(collection: Collection, view: View, me: string): ParsedSearch {
  const { conditions = [], sort = [], fields = null } = view;
  return parseSearch(collection, { conditions, sort, fields }, me);
}

export function findView({ definition }: Collection, key: string): View | undefined {
  return definition.views?.find((view) => view.key === key);
}

/** Returns the view that a query parameter names. */
export function getView(collection: Collection, key: string): View {
  const view = findView(collection, key);
  if (view) return view;
  const allowed = (collection.definition.views ?? []).map((each) => each.key);
  const views = allowed.length > 0 ? ` Views: ${formatChoices(allowed)}.` : " It has no views.";
  const reason = `The ${collection.kind} has no view with this key.${views}`;
  throw problem.invalidInput([{ field: "view", code: "invalid_condition", reason, allowed }]);
}

/** Returns the search with the view's conditions added. Uses the sort and fields of the view if the search has none. */
export function inView(
  collection: Collection,
  search: ParsedSearch,
  body: unknown,
  key: string | undefined,
  me: string,
): ParsedSearch {
  if (key === undefined) return search;
  const view = parseView(collection, getView(collection, key), me);
  const { sort, order } = hasSort(body) ? search : view;
  return {
    ...search,
    conditions: [...view.conditions, ...search.conditions],
    sort,
    order,
    fields: search.fields ?? view.fields,
  };
}

/** Whether a body of a search, or a view, has sort keys. */
export const hasSort = (part: unknown): boolean =>
  isObject(part) && Array.isArray(part["sort"]) && part["sort"].length > 0;

/** Returns conditions as JSON, with field numbers instead of keys. Equal conditions have equal JSON. */
export const conditionsJson = (conditions: readonly Condition[]): string =>
  JSON.stringify(conditions, (name, value: unknown) => {
    if (name === "field" && isObject(value)) return value["number"];
    const isOfTexts = (name === "fields" || name === "lists") && Array.isArray(value);
    return isOfTexts ? value.map(({ number }: SearchField) => number) : value;
  });

interface ViewContent {
  text: string;
  version?: number | undefined;
}

/**
 * Returns a text that determines which items a view contains, and the version since which it has this text. If items can
 * be too large for the view, the text contains its fields, which divide items into parts. Otherwise, it has only the
 * conditions.
 */
function viewContent(collection: Collection, view: View): ViewContent {
  const { conditions } = parseView(collection, view, meOperand);
  const json = conditionsJson(conditions);
  const versions = collection.viewVersions?.[view.key];
  if (findViewBound(conditions) === null) return { text: json, version: versions?.conditions };
  const parts = view.fields ? shownIds(collection, view) : `-${retiredIds(collection)}`;
  return { text: `${json} ${parts}`, version: versions?.meaning };
}

/**
 * Returns a text that identifies the content of a view, for the marks of changes. A view that changes and changes back
 * gets a new fingerprint, because changes in between did not record whether they matched it. It contains a digest, so it
 * must never decide a permission.
 */
export const viewFingerprint = (collection: Collection, view: View): string =>
  fingerprintOf(viewContent(collection, view));

const fingerprintOf = ({ text, version }: ViewContent): string =>
  version === undefined ? digest(text) : `${digest(text)}.${version}`;

/** Returns another view that has the same fingerprint although it contains other items. Only a forged view has one. */
export function findViewWithSameMarks(collection: Collection, view: View): View | undefined {
  const others = (collection.definition.views ?? []).filter(({ key }) => key !== view.key);
  const content = viewContent(collection, view);
  const fingerprint = fingerprintOf(content);
  return others.find((other) => {
    const each = viewContent(collection, other);
    return fingerprintOf(each) === fingerprint && each.text !== content.text;
  });
}

/** The maximum length of ids in a mark. Cursors contain the mark of a view, and truncate texts of more than 64 bytes. */
const maxIdsLength = 40;

/** Returns the visible fields of a view, with the columns of its lists. */
const shownFields = ({ definition }: Collection, view: View): Field[] =>
  definition.fields.fields
    .filter(({ key }) => view.fields?.includes(key) ?? true)
    .flatMap((field): Field[] =>
      field.type === "line_items" ? [field, ...field.fields] : [field],
    );

/** Returns the ids of the visible fields and columns of a view, like `1,2,5`, or `all` for a view of all fields. */
function shownIds(collection: Collection, view: View): string {
  if (!view.fields) return "all";
  const ids = shownFields(collection, view).map(({ id }) => id);
  return ids.toSorted((a, b) => a - b).join(",");
}

/** Returns the ids of all removed fields and columns, which no view shows. */
function retiredIds({ definition: { fields } }: Collection): string {
  const columns = fields.fields.flatMap((field) =>
    field.type === "line_items" ? field.retired : [],
  );
  const ids = [...fields.retired, ...columns].map(({ id }) => id);
  return ids.toSorted((a, b) => a - b).join(",");
}

/**
 * Returns a text that identifies the conditions of a view, its visible fields and columns, and the version since which it
 * has them. It contains digests, so `hasSameMeaning` decides permissions instead.
 */
export function viewMark(collection: Collection, view: View): string {
  const ids = shownIds(collection, view);
  const version = collection.viewVersions?.[view.key]?.meaning;
  const content = version === undefined ? ids : `${ids} ${version}`;
  const isShort = version === undefined && ids.length <= maxIdsLength;
  return `${viewFingerprint(collection, view)} ${isShort ? content : digest(content)}`;
}

/** A view in one state of its collection. */
interface ViewState {
  collection: Collection;
  view: View;
}

function hasSameConditions(before: ViewState, after: ViewState): boolean {
  const [former, next] = [before, after].map(({ collection, view }) =>
    conditionsJson(parseView(collection, view, meOperand).conditions),
  );
  return former === next;
}

/**
 * Whether a view shows the same fields and columns. A view of all fields may also show new fields, because no item has
 * values for them. A restored field or column shows its old values.
 */
function showsSameFields(before: ViewState, after: ViewState): boolean {
  if (before.view.fields || after.view.fields)
    return shownIds(before.collection, before.view) === shownIds(after.collection, after.view);
  const { fields, retired } = before.collection.definition.fields;
  const known = new Set(shownFields(before.collection, before.view).map(({ id }) => id));
  // Not the next id: a change that waits has raised it for the fields that it adds.
  const former = new Set([...fields, ...retired].flatMap(withColumns).map(({ id }) => id));
  return shownFields(after.collection, after.view).every(
    ({ id }) => known.has(id) || !former.has(id),
  );
}

/** Whether a view matches the same items and shows the same fields and columns before and after a change. */
export const hasSameMeaning = (before: ViewState, after: ViewState): boolean =>
  hasSameConditions(before, after) && showsSameFields(before, after);

/**
 * Returns the versions of the views of `after`, a definition with the number `version`. Items do not yet have the
 * `outdated` results.
 */
export function nextViewVersions(
  current: Collection,
  after: Definition,
  version: number,
  outdated: readonly number[],
): NonNullable<Collection["viewVersions"]> {
  const changed = { ...current, definition: after };
  const versions = (after.views ?? []).flatMap((view): [string, ViewVersions][] => {
    const former = findView(current, view.key);
    const known = current.viewVersions?.[view.key];
    const isSame = (compare: typeof hasSameMeaning) =>
      former !== undefined &&
      compare({ collection: current, view: former }, { collection: changed, view });
    const lacksResults = () =>
      useResults(changed, parseView(changed, view, meOperand).conditions, outdated) || undefined;
    const matching = isSame(hasSameConditions)
      ? { conditions: known?.conditions, lackedResults: known?.lackedResults }
      : { conditions: version, lackedResults: lacksResults() };
    const meaning = isSame(hasSameMeaning) ? known?.meaning : version;
    return meaning === undefined ? [] : [[view.key, { ...matching, meaning }]];
  });
  return Object.fromEntries(versions);
}

/** Whether a view shows results with these ids or uses them in conditions. Includes columns. */
export function usesResults(collection: Collection, view: View, ids: readonly number[]): boolean {
  if (ids.length === 0) return false;
  return (
    shownFields(collection, view).some(({ id }) => ids.includes(id)) ||
    useResults(collection, parseView(collection, view, meOperand).conditions, ids)
  );
}

/** Returns two 32-bit hashes (FNV-1a) with different start values. Anybody can forge a text with a given digest. */
function digest(text: string): string {
  return [0x81_1c_9d_c5, 0x5b_d1_e9_95]
    .map((start) => {
      let hash = start;
      for (let index = 0; index < text.length; index += 1)
        hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
      return (hash >>> 0).toString(36);
    })
    .join("-");
}

/** Whether the view's conditions depend on the caller. */
export function dependsOnCaller({ conditions = [] }: View): boolean {
  return JSON.stringify(conditions).includes(JSON.stringify(meOperand));
}
