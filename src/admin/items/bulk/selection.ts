import type { Context } from "hono";
import { queryItems, type ItemQuery } from "#actions/query-items.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { ItemView } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { getView } from "#domain/search/view.ts";
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
 * Returns the search for the selected items, ordered by number. This order never changes, so items that change during
 * the action are neither repeated nor skipped, and new items are not included.
 */
export function selectionQuery(
  c: Context<AdminEnv>,
  { collection }: CompiledCollection,
  { ids, query }: Selection,
  further: readonly Condition[] = [],
): ItemQuery {
  if (ids) {
    const idCondition = { field: "$id", op: "in", value: ids };
    return { body: { conditions: [idCondition, ...further] } };
  }
  const { view } = query;
  const viewed = view === undefined ? [] : (getView(collection, view).conditions ?? []);
  const { conditions } = buildSearchBody(collection, query, clockOf(c));
  return { body: { conditions: [...viewed, ...conditions, ...further] }, text: query.text };
}

/** Loads the selected items: all items that the member selected one by one, or the first ones that match. */
export async function loadSelected(
  c: Context<AdminEnv>,
  compiled: CompiledCollection,
  selection: Selection,
): Promise<ItemView[]> {
  const query = selectionQuery(c, compiled, selection);
  return (await queryItems(c.var.action, compiled, query, null, maxSelectedItems)).views;
}

/** Counts the selected items that meet further conditions. */
export async function countSelected(
  c: Context<AdminEnv>,
  compiled: CompiledCollection,
  selection: Selection,
  further: readonly Condition[] = [],
): Promise<MatchCount> {
  const query = { ...selectionQuery(c, compiled, selection, further), isForPeople: true };
  const { count } = await queryItems(c.var.action, compiled, query, null, 1);
  return count ?? { count: 0, exact: false };
}
