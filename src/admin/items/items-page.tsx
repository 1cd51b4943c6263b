import type { Context } from "hono";
import type { ItemView } from "../../domain/item/item-view";
import type { Compiled } from "../../domain/data/compile";
import type { Field } from "../../domain/definition/field";
import { may } from "../../domain/credential/permissions";
import type { Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { Indexing } from "../definitions/collection-page";
import { words } from "../definitions/words";
import { Options } from "../../html/field";
import { Next, Table } from "../../html/parts";
import { Time } from "../../html/reader";
import { AdminPage } from "../frame/layout";
import { operators, type Query } from "./search-input";
import { textOf } from "../frame/sent";

interface Shown {
  c: Context<AdminEnv>;
  compiled: Compiled;
  live: number;
  indexing: { done: number; total: number } | null;
  query: Query;
  views: readonly ItemView[];
  /** The address of the next page. */
  next: string | null;
  problem?: Problem;
}

const mostColumns = 6;

/** A page of items: searched and sorted as through the API. */
export function ItemsPage({ c, compiled, live, indexing, query, views, next, problem }: Shown) {
  const { kind, key, definition } = compiled.collection;
  const { items, path } = words[kind];
  const base = `${path}/${key}`;
  const columns = definition.fields.fields.slice(0, mostColumns);
  const filtered = Boolean(query["field"] || query["conditions"]);
  return (
    <AdminPage c={c} title={`${definition.name}: ${items}`} problem={problem}>
      <p>
        <a href={base}>{definition.name}</a>, {live} {items}
      </p>
      {indexing ? <Indexing {...indexing} /> : null}
      <Search base={base} fields={definition.fields.fields} kind={kind} query={query} />
      <Actions c={c} compiled={compiled} live={live} query={query} />
      {views.length === 0 ? (
        <p class="card">
          {next
            ? "None among those that were looked at so far."
            : filtered
              ? "None matches."
              : `There are no ${items} yet.`}
        </p>
      ) : (
        <Table
          caption={items}
          heads={[
            kind === "app" ? "Receipt" : "Id",
            ...(kind === "form" ? ["Status"] : []),
            ...columns.map(({ label }) => label),
            "Created",
          ]}
        >
          {views.map((view) => (
            <tr>
              <th scope="row">
                <a class="id" href={`${base}/items/${view.id}`}>
                  {view.receiptNumber ?? `…${view.id.slice(-8)}`}
                </a>
              </th>
              {kind === "form" ? <td>{view.status}</td> : null}
              {columns.map((field) => (
                <td class={typeof view.data[field.key] === "number" ? "number" : undefined}>
                  {shown(view.data[field.key])}
                </td>
              ))}
              <td>
                <Time at={view.createdAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Next href={next} name="Next page" />
    </AdminPage>
  );
}

/** A value in a cell; long ones are cut. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    return value.every((each) => typeof each === "string")
      ? value.join(", ")
      : `${value.length} ${value.length === 1 ? "row" : "rows"}`;
  }
  const text = textOf(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

const systemFields = { app: ["$receipt_number"], form: ["$status"] };

function Search({
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
  const choices = (name: string, none: string) => {
    const known = keys.map((key) => ({ value: key, label: key }));
    return <Options options={[{ value: "", label: none }, ...known]} value={query[name]} />;
  };
  return (
    <form method="get" action={`${base}/items`} role="search">
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

/** What can be done with all of them. */
function Actions({ c, compiled, live, query }: Pick<Shown, "c" | "compiled" | "live" | "query">) {
  const { kind, key, definition } = compiled.collection;
  const { item, path } = words[kind];
  const base = `${path}/${key}`;
  const search = new URLSearchParams(query);
  search.delete("cursor");
  const download = (format: string) =>
    `${base}/items/export?${new URLSearchParams({ ...Object.fromEntries(search), format }).toString()}`;
  return (
    <p class="actions">
      {may(c.var.member.role, "write") ? (
        <a class="button" href={`${base}/items/new`}>
          New {item}
        </a>
      ) : null}
      <a class="button quiet" href={download("spreadsheet")} data-rows={live} download>
        Download for spreadsheets
      </a>
      {definition.fields.fields.some(({ type }) => type === "line_items") ? (
        <a class="button quiet" href={download("lines")} data-rows={live} download>
          Download rows
        </a>
      ) : null}
      <a class="button quiet" href={download("csv")} data-rows={live} download>
        Download CSV
      </a>
      <a class="button quiet" href={download("ndjson")} data-rows={live} download>
        Download NDJSON
      </a>
      <span id="download" role="status"></span>
    </p>
  );
}
