import { hasInput } from "./filter-inputs";
import type { Filterable } from "./filterable";
import type { Query } from "../query";
import { Panel } from "./panel";

const mostInputs = 60;

/** The box that finds text, and filters by label; a form that an address says all of. */
export function Find({
  base,
  query,
  by,
  name,
  isWrong,
}: {
  base: string;
  query: Query;
  by: readonly Filterable[];
  /** What is searched, in the plural. */
  name: string;
  /** Whether a filter was refused, which is told beside its input. */
  isWrong: boolean;
}) {
  const { sort, filters } = query;
  const shown = by.slice(0, mostInputs);
  // What has no input here stays as it is.
  const kept = filters.filter((filter) => !shown.some((each) => hasInput(each, filter)));
  return (
    <form method="get" action={base} role="search" class="find">
      {sort ? <input type="hidden" name="sort" value={sort.key} /> : null}
      {sort?.direction === "desc" ? <input type="hidden" name="direction" value="desc" /> : null}
      {kept.flatMap(({ path, op, values }) =>
        values.map((value) => <input type="hidden" name={`f.${path}.${op}`} value={value} />),
      )}
      <div class="bar">
        <input
          type="search"
          class="grow"
          name="q"
          value={query.text}
          placeholder={`Search ${name}`}
          aria-label={`Search ${name}: text in any field`}
        />
        <button type="submit" class="quiet">
          Search
        </button>
        <Panel {...{ base, query, shown, by, isWrong }} />
      </div>
    </form>
  );
}
