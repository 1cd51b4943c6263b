import { formatCount } from "#html/viewer.tsx";
import { collectionTerms } from "#admin/definitions/layout.tsx";
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
  const previous = previousPage(query);
  if (!previous && next === null) return null;
  return (
    <nav class="actions" aria-label="Pages">
      {previous ? (
        <a class="button quiet" href={pagePath(base, previous)} rel="prev">
          ← Previous
        </a>
      ) : null}
      {next === null ? null : (
        <a
          class="button quiet"
          href={pagePath(base, nextPage(query, next, views.length))}
          rel="next"
        >
          {progress ? "Keep searching" : "Next →"}
        </a>
      )}
    </nav>
  );
}

/** The place of the page among all matches: “101–150 of 1,327 submissions”. */
export function describePosition(
  { collection, query, views, next }: ItemsPageProps,
  { count, exact }: MatchCount,
): string {
  const { items, item } = collectionTerms[collection.kind];
  const name = count === 1 && exact ? item : items;
  const start = startOf(query);
  const isOnlyPage = start === 0 && next === null;
  if (isOnlyPage || start === undefined)
    return `${exact ? "" : "At least "}${formatCount(count)} ${name}`;
  const range = `${formatCount(start + 1)}–${formatCount(start + views.length)}`;
  return `${range} of ${exact ? "" : "at least "}${formatCount(count)} ${name}`;
}
