import type { Field } from "../../domain/definition/field";
import { operators, type Query } from "./search-input";

const systemFields = { app: ["$receipt_number"], form: ["$status"] };

/** What the items are searched by: text wherever it is, a condition of one field, and a sort. */
export function SearchForm({
  base,
  fields,
  kind,
  query,
}: {
  base: string;
  fields: readonly Field[];
  kind: "app" | "form";
  query: Query;
}) {
  const keys = [
    ...fields.filter(({ searchable }) => searchable).map(({ key }) => key),
    "$id",
    ...systemFields[kind],
    "$created_at",
    "$updated_at",
  ];
  const choices = (name: string, none: string) => [
    <option value="">{none}</option>,
    ...keys.map((key) => (
      <option value={key} selected={query[name] === key}>
        {key}
      </option>
    )),
  ];
  return (
    <form method="get" action={`${base}/items`} role="search">
      <label>
        Text in any field
        <input type="search" name="q" value={query["q"]} />
      </label>
      <div class="grid">
        <label>
          Where
          <select name="field">{choices("field", "everything")}</select>
        </label>
        <label>
          is
          <select name="op">
            {operators.map((op) => (
              <option value={op} selected={query["op"] === op}>
                {op.replaceAll("_", " ")}
              </option>
            ))}
          </select>
        </label>
        <label>
          Value
          <input name="value" value={query["value"]} />
        </label>
        <label>
          Sorted by
          <select name="sort">{choices("sort", "newest first")}</select>
        </label>
        <label>
          Direction
          <select name="direction">
            <option value="asc">ascending</option>
            <option value="desc" selected={query["direction"] === "desc"}>
              descending
            </option>
          </select>
        </label>
      </div>
      <details open={Boolean(query["conditions"])}>
        <summary>More conditions</summary>
        <label>
          Conditions as JSON
          <small>
            As the API takes them, also groups and rows:{" "}
            <code>{'[{ "any": [{ "field": "a", "op": "eq", "value": 1 }] }]'}</code>
          </small>
          <textarea name="conditions">{query["conditions"]}</textarea>
        </label>
      </details>
      <button type="submit">Search</button>
    </form>
  );
}
