import { Options } from "../../../../html/form/options";
import { TextArea } from "../../../../html/form/text-area";
import { FilterInputs } from "./filter-inputs";
import type { Filterable } from "./filterable";
import type { Query } from "../query";

/** An input or two for each of them, by label. */
export function Panel({
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
