import { sharePath } from "#admin/credentials/describe.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { isListField } from "#domain/definition/field.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { Action } from "#html/action-button.tsx";
import { Input, Select } from "#html/inputs.tsx";
import type { PageContext } from "#admin/layout.tsx";
import type { SavedFilter } from "#store/home/list-settings.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import type { ShownColumns } from "./column-picker.tsx";
import { columnSeparator, hiddenColumn } from "./columns.ts";
import { HiddenQuery } from "./filter-inputs.tsx";
import { isFiltered, type Query } from "./query.ts";
import {
  effectiveSort,
  filterPath,
  findOpenTab,
  searchOf,
  withoutTab,
  type OpenTab,
} from "./tabs.ts";

export interface ToolProps {
  base: string;
  query: Query;
}

interface ViewTabsProps extends ToolProps {
  frame: PageContext;
  collection: Collection;
  filters: readonly SavedFilter[];
}

/** The views of the definition and the member's own filters, as tabs. */
export function ViewTabs({ base, query, collection, filters, frame }: ViewTabsProps) {
  const views = collection.definition.views ?? [];
  if (views.length + filters.length === 0) return null;
  const open = findOpenTab(collection, query, filters);
  const currentOf = (id: string) => (open?.id === id ? "page" : undefined);
  const { itemList, terms } = useText();
  const text = itemList.tools;
  return (
    <div class="views">
      <nav class="tabs" aria-label={text.views}>
        <ul>
          <li>
            <a href={base} aria-current={open ? undefined : "page"}>
              {text.all(terms.collections[collection.kind].items)}
            </a>
          </li>
          {views.map(({ key, name }) => (
            <li>
              <a href={`${base}?view=${key}`} aria-current={currentOf(key)}>
                {name}
              </a>
            </li>
          ))}
          {filters.map((filter) => (
            <li>
              <a
                href={filterPath(base, filter)}
                aria-current={currentOf(filter.id)}
                title={text.ownFilter}
              >
                {filter.name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {open ? <TabMenu {...{ base, open, frame, collection }} /> : null}
    </div>
  );
}

/** Renames or deletes the saved filter or the view of the open tab. */
function TabMenu({
  base,
  open,
  frame,
  collection,
}: Pick<ViewTabsProps, "frame" | "collection"> & { base: string; open: OpenTab }) {
  const { itemList, terms } = useText();
  const text = itemList.tools;
  const { kind, id, name } = open;
  if (kind === "view" && !roleAllows(frame.member.role, "define")) return null;
  const path = `${base}/${tabPath[kind]}/${id}`;
  return (
    <details class="drop" id="tab-menu">
      <summary class="button quiet little">{text.editTab[kind]}</summary>
      <div class="card">
        <form method="post" action={path}>
          <Input
            name="name"
            label={terms.name}
            value={name}
            required
            maxlength={200}
            autocomplete="off"
          />
          <p class="actions">
            <button type="submit">{text.rename}</button>
          </p>
        </form>
        {kind === "filter" ? (
          <>
            {roleAllows(frame.member.role, "define") ? (
              <div class="effect">
                <Action action={`${path}/share`} name={text.shareFilter} quiet />
                <p class="hint">{text.shareFilterEffect}</p>
              </div>
            ) : null}
            <Action
              action={`${path}/delete`}
              name={text.deleteFilter}
              title={text.deleteFilterTitle(name)}
              confirm={text.deleteFilterWarning}
            />
          </>
        ) : (
          <>
            <div class="effect">
              <a class="button quiet" href={sharePath(collection, { key: id, name })}>
                {text.shareView}
              </a>
              <p class="hint">{text.shareViewEffect}</p>
            </div>
            <form method="post" action={`${path}/delete`} class="effect">
              <input type="hidden" name="keep" value="yes" />
              <button type="submit" class="quiet" name="review" value="yes">
                {text.stopSharing}…
              </button>
              <p class="hint">{text.stopSharingEffect}</p>
            </form>
            <form method="post" action={`${path}/delete`}>
              <button type="submit" class="danger" name="review" value="yes">
                {text.deleteView}…
              </button>
            </form>
          </>
        )}
      </div>
    </details>
  );
}

const tabPath = { filter: "filters", view: "views" } as const;

/** Returns the keys by which a list can be sorted, with their names. */
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
  const keys = sortKeys(collection, terms);
  const options = [
    { value: "", label: text.newestFirst },
    ...keys.map(([value, label]) => ({ value, label })),
  ];
  const sort = effectiveSort(collection, query);
  const currentName = keys.find(([key]) => key === sort?.key)?.[1];
  return (
    <details class="drop only-narrow">
      <summary class="button quiet">
        {sort && currentName !== undefined ? text.sortedBy(currentName, sort.direction) : text.sort}
      </summary>
      <form method="get" action={base} class="card sort">
        <HiddenQuery query={{ ...query, sort: undefined }} />
        <Select name="sort" label={text.sortBy} options={options} value={sort?.key} />
        <Select
          name="direction"
          label={text.direction}
          options={directions}
          value={sort?.direction}
        />
        <button type="submit">{text.sort}</button>
      </form>
    </details>
  );
}

type SaveMenuProps = ViewTabsProps & ShownColumns;

/** Saves the current filter as a tab: for the member, or for everyone as a view of the definition. */
export function SaveMenu(props: SaveMenuProps) {
  const { base, query, collection, filters, frame, columns, hidden } = props;
  const { itemList, terms } = useText();
  const text = itemList.tools;
  const open = findOpenTab(collection, query, filters);
  const canDefine = roleAllows(frame.member.role, "define");
  const canSaveChanges = open?.isChanged && (open.kind === "filter" || canDefine);
  const isOpenTab = open?.isChanged === false && (open.kind === "filter" || query.text === "");
  if (isOpenTab || (!isFiltered(query) && !query.sort && !query.columns && !open)) return null;
  return (
    <>
      {canSaveChanges ? <SaveChanges base={base} query={query} open={open} /> : null}
      <details class="drop" id="save">
        <summary class="button quiet">{text.saveNew}</summary>
        <form method="post" action={`${base}/filters`} class="card">
          <input type="hidden" name="search" value={searchOf(withoutTab(collection, query))} />
          <Input name="name" label={terms.name} required maxlength={200} autocomplete="off" />
          <label class="choice">
            <input
              type="checkbox"
              name="columns"
              value={[...columns.map(({ key }) => key), ...[...hidden].map(hiddenColumn)].join(
                columnSeparator,
              )}
              checked
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
    </>
  );
}

/** Replaces the saved content of the open tab with the current list. A text search is not saved in a view. */
function SaveChanges({ base, query, open }: ToolProps & { open: OpenTab }) {
  const { kind, id, name } = open;
  const search = searchOf(kind === "view" ? { ...query, text: "" } : { ...query, tab: undefined });
  return (
    <form method="post" action={`${base}/${tabPath[kind]}/${id}`}>
      <input type="hidden" name="search" value={search} />
      <button type="submit">{useText().itemList.tools.saveChanges[kind](name)}</button>
    </form>
  );
}
