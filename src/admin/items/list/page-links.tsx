import { type Catalogue, useText } from "#admin/language/index.tsx";
import type { MatchCount } from "#store/data/search/count.ts";
import type { ItemsPageProps } from "./items-page.tsx";
import { nextPage, pagePath, previousPage, startOf } from "./pages.ts";

/** Links to the previous and the next page. */
export function PageLinks({
  base,
  query,
  next,
  progress,
  views,
}: ItemsPageProps & { base: string }) {
  const text = useText().itemList;
  const previous = previousPage(query);
  if (!previous && next === null) return null;
  return (
    <nav class="actions" aria-label={text.pages}>
      {previous ? (
        <a class="button quiet" href={pagePath(base, previous)} rel="prev">
          {text.previous}
        </a>
      ) : null}
      {next === null ? null : (
        <a
          class="button quiet"
          href={pagePath(base, nextPage(query, next, views.length))}
          rel="next"
        >
          {progress ? text.keepSearching : text.next}
        </a>
      )}
    </nav>
  );
}

/** Describes the position of the page among all matches: “101–150 of 1,327 submissions”. */
export function describePosition(
  { collection, query, views, next }: ItemsPageProps,
  { count, exact }: MatchCount,
  { itemList: text, terms }: Catalogue,
): string {
  const total = terms.collections[collection.kind].itemCount(count, exact);
  const start = startOf(query);
  const isOnlyPage = start === 0 && next === null;
  if (isOnlyPage || start === undefined) return text.onlyPage(total);
  return text.position(start + 1, start + views.length, total);
}
