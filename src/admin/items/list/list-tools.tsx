import type { Collection, View } from "#domain/definition/collection.ts";
import { isListField, type Field } from "#domain/definition/field.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { Action } from "#html/action-button.tsx";
import { Input, Select } from "#html/inputs.tsx";
import type { PageContext } from "#admin/layout.tsx";
import type { SavedFilter } from "#store/home/list-settings.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { columnSeparator } from "./columns.ts";
import { HiddenQuery } from "./filter-inputs.tsx";
import { buildSearchParams, isFiltered, type Query } from "./query.ts";

interface ToolProps {
  base: string;
  query: Query;
}

/** The query without what belongs to one page of it. */
const searchOf = (query: Query) => buildSearchParams(query).toString();

interface ViewTabsProps extends ToolProps {
  collection: Collection;
  filters: readonly SavedFilter[];
}

/** The views of the definition and the member's own filters, as tabs. */
export function ViewTabs({ base, query, collection, filters }: ViewTabsProps) {
  const views = collection.definition.views ?? [];
  if (views.length + filters.length === 0) return null;
  const current = currentFilter(query, filters);
  const isCurrentView = ({ key }: View) => current === undefined && query.view === key;
  const isAll = current === undefined && query.view === undefined;
  const { itemList, terms } = useText();
  const text = itemList.tools;
  return (
    <nav class="tabs views" aria-label={text.views}>
      <ul>
        <li>
          <a href={base} aria-current={isAll ? "page" : undefined}>
            {text.all(terms.collections[collection.kind].items)}
          </a>
        </li>
        {views.map((view) => (
          <li>
            <a
              href={`${base}?view=${view.key}`}
              aria-current={isCurrentView(view) ? "page" : undefined}
            >
              {view.name}
            </a>
          </li>
        ))}
        {filters.map((filter) => (
          <li>
            <a
              href={`${base}?${filter.search}`}
              aria-current={filter === current ? "page" : undefined}
              title={text.ownFilter}
            >
              {filter.name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const currentFilter = (query: Query, filters: readonly SavedFilter[]) =>
  filters.find(({ search }) => search === searchOf(query));

/** Chooses the visible columns. The service remembers them for the member and the list. */
export function ColumnPicker({
  base,
  query,
  fields,
  columns,
}: ToolProps & { fields: readonly Field[]; columns: readonly Field[] }) {
  const text = useText().itemList.tools;
  if (fields.length === 0) return null;
  return (
    <details class="drop">
      <summary class="button quiet">{text.columns}</summary>
      <form method="post" action={`${base}/columns`} class="card">
        <input type="hidden" name="search" value={searchOf({ ...query, columns: undefined })} />
        <fieldset>
          <legend>{text.columns}</legend>
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
        <button type="submit">{text.saveColumns}</button>
      </form>
    </details>
  );
}

/** The keys by which a list can be sorted, with their names. */
function sortKeys(
  { kind, definition }: Collection,
  { properties }: Catalogue["terms"],
): [key: string, name: string][] {
  const fields = definition.fields.fields.filter(
    (field) => field.searchable && !isListField(field),
  );
  return [
    ...fields.map(({ key, label }): [string, string] => [key, label]),
    ...(kind === "form" ? [["$status", properties.status] as [string, string]] : []),
    ["$created_at", properties.createdAt],
    ["$updated_at", properties.updatedAt],
  ];
}

/** Sorts the list on phones, where the table has no headings. */
export function SortMenu({ base, query, collection }: ToolProps & { collection: Collection }) {
  const { itemList, terms } = useText();
  const text = itemList.tools;
  const directions = Object.entries(text.directions).map(([value, label]) => ({ value, label }));
  const options = [
    { value: "", label: text.newestFirst },
    ...sortKeys(collection, terms).map(([value, label]) => ({ value, label })),
  ];
  return (
    <details class="drop only-narrow">
      <summary class="button quiet">{text.sort}</summary>
      <form method="get" action={base} class="card">
        <HiddenQuery query={{ ...query, sort: undefined }} />
        <Select name="sort" label={text.sortBy} options={options} value={query.sort?.key} />
        <Select
          name="direction"
          label={text.direction}
          options={directions}
          value={query.sort?.direction}
        />
        <button type="submit">{text.sort}</button>
      </form>
    </details>
  );
}

interface SaveMenuProps extends ViewTabsProps {
  frame: PageContext;
  columns: readonly Field[];
}

/** Saves the present filter as a tab: for the member, or as a view of the definition for everyone. */
export function SaveMenu({ base, query, collection, filters, frame, columns }: SaveMenuProps) {
  const { itemList, terms } = useText();
  const text = itemList.tools;
  const own = currentFilter(query, filters);
  const canDefine = roleAllows(frame.member.role, "define");
  const view = (collection.definition.views ?? []).find(({ key }) => key === query.view);
  const isOnlyView = view && searchOf(query) === `view=${view.key}`;
  if (own) {
    return <Action action={`${base}/filters/${own.id}/delete`} name={text.deleteFilter} quiet />;
  }
  if (isOnlyView) {
    if (!canDefine) return null;
    const confirm = text.deleteViewWarning(terms.collections[collection.kind].items);
    return (
      <Action
        action={`${base}/views/${view.key}/delete`}
        name={text.deleteView}
        title={text.deleteViewTitle(view.name)}
        confirm={confirm}
      />
    );
  }
  if (!isFiltered(query) && !query.sort && !query.columns) return null;
  return (
    <details class="drop" id="save">
      <summary class="button quiet">{text.saveFilter}</summary>
      <form method="post" action={`${base}/filters`} class="card">
        <input type="hidden" name="search" value={searchOf(query)} />
        <Input name="name" label={terms.name} required maxlength={200} autocomplete="off" />
        <label class="choice">
          <input
            type="checkbox"
            name="columns"
            value={columns.map(({ key }) => key).join(columnSeparator)}
          />
          <span>{text.withColumns}</span>
        </label>
        <p class="actions">
          <button type="submit">{text.saveOwn}</button>
          {canDefine ? (
            <button type="submit" class="quiet" formaction={`${base}/views`}>
              {text.saveView}
            </button>
          ) : null}
        </p>
      </form>
    </details>
  );
}
