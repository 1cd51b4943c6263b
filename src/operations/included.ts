import { itemDocument } from "#documents/items.ts";
import type { ItemView } from "#domain/item/item.ts";
import { isObject } from "#domain/json.ts";
import { problem } from "#domain/problem/problem.ts";
import type { PageResult } from "./operation.ts";
import type { MatchingPage } from "./matching-page.ts";

/** Returns the documents of the records that items refer to, by ID. */
export const includedDocuments = (
  views: readonly ItemView[],
  origin: string,
): Record<string, object> =>
  Object.fromEntries(views.map((view) => [view.id, itemDocument(view, origin)]));

/**
 * Builds a page of a search. If the request expands references, the page includes the records that its items refer to.
 */
export function expandedPage(
  { queryPage, binding, bookmark }: MatchingPage,
  body: unknown,
  expand: string | undefined,
  origin: string,
): PageResult {
  const { views = [], nextPosition: position = null, included = [] } = queryPage ?? {};
  return {
    items: views.map((view) => ({ document: itemDocument(view, origin) })),
    next: position && { binding, position, bookmark },
    ...(requestsExpansion(body, expand)
      ? { members: { included: includedDocuments(included, origin) } }
      : {}),
  };
}

const requestsExpansion = (body: unknown, expand: string | undefined): boolean =>
  expand !== undefined || (isObject(body) && (body["expand"] ?? null) !== null);

/** Throws 422 for a download that expands references, because downloads contain only items. */
export function assertNotExpanded(body: unknown, expand: string | undefined): void {
  if (!requestsExpansion(body, expand)) return;
  const reason = "Downloads cannot expand references. Ask for pages with Accept: application/json.";
  throw problem.invalidInput([{ field: "expand", code: "invalid_condition", reason }]);
}
