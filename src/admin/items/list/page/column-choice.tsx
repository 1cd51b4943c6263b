import type { Field } from "../../../../domain/definition/field";
import { searchParams, type Query } from "../query";

/** Which columns are shown; the browser keeps them. */
export function ColumnChoice({
  base,
  query,
  fields,
  columns,
}: {
  base: string;
  query: Query;
  fields: readonly Field[];
  columns: readonly Field[];
}) {
  return (
    <details class="drop">
      <summary class="button quiet little">Columns</summary>
      <form method="get" action={base} class="card">
        {[...searchParams(query)].map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <fieldset>
          <legend>Columns</legend>
          {fields.map(({ key, label }) => (
            <label class="choice">
              <input
                type="checkbox"
                name="columns"
                value={key}
                checked={columns.some((column) => column.key === key)}
              />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
        <button type="submit" class="little">
          Show these
        </button>
      </form>
    </details>
  );
}
