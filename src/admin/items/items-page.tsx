import type { Context } from "hono";
import type { ItemView } from "../../domain/item/item-view";
import type { Compiled } from "../../domain/data/compile";
import { may } from "../../domain/credential/permissions";
import type { BrowsedPage } from "../../actions/search/browse-items";
import type { Problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { Indexing } from "../definitions/collection-page";
import { words } from "../definitions/words";
import { AdminPage, Next, Table, Time } from "../frame/layout";
import { SearchForm } from "./search-form";
import type { Query } from "./search-input";
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
  /** Of all that match; nothing where the search was refused. */
  count?: BrowsedPage["count"];
  problem?: Problem;
}

const mostColumns = 6;

/** A page of items: searched and sorted as through the API. */
export function ItemsPage(props: Shown) {
  const { c, compiled, live, indexing, query, views, next, count, problem } = props;
  const { kind, key, definition } = compiled.collection;
  const { items, path } = words[kind];
  const base = `${path}/${key}`;
  const columns = definition.fields.fields.slice(0, mostColumns);
  const filtered = Boolean(query["q"] || query["field"] || query["conditions"]);
  return (
    <AdminPage c={c} title={`${definition.name}: ${items}`} problem={problem}>
      <p>
        <a href={base}>{definition.name}</a>, {live} {items}
      </p>
      {indexing ? <Indexing {...indexing} /> : null}
      <SearchForm base={base} fields={definition.fields.fields} kind={kind} query={query} />
      {filtered && count ? <p>{found(count)}</p> : null}
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

function found({ count, exact }: NonNullable<Shown["count"]>): string {
  return `${count}${exact ? "" : " or more"} found`;
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
