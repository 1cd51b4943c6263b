import type { Context } from "hono";
import { queryItems, type ItemQuery } from "#actions/query-items.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { ItemView } from "#domain/item/item.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { Problem, problem, type FieldError } from "#domain/problem/problem.ts";
import { parseSearch } from "#domain/search/parse.ts";
import { parseTextSearch } from "#domain/search/text.ts";
import { conditionsJson, getView } from "#domain/search/view.ts";
import type { AdminEnv } from "#http/env.ts";
import type { MatchCount } from "#store/data/search/count.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import { nonEmptyTexts } from "#admin/items/form/values.ts";
import { buildSearchBody, clockOf, type Condition } from "#admin/items/list/filters.ts";
import { buildSearchParams, parseQuery, type Query } from "#admin/items/list/query.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** The items of a bulk action: the items with these IDs, or all that match the query. */
export interface Selection {
  ids: string[] | null;
  query: Query;
  /** The query as a query string. */
  search: string;
}

/** A selection with the conditions that its view and its filters have now. One request selects by no others. */
export interface FixedSelection extends Selection {
  conditions: readonly unknown[];
  /**
   * The conditions with field numbers, and the numbers of the fields to edit. Equal in all definitions in which an action
   * on the selection does the same.
   */
  meaning: string;
  assertDefinition: NonNullable<ItemQuery["assertDefinition"]>;
}

/** The view, or a field of the selection or of the edit, is no longer the one that the member confirmed. */
export class ChangedSelection extends Problem {
  readonly #causes: readonly FieldError[];

  constructor(causes: readonly FieldError[] = [], members: Record<string, unknown> = {}) {
    const reason = reasonFor("selectionChanged");
    const errors = [errorAt([], "invalid_condition", reason), ...causes];
    const invalid = problem.invalidInput(errors);
    super(invalid.code, invalid.detail, { ...invalid.members, ...members });
    this.#causes = causes;
  }

  /** Returns the problem with the results of the action so far. */
  after(report: Record<string, unknown>): ChangedSelection {
    return new ChangedSelection(this.#causes, report);
  }
}

const maxSelectedItems = 100;
const maxSearchLength = 8000;

/** Reads the selection from a form. Null if nothing is selected. */
export function readSelection(form: FormValues): Selection | null {
  const searchText = textOf(form["search"]);
  if (searchText.length > maxSearchLength) {
    throw problem.invalidInput([
      {
        field: "search",
        code: "too_long",
        reason: reasonFor("searchTooLong", { maximum: maxSearchLength }),
      },
    ]);
  }
  const query = parseQuery(searchText);
  const search = buildSearchParams(query).toString();
  if (textOf(form["all"]) !== "") return { ids: null, query, search };
  const ids = [...new Set(nonEmptyTexts(form["ids"]))];
  if (ids.length > maxSelectedItems) {
    const reason = reasonFor("tooManyEntries", { maximum: maxSelectedItems });
    throw problem.invalidInput([{ field: "ids", code: "too_large", reason }]);
  }
  return ids.length > 0 ? { ids, query, search } : null;
}

/**
 * Fixes the conditions of a selection. Searches fail if a definition gives these conditions, or the keys of the fields to
 * edit, another meaning.
 */
export function fixSelection(
  c: Context<AdminEnv>,
  { collection }: CompiledCollection,
  selection: Selection,
  editedKeys: readonly string[] = [],
): FixedSelection {
  const { actor } = c.var.action;
  const { ids, query } = selection;
  const conditions = conditionsOf(c, collection, selection);
  const meaningIn = (current: Collection): string => {
    const { fields } = current.definition.fields;
    const numbers = new Map(fields.map(({ key, id }) => [key, id]));
    const edited = editedKeys.map((key) => numbers.get(key) ?? null);
    const parsed = parseSearch(current, { conditions }, actor);
    const words = ids ? [] : (parseTextSearch(current, query.text)?.words ?? []);
    return JSON.stringify([conditionsJson([...parsed.conditions, ...words]), edited]);
  };
  const meaning = meaningIn(collection);
  const assertDefinition = (current: Collection) => {
    if (current === collection) return;
    if (unlessChanged(() => meaningIn(current)) !== meaning) throw new ChangedSelection();
  };
  return { ...selection, conditions, meaning, assertDefinition };
}

/** Returns the result of `read`. Its problem means that something that the selection needs has changed. */
export function unlessChanged<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new ChangedSelection((error.members["errors"] ?? []) as FieldError[]);
  }
}

function conditionsOf(
  c: Context<AdminEnv>,
  collection: Collection,
  { ids, query }: Selection,
): unknown[] {
  if (ids) return [{ field: "$id", op: "in", value: ids }];
  const { view } = query;
  const viewed = view === undefined ? [] : (getView(collection, view).conditions ?? []);
  return [...viewed, ...buildSearchBody(collection, query, clockOf(c)).conditions];
}

/**
 * Returns the search for the selected items, ordered by number. This order never changes, so items that change during
 * the action are neither repeated nor skipped, and new items are not included.
 */
export function selectionQuery(
  { ids, query, conditions, assertDefinition }: FixedSelection,
  further: readonly Condition[] = [],
): ItemQuery {
  const body = { conditions: [...conditions, ...further] };
  return { body, text: ids ? "" : query.text, assertDefinition };
}

/** Loads the selected items: all items that the member selected one by one, or the first ones that match. */
export async function loadSelected(
  c: Context<AdminEnv>,
  compiled: CompiledCollection,
  selection: FixedSelection,
): Promise<ItemView[]> {
  const query = selectionQuery(selection);
  return (await queryItems(c.var.action, compiled, query, null, maxSelectedItems)).views;
}

/** Counts the selected items that meet further conditions. */
export async function countSelected(
  c: Context<AdminEnv>,
  compiled: CompiledCollection,
  selection: FixedSelection,
  further: readonly Condition[] = [],
): Promise<MatchCount> {
  const query = { ...selectionQuery(selection, further), isForPeople: true };
  const { count } = await queryItems(c.var.action, compiled, query, null, 1);
  return count ?? { count: 0, exact: false };
}
