import type { Field } from "#domain/definition/field.ts";
import { searchParams, type Query, isNarrowed, shownColumns, searchRefusal } from "./query.ts";
import type { BrowsedPage } from "#actions/query-items.ts";
import { type Collection, closedReason } from "#domain/definition/collection.ts";
import { may } from "#domain/credential/permissions.ts";
import type { ItemView } from "#domain/item/item.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { Frame } from "#admin/layout.tsx";
import { Empty } from "#html/parts.tsx";
import { words, CollectionHead, Indexing } from "#admin/definitions/layout.tsx";
import { showCount } from "#html/viewer.tsx";
import { WithWrong } from "#html/form-errors.tsx";
import { Chips, Find } from "./filter-panel.tsx";
import { filterables } from "./filters.ts";
import { ItemsTable, Pages } from "./items-table.tsx";

/** Downloads of what is searched: for spreadsheets, and lossless ones. */
export function Downloads({
  base,
  query,
  fields,
  live,
}: {
  base: string;
  query: Query;
  fields: readonly Field[];
  live: number;
}) {
  const formats: [string, string, string][] = [
    ["spreadsheet", "For spreadsheets", "CSV with labels; Excel opens it as it is"],
    ["lines", "For spreadsheets, a line for each row", "CSV with the rows of line items"],
    ["csv", "CSV, lossless", "keys and stored values"],
    ["ndjson", "NDJSON, lossless", "one item a line, as the API has it"],
  ];
  const hasRows = fields.some(({ type }) => type === "line_items");
  const download = (format: string) => {
    const params = searchParams(query);
    params.set("format", format);
    return `${base}/export?${params.toString()}`;
  };
  return (
    <>
      <details class="drop">
        <summary class="button quiet">Download</summary>
        <ul class="card" id="downloads">
          {formats
            .filter(([format]) => format !== "lines" || hasRows)
            .map(([format, name, hint]) => (
              <li>
                <a href={download(format)} data-rows={live} download>
                  {name}
                </a>
                <small>{hint}</small>
              </li>
            ))}
        </ul>
      </details>
      <span id="download" role="status"></span>
    </>
  );
}

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

export interface ItemsShown {
  frame: Frame;
  collection: Collection;
  /** How many items are stored. */
  live: number;
  indexing: { done: number; total: number } | null;
  query: Query;
  views: readonly ItemView[];
  /** The cursor of the next page. */
  next: string | null;
  /** Of all that match; nothing where nothing is searched. */
  count: BrowsedPage["count"];
  problem?: Problem | undefined;
}

/** Whether who reads the list may add to it: a form may take no submissions now. */
export function mayAdd({ frame, collection, live }: ItemsShown): boolean {
  const { acceptance } = collection.definition;
  return (
    may(frame.member.role, "write") && closedReason(acceptance, live, frame.reader.now) === null
  );
}

export function Nothing(shown: ItemsShown) {
  const { collection, query, next, problem, frame } = shown;
  const { items, item, path } = words[collection.kind];
  const base = `${path}/${collection.key}`;
  if (problem) return null;
  if (next !== null) {
    return <Empty>None among those that were looked at so far; the next page looks further.</Empty>;
  }
  if (isNarrowed(query)) {
    return (
      <Empty>
        <p>No {item} matches.</p>
        <p>
          <a class="button quiet" href={`${base}/items`}>
            Show all {items}
          </a>
        </p>
      </Empty>
    );
  }
  if (collection.definition.fields.fields.length === 0) {
    return (
      <Empty>
        <p>There are no fields yet, so there is nothing to fill in.</p>
        {may(frame.member.role, "define") ? (
          <p>
            <a class="button" href={base}>
              Add fields
            </a>
          </p>
        ) : null}
      </Empty>
    );
  }
  return (
    <Empty>
      <p>There are no {items} yet.</p>
      {mayAdd(shown) ? (
        <p>
          <a class="button" href={`${base}/items/new`}>
            New {item}
          </a>
        </p>
      ) : null}
    </Empty>
  );
}

/** A page of items: searched and sorted as through the API. */
export function ItemsPage(shown: ItemsShown) {
  const { frame, collection, live, indexing, query, views, problem } = shown;
  const { kind, key, definition } = collection;
  const { items, item, path } = words[kind];
  const base = `${path}/${key}/items`;
  const { fields } = definition.fields;
  const by = filterables(fields, kind);
  const columns = shownColumns(fields, query.columns);
  const writes = may(frame.member.role, "write");
  const acts = (
    <>
      <Downloads base={base} query={query} fields={fields} live={live} />
      {writes ? (
        <>
          <a class="button quiet" href={`${base}/import`}>
            Import
          </a>
          {mayAdd(shown) ? (
            <a class="button" href={`${base}/new`}>
              New {item}
            </a>
          ) : null}
        </>
      ) : null}
    </>
  );
  const refused = problem && searchRefusal(problem, query, by);
  return (
    <CollectionHead {...{ frame, collection, live, acts }} problem={refused?.summary} tab="items">
      {indexing ? <Indexing {...indexing} /> : null}
      {live > 0 || isNarrowed(query) ? (
        <WithWrong problem={refused?.inputs}>
          <Find {...{ base, query, by }} name={items} isWrong={refused !== undefined} />
        </WithWrong>
      ) : null}
      <div id="found">
        <Chips base={base} query={query} by={by} />
        {views.length === 0 ? (
          <Nothing {...shown} />
        ) : (
          <>
            <div class="bar tools">
              <span class="muted">{counted(shown)}</span>
              <ColumnChoice base={base} query={query} fields={fields} columns={columns} />
            </div>
            <ItemsTable {...{ base, collection, columns, views, query, writes }} />
          </>
        )}
        <Pages {...shown} base={base} />
      </div>
    </CollectionHead>
  );
}

/** How many there are, as far as is known without reading them all. */
function counted({ collection, live, query, count }: ItemsShown): string {
  const { items, item } = words[collection.kind];
  const all = isNarrowed(query) && count ? count : { count: live, exact: true };
  const more = all.exact ? "" : " or more";
  return `${showCount(all.count)}${more} ${all.count === 1 && all.exact ? item : items}`;
}
