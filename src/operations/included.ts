import type { QueryPage } from "#actions/query-items.ts";
import { itemDocument } from "#documents/items.ts";
import type { ItemView } from "#domain/item/item.ts";
import { isObject } from "#domain/json.ts";
import { problem } from "#domain/problem/problem.ts";

/** A page, with the version of the database that its read returned. */
export interface SearchedPage {
  found: QueryPage;
  bookmark: string | null;
}

/** The records to which items refer, by their IDs. */
export const includedDocuments = (views: readonly ItemView[]): Record<string, object> =>
  Object.fromEntries(views.map((view) => [view.id, itemDocument(view)]));

/** The member of a page that expands references, even if there are none. */
export function includedMember(
  { included }: Pick<QueryPage, "included">,
  body: unknown,
  expand: string | undefined,
): { members?: { included: object } } {
  return expands(body, expand) ? { members: { included: includedDocuments(included) } } : {};
}

const expands = (body: unknown, expand: string | undefined): boolean =>
  expand !== undefined || (isObject(body) && (body["expand"] ?? null) !== null);

/** Downloads have only items. */
export function assertNotExpanded(body: unknown, expand: string | undefined): void {
  if (!expands(body, expand)) return;
  const reason = "Downloads cannot expand references. Ask for pages with Accept: application/json.";
  throw problem.invalidInput([{ field: "expand", code: "invalid_condition", reason }]);
}
