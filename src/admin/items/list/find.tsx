import { Options } from "../../../html/form/options";
import { TextArea } from "../../../html/form/text-area";
import { FilterInputs, hasInput, type Filterable } from "./filter-inputs";
import type { Query } from "./query";

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

/** An input or two for each of them, by label. */
function Panel({
  base,
  query,
  shown,
  by,
  isWrong,
}: {
  base: string;
  query: Query;
  shown: readonly Filterable[];
  by: readonly Filterable[];
  isWrong: boolean;
}) {
  const { filters, conditions } = query;
  const emptiness = [
    { value: "", label: "" },
    ...by.map(({ path, label }) => ({ value: path, label })),
  ];
  const empty = (is: boolean) =>
    filters.find(({ op, values }) => op === "is_empty" && values[0] === String(is))?.path;
  return (
    <details class="drop filters" open={isWrong}>
      <summary class="button quiet">
        Filter{filters.length > 0 ? ` (${filters.length})` : ""}
      </summary>
      <div class="card">
        <div class="grid">
          {shown.map((each) => (
            <FilterInputs by={each} filters={filters} />
          ))}
          <label>
            Is empty
            <select name="empty">
              <Options options={emptiness} value={empty(true)} />
            </select>
          </label>
          <label>
            Is not empty
            <select name="filled">
              <Options options={emptiness} value={empty(false)} />
            </select>
          </label>
        </div>
        <details open={conditions !== ""}>
          <summary>Conditions as the API takes them</summary>
          <TextArea
            name="conditions"
            label="Conditions as JSON"
            hint={
              <>
                Also groups and rows:{" "}
                <code>{'[{ "any": [{ "field": "a", "op": "eq", "value": 1 }] }]'}</code>
              </>
            }
            value={conditions}
            wide
          />
        </details>
        <p class="actions">
          <button type="submit">Apply filters</button>
          <a class="button quiet" href={base}>
            Clear all
          </a>
        </p>
      </div>
    </details>
  );
}
