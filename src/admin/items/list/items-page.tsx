import type { Field } from "#domain/definition/field.ts";
import {
  buildSearchParams,
  type Query,
  isFiltered,
  visibleColumns,
  toSearchProblems,
} from "./query.ts";
import type { QueryPage } from "#actions/query-items.ts";
import { type Collection, closedReason } from "#domain/definition/collection.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { ItemView } from "#domain/item/item.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { PageContext } from "#admin/layout.tsx";
import { EmptyState } from "#html/parts.tsx";
import { collectionTerms, CollectionLayout, IndexingProgress } from "#admin/definitions/layout.tsx";
import { formatCount } from "#html/viewer.tsx";
import { FormErrors } from "#html/form-errors.tsx";
import { FilterChips, SearchForm } from "./filter-panel.tsx";
import { buildFilterTargets } from "./filters.ts";
import { ItemsTable, PageLinks } from "./items-table.tsx";

/** Links that download the search results, for spreadsheets or without loss. */
function DownloadMenu({
  base,
  query,
  fields,
  live,
  zone,
  locale,
}: {
  base: string;
  query: Query;
  fields: readonly Field[];
  live: number;
  /** The time zone of the collection. */
  zone: string;
  /** The language of the viewer. */
  locale: string;
}) {
  const formats: [string, string, string][] = [
    ["spreadsheet", "For spreadsheets", `CSV with labels, times in ${zone}`],
    [
      "local",
      "For spreadsheets, your format",
      `Dates and decimals as in ${locale}, times in ${zone}`,
    ],
    ["lines", "For spreadsheets, one line per row", `CSV of the line items, times in ${zone}`],
    ["csv", "CSV, lossless", "Keys and stored values, times in UTC"],
    ["ndjson", "NDJSON, lossless", "One item per line, as in the API"],
  ];
  const hasRows = fields.some(({ type }) => type === "line_items");
  const downloadPath = (format: string) => {
    const params = buildSearchParams(query);
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
                <a href={downloadPath(format)} data-rows={live} download>
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

/** Chooses the visible columns. A cookie stores the choice. */
function ColumnPicker({
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
        {[...buildSearchParams(query)].map(([name, value]) => (
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
          {" "}
          Save columns{" "}
        </button>
      </form>
    </details>
  );
}

export interface ItemsPageProps {
  frame: PageContext;
  collection: Collection;
  /** How many items are stored. */
  live: number;
  indexing: { done: number; total: number } | null;
  query: Query;
  views: readonly ItemView[];
  /** The cursor of the next page. */
  next: string | null;
  /** The number of matches; null without filters. */
  count: QueryPage["count"];
  /** Set when the time was up before the page was full. */
  progress: QueryPage["progress"];
  problem?: Problem | undefined;
}

/** Whether the viewer may add an item now. Forms can be closed or full. */
function canAddItem({ frame, collection, live }: ItemsPageProps): boolean {
  const { acceptance } = collection.definition;
  return (
    roleAllows(frame.member.role, "write") &&
    closedReason(acceptance, live, frame.viewer.now) === null
  );
}

function NoItems(props: ItemsPageProps) {
  const { collection, query, next, problem, frame } = props;
  const { items, item, path } = collectionTerms[collection.kind];
  const base = `${path}/${collection.key}`;
  if (problem) return null;
  if (next !== null) return <EmptyState>No matches yet</EmptyState>;
  if (isFiltered(query)) {
    return (
      <EmptyState>
        <p>No matching {items}</p>
        <p>
          <a class="button quiet" href={`${base}/items`}>
            {" "}
            Clear filters{" "}
          </a>
        </p>
      </EmptyState>
    );
  }
  if (collection.definition.fields.fields.length === 0) {
    return (
      <EmptyState>
        <p>No fields yet. Add fields to collect data.</p>
        {roleAllows(frame.member.role, "define") ? (
          <p>
            <a class="button" href={base}>
              Add fields
            </a>
          </p>
        ) : null}
      </EmptyState>
    );
  }
  return (
    <EmptyState>
      <p>No {items} yet</p>
      {canAddItem(props) ? (
        <p>
          <a class="button" href={`${base}/items/new`}>
            {" "}
            Create {item}{" "}
          </a>
        </p>
      ) : null}
    </EmptyState>
  );
}

/** Shows a page of items, searched and sorted by the rules of the API. */
export function ItemsPage(props: ItemsPageProps) {
  const { frame, collection, live, indexing, query, views, problem } = props;
  const { kind, key, definition } = collection;
  const { items, item, path } = collectionTerms[kind];
  const base = `${path}/${key}/items`;
  const { fields } = definition.fields;
  const targets = buildFilterTargets(fields, kind);
  const columns = visibleColumns(fields, query.columns);
  const canWrite = roleAllows(frame.member.role, "write");
  const actions = (
    <>
      <DownloadMenu
        {...{ base, query, fields, live }}
        zone={definition.time_zone}
        locale={frame.viewer.locale}
      />
      {canWrite ? (
        <>
          <a class="button quiet" href={`${base}/import`}>
            Import
          </a>
          {canAddItem(props) ? (
            <a class="button" href={`${base}/new`}>
              {" "}
              Create {item}{" "}
            </a>
          ) : null}
        </>
      ) : null}
    </>
  );
  const searchProblems = problem && toSearchProblems(problem, query, targets);
  return (
    <CollectionLayout
      {...{ frame, collection, live, actions }}
      problem={searchProblems?.summary}
      tab="items"
    >
      {indexing ? <IndexingProgress {...indexing} /> : null}
      {live > 0 || isFiltered(query) ? (
        <FormErrors problem={searchProblems?.inputs}>
          <SearchForm
            {...{ base, query, targets }}
            name={items}
            hasErrors={searchProblems !== undefined}
          />
        </FormErrors>
      ) : null}
      <div id="found">
        <FilterChips base={base} query={query} targets={targets} />
        {views.length === 0 ? (
          <NoItems {...props} />
        ) : (
          <>
            <div class="bar tools">
              <span class="muted">{describeItemCount(props)}</span>
              <ColumnPicker base={base} query={query} fields={fields} columns={columns} />
            </div>
            <ItemsTable {...{ base, collection, columns, views, query, canWrite }} />
          </>
        )}
        <SearchProgress {...props} />
        <PageLinks {...props} base={base} />
      </div>
    </CollectionLayout>
  );
}

/** Says how far a search has come that “Keep searching” continues. */
function SearchProgress({ collection, progress }: ItemsPageProps) {
  if (!progress) return null;
  const { searched, total } = progress;
  const { items } = collectionTerms[collection.kind];
  return (
    <p class="muted" role="status">
      {searched === null || searched === 0 ? (
        `Not all ${formatCount(total)} ${items} searched yet`
      ) : (
        <>
          <progress max={total} value={searched} aria-label="Search"></progress>{" "}
          {`Searched ${formatCount(searched)} of ${formatCount(total)} ${items}`}
        </>
      )}
    </p>
  );
}

/** The number of items, or a lower bound if counting all matches would take too long. */
function describeItemCount({ collection, live, query, count }: ItemsPageProps): string {
  const { items, item } = collectionTerms[collection.kind];
  const total = isFiltered(query) && count ? count : { count: live, exact: true };
  return `${total.exact ? "" : "At least "}${formatCount(total.count)} ${total.count === 1 && total.exact ? item : items}`;
}
