import { itemDocument } from "#documents/items.ts";
import type { ItemView } from "#domain/item/item.ts";
import { isObject } from "#domain/json.ts";
import { problem } from "#domain/problem/problem.ts";
import type { PageResult } from "./operation.ts";
import type { MatchingPage } from "./viewed-page.ts";

/** The records to which items refer, by their IDs. */
export const includedDocuments = (
  views: readonly ItemView[],
  origin: string,
): Record<string, object> =>
  Object.fromEntries(views.map((view) => [view.id, itemDocument(view, origin)]));

/** A page of a search, with the records to which its items refer if the request expands references. */
export function expandedPage(
  { found, binding, bookmark }: MatchingPage,
  body: unknown,
  expand: string | undefined,
  origin: string,
): PageResult {
  const { views = [], nextPosition: position = null, included = [] } = found ?? {};
  return {
    items: views.map((view) => ({ document: itemDocument(view, origin) })),
    next: position && { binding, position, bookmark },
    ...(expands(body, expand)
      ? { members: { included: includedDocuments(included, origin) } }
      : {}),
  };
}

const expands = (body: unknown, expand: string | undefined): boolean =>
  expand !== undefined || (isObject(body) && (body["expand"] ?? null) !== null);

/** Downloads have only items. */
export function assertNotExpanded(body: unknown, expand: string | undefined): void {
  if (!expands(body, expand)) return;
  const reason = "Downloads cannot expand references. Ask for pages with Accept: application/json.";
  throw problem.invalidInput([{ field: "expand", code: "invalid_condition", reason }]);
}
