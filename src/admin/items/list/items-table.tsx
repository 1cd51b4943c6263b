import type { Collection } from "#domain/definition/collection.ts";
import { isListField, type Field } from "#domain/definition/field.ts";
import type { MatchCount } from "#store/data/search/count.ts";
import type { ItemView } from "#domain/item/item.ts";
import { Table, type TableColumn } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { useText } from "#admin/language/index.tsx";
import { isNumber, itemTitle, StatusBadge, Value } from "#admin/items/value.tsx";
import { withPlace } from "#admin/items/neighbors.ts";
import type { ShownColumns } from "./column-picker.tsx";
import { effectiveSort } from "./tabs.ts";
import { buildSearchParams, searchPath, type Query } from "./query.ts";

interface ItemsTableProps extends ShownColumns {
  base: string;
  collection: Collection;
  views: readonly ItemView[];
  query: Query;
  canWrite: boolean;
  /** The number of all matches. */
  total: MatchCount;
  /** The position of the page among all matches. */
  position: string;
}

/** Shows items as rows. Bulk actions apply to the selected ones, or to all that match. */
export function ItemsTable(props: ItemsTableProps) {
  const { base, collection, columns, hidden, views, query, canWrite, position } = props;
  const { kind } = collection;
  const { itemList, terms } = useText();
  const { table: text } = itemList;
  const { properties } = terms;
  // The row heading links to the item. It is the first text or the ID for forms, and the receipt number for apps.
  const leadColumn = kind === "form" ? columns.find(({ type }) => type === "text") : undefined;
  const otherColumns = columns.filter((field) => field !== leadColumn);
  const sortHeading = headingBuilder(base, query, effectiveSort(collection, query));
  const headings: (string | TableColumn)[] = [
    {
      name: (
        <>
          <span class="unseen">{text.select}</span>
          <input type="checkbox" data-tick-all="" aria-label={text.selectPage} hidden />
        </>
      ),
    },
    leadColumn
      ? sortHeading(leadColumn.label, leadColumn.searchable ? leadColumn.key : undefined)
      : sortHeading(kind === "app" ? properties.receiptNumber : properties.id, "$id"),
    ...(kind === "form" && !hidden.has("$status")
      ? [sortHeading(properties.status, "$status")]
      : []),
    ...otherColumns.map((field) => ({
      ...sortHeading(field.label, field.searchable && !isListField(field) ? field.key : undefined),
      number: isNumber(field),
    })),
    ...(hidden.has("$updated_at") ? [] : [sortHeading(properties.updatedAt, "$updated_at")]),
    ...(canWrite ? [{ name: <span class="unseen">{text.edit}</span> }] : []),
  ];
  return (
    <form method="post" action={`${base}/selected`} class="pick">
      <input type="hidden" name="search" value={buildSearchParams(query).toString()} />
      <div class="bar list-head">
        <span class="muted">{position}</span>
        <SelectAll {...props} />
        <BulkActions {...{ kind, canWrite, canReopen: canSelectClosed(props) }} />
      </div>
      <Table caption={text.caption} columns={headings}>
        {views.map((view, index) => (
          <ItemRow {...props} {...{ view, index, leadColumn, otherColumns }} />
        ))}
      </Table>
    </form>
  );
}

interface ItemRowProps extends ItemsTableProps {
  view: ItemView;
  /** The index on the page. */
  index: number;
  leadColumn: Field | undefined;
  otherColumns: readonly Field[];
}

function ItemRow(props: ItemRowProps) {
  const { base, collection, view, index, query, canWrite, leadColumn, otherColumns } = props;
  const { hidden } = props;
  const texts = useText();
  const text = texts.itemList.table;
  const itemPath = `${base}/${view.id}`;
  const place = { query, at: index };
  const shortId = view.receiptNumber ?? `…${view.id.slice(-8)}`;
  const name = itemTitle(view, collection.definition.fields.fields, texts);
  const lead = leadColumn ? view.data[leadColumn.key] : null;
  const isOpen = view.status !== "closed";
  const editable = (field: Field) =>
    canWrite && isOpen && isSimple(field) ? { "data-edit": field.key } : {};
  return (
    <tr data-item={itemPath}>
      <td class="tick">
        <input type="checkbox" name="ids" value={view.id} aria-label={text.selectItem(name)} />
      </td>
      <th scope="row" {...(leadColumn ? editable(leadColumn) : {})}>
        <a href={withPlace(itemPath, place)} class={lead ? undefined : "id"}>
          {leadColumn && lead ? <Value field={leadColumn} value={lead} short /> : shortId}
        </a>
      </th>
      {collection.kind === "form" && !hidden.has("$status") ? (
        <td class="state">
          <StatusBadge status={view.status} />
        </td>
      ) : null}
      {otherColumns.map((field) => (
        <td
          class={cellClass(field, view.data[field.key])}
          data-label={field.label}
          {...editable(field)}
        >
          <span class="cut">
            <Value field={field} value={view.data[field.key]} short />
          </span>
        </td>
      ))}
      {hidden.has("$updated_at") ? null : (
        <td class="muted" data-label={texts.terms.properties.updatedAt}>
          <Time at={view.updatedAt} as="distance" />
        </td>
      )}
      {canWrite ? (
        <td class="end">
          {isOpen ? (
            <a href={withPlace(itemPath, place, "edit")} aria-label={text.editItem(name)}>
              {text.edit}
            </a>
          ) : null}
        </td>
      ) : null}
    </tr>
  );
}

const simpleTypes: readonly Field["type"][] = [
  "text",
  "number",
  "boolean",
  "date",
  "datetime",
  "select",
  "email",
  "url",
  "phone",
];

/** Whether a script can edit the cell in place. */
const isSimple = ({ type }: Field) => simpleTypes.includes(type);

/** Phones show only cells with a value. */
function cellClass(field: Field, value: unknown): string | undefined {
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  const classes = [isNumber(field) ? "number" : "", isEmpty ? "less" : ""];
  return classes.filter((name) => name !== "").join(" ") || undefined;
}

/** Selects all matches, not only those on the page. */
function SelectAll({ collection, total, views }: ItemsTableProps) {
  const { itemList, terms } = useText();
  // On phones, the check box that selects the page is hidden.
  const isOnePage = total.exact && total.count <= views.length;
  const items = terms.collections[collection.kind].itemCount(total.count, total.exact);
  return (
    <label class={isOnePage ? "choice all only-narrow" : "choice all"}>
      <input type="checkbox" name="all" value="yes" />
      <span>{itemList.table.selectAll(items)}</span>
    </label>
  );
}

/** Whether this page contains a closed item, or another page may contain one. */
const canSelectClosed = ({ views, total }: ItemsTableProps) =>
  views.some(({ status }) => status === "closed") || !total.exact || total.count > views.length;

/** Actions for the selected items. The style sheet shows them once an item is selected. */
function BulkActions({
  kind,
  canWrite,
  canReopen,
}: {
  kind: "app" | "form";
  canWrite: boolean;
  /** Whether a closed item can be selected. */
  canReopen: boolean;
}) {
  const text = useText().itemList.table;
  const isForm = kind === "form";
  return (
    <div class="bar selected" role="group" aria-label={text.withSelected}>
      <span data-selected=""></span>
      <button type="submit" class="quiet little" name="act" value="download">
        {text.downloadSelected}
      </button>
      {canWrite ? (
        <button type="submit" class="quiet little" name="act" value="edit">
          {text.editSelected}
        </button>
      ) : null}
      {canWrite && isForm ? (
        <>
          <button type="submit" class="quiet little" name="act" value="close">
            {text.closeSelected}
          </button>
          {canReopen ? (
            <button type="submit" class="quiet little" name="act" value="reopen">
              {text.reopenSelected}
            </button>
          ) : null}
        </>
      ) : null}
      {canWrite ? (
        <button type="submit" class="danger little" name="act" value="delete">
          {text.deleteSelected}
        </button>
      ) : null}
    </div>
  );
}

/** Builds headings whose links sort ascending first, and then descending. */
function headingBuilder(base: string, query: Query, current: Query["sort"]) {
  return (name: string, key: string | undefined): TableColumn => {
    if (key === undefined) return { name };
    const isCurrent = current?.key === key;
    const isAscending = isCurrent && current?.direction === "asc";
    const sort = { key, direction: isAscending ? ("desc" as const) : ("asc" as const) };
    const href = searchPath(base, { ...query, sort });
    return isCurrent
      ? { name, href, sorted: isAscending ? "ascending" : "descending" }
      : { name, href };
  };
}
