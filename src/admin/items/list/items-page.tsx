import { hiddenProperties, visibleColumns } from "./columns.ts";
import { isFiltered, type Query } from "./query.ts";
import type { QueryPage } from "#actions/query-items.ts";
import {
  type Collection,
  type CollectionKind,
  closedReason,
} from "#domain/definition/collection.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import type { ItemView } from "#domain/item/item.ts";
import type { Problem } from "#domain/problem/problem.ts";
import type { PageContext } from "#admin/layout.tsx";
import type { ListSettings } from "#store/home/list-settings.ts";
import { EmptyState } from "#html/parts.tsx";
import { collectionPath, CollectionLayout, IndexingProgress } from "#admin/definitions/layout.tsx";
import { useText } from "#admin/language/index.tsx";
import { FormErrors } from "#html/form-errors.tsx";
import { DownloadMenu } from "./downloads.tsx";
import { AddFilterMenu, FilterChips, FilterForm, HiddenQuery } from "./filter-inputs.tsx";
import { buildFilterTargets, toSearchProblem } from "./filter-targets.ts";
import { ItemsTable } from "./items-table.tsx";
import { ColumnPicker } from "./column-picker.tsx";
import { SaveMenu, SortMenu, ViewTabs } from "./list-tools.tsx";
import { expandView } from "./tabs.ts";
import { PageLinks, describePosition } from "./page-links.tsx";

export interface ItemsPageProps {
  frame: PageContext;
  collection: Collection;
  /** The number of stored items. */
  live: number;
  indexing: { done: number; total: number } | null;
  query: Query;
  /** The settings that the member has saved for this list. */
  settings: ListSettings;
  views: readonly ItemView[];
  /** The cursor of the next page. */
  next: string | null;
  /** The number of matches. Null without filters. */
  count: QueryPage["count"];
  /** Set when the time limit ended the search before the page was full. */
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
  const { itemList: text, terms } = useText();
  const { items, item } = terms.collections[collection.kind];
  const base = `${collectionPath[collection.kind]}/${collection.key}`;
  if (problem) return null;
  if (next !== null) return <EmptyState>{text.noMatchesYet}</EmptyState>;
  if (isFiltered(query)) {
    return (
      <EmptyState>
        <p>{text.noMatches(items)}</p>
        <p>
          <a class="button quiet" href={`${base}/items`}>
            {terms.clearFilters}
          </a>
        </p>
      </EmptyState>
    );
  }
  if (collection.definition.fields.fields.length === 0) {
    return (
      <EmptyState>
        <p>{text.noFields}</p>
        {roleAllows(frame.member.role, "define") ? (
          <p>
            <a class="button" href={base}>
              {text.addFields}
            </a>
          </p>
        ) : null}
      </EmptyState>
    );
  }
  return (
    <EmptyState>
      <p>{text.none(items)}</p>
      {roleAllows(frame.member.role, "write") ? (
        <p class="actions">
          {canAddItem(props) ? (
            <a class="button" href={`${base}/items/new`}>
              {text.create(item)}
            </a>
          ) : null}
          <a class="button quiet" href={`${base}/items/import`}>
            {text.importItems(items)}
          </a>
          {roleAllows(frame.member.role, "credentials") ? (
            <a class="button quiet" href={`${base}/access`}>
              {text.connect}
            </a>
          ) : null}
          <a class="button quiet" href={`${base}/api`}>
            {text.useApi}
          </a>
        </p>
      ) : null}
    </EmptyState>
  );
}

function ListActions(props: ItemsPageProps) {
  const { frame, collection, live, query } = props;
  const { kind, key, definition } = collection;
  const { itemList: text, terms } = useText();
  const base = `${collectionPath[kind]}/${key}/items`;
  const canWrite = roleAllows(frame.member.role, "write");
  // The page of an empty list shows these actions below.
  if (live === 0 && !isFiltered(query)) return null;
  return (
    <>
      <DownloadMenu
        {...{ base, query }}
        matches={totalOf(props).count}
        fields={definition.fields.fields}
        zone={definition.time_zone}
        locale={frame.viewer.locale}
      >
        {canWrite ? (
          <li class="only-narrow">
            <a href={`${base}/import`}>{text.import}</a>
          </li>
        ) : null}
      </DownloadMenu>
      {canWrite ? (
        <>
          <a class="button quiet only-wide" href={`${base}/import`}>
            {text.import}
          </a>
          {canAddItem(props) ? (
            <a class="button" href={`${base}/new`}>
              {text.create(terms.collections[kind].item)}
            </a>
          ) : null}
        </>
      ) : null}
    </>
  );
}

/** Shows a page of items, searched and sorted by the rules of the API. */
export function ItemsPage(props: ItemsPageProps) {
  const { frame, collection, live, indexing, views, problem, settings } = props;
  const { kind, key, definition } = collection;
  const { text } = frame;
  const base = `${collectionPath[kind]}/${key}/items`;
  const { fields } = definition.fields;
  const targets = buildFilterTargets(fields, kind, text);
  const searchProblem = problem && toSearchProblem(problem, props.query, targets, text);
  const query = { ...props.query, editing: searchProblem?.editing ?? props.query.editing };
  const clock = { zone: frame.viewer.zone, now: frame.viewer.now };
  const columns = visibleColumns(collection, query, settings.columns);
  const hidden = hiddenProperties(collection, query, settings.columns);
  const canWrite = roleAllows(frame.member.role, "write");
  const tools = { base, query, collection, frame, filters: settings.filters };
  return (
    <CollectionLayout
      {...{ frame, collection, live }}
      actions={<ListActions {...props} />}
      problem={searchProblem?.summary}
      tab="items"
    >
      {indexing ? <IndexingProgress {...indexing} /> : null}
      <ViewTabs {...tools} />
      {live > 0 || isFiltered(query) ? (
        <div class="bar list-bar">
          <SearchBox {...{ base, query, kind }} />
          <div class="bar tools" id="tools">
            <AddFilterMenu {...{ base, query, targets }} />
            <SortMenu {...tools} />
            <ColumnPicker {...{ base, query, collection, columns, hidden }} />
            <SaveMenu {...tools} {...{ columns, hidden }} />
          </div>
        </div>
      ) : null}
      <FormErrors problem={searchProblem?.inputs}>
        <FilterForm {...{ base, query, targets }} />
      </FormErrors>
      <p id="cell-status" role="status"></p>
      <div id="found">
        <FilterChips base={base} query={expandView(collection, query, clock)} targets={targets} />
        {views.length === 0 ? (
          <NoItems {...props} />
        ) : (
          <ItemsTable
            {...{ base, collection, columns, hidden, views, query, canWrite }}
            total={totalOf(props)}
            position={describePosition(props, totalOf(props), text)}
          />
        )}
        <SearchProgress {...props} />
        <PageLinks {...props} base={base} />
      </div>
      {canWrite ? (
        <p class="page-end">
          <a href={`${base}/deleted`}>{text.deletedItems.title}</a>
        </p>
      ) : null}
    </CollectionLayout>
  );
}

/** Returns the number of matching items. Without filters, the number of all items. */
const totalOf = ({ query, count, live }: ItemsPageProps) =>
  isFiltered(query) && count ? count : { count: live, exact: true };

/** The search box. It is a GET form, so that the URL contains the whole search. */
function SearchBox({ base, query, kind }: { base: string; query: Query; kind: CollectionKind }) {
  const { itemList: text, terms } = useText();
  const { items } = terms.collections[kind];
  return (
    <form method="get" action={base} role="search" class="find bar">
      <HiddenQuery query={{ ...query, text: "" }} />
      <input
        type="search"
        class="grow"
        name="q"
        value={query.text}
        placeholder={text.searchItems(items)}
        aria-label={text.searchLabel(items)}
        title={text.searchHint}
      />
      <button type="submit" class="quiet">
        {text.search}
      </button>
    </form>
  );
}

/** Shows the progress of a search that “Keep searching” continues. */
function SearchProgress({ collection, progress }: ItemsPageProps) {
  const { itemList: text, terms } = useText();
  if (!progress) return null;
  const { searched } = progress;
  const total = terms.collections[collection.kind].itemCount(progress.total);
  return (
    <p class="muted" role="status">
      {searched === null || searched === 0 ? (
        text.notAllSearched(total)
      ) : (
        <>
          <progress max={progress.total} value={searched} aria-label={text.search}></progress>{" "}
          {text.searched(searched, total)}
        </>
      )}
    </p>
  );
}
