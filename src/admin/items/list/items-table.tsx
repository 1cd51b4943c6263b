import type { Collection } from "#domain/definition/collection.ts";
import { isListField, type Field } from "#domain/definition/field.ts";
import type { ItemView } from "#domain/item/item.ts";
import { Table, type TableColumn } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { isNumber, StatusBadge, Value, itemTitle } from "#admin/items/value.tsx";
import { buildSearchParams, type Query } from "./query.ts";
import type { ItemsPageProps } from "./items-page.tsx";
import { collectionTerms, dataAssets } from "#admin/definitions/layout.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";

interface ItemsTableProps {
  base: string;
  collection: Collection;
  columns: readonly Field[];
  views: readonly ItemView[];
  query: Query;
  canWrite: boolean;
}

/** Shows items as rows. Bulk actions apply to the selected ones. */
export function ItemsTable({ base, collection, columns, views, query, canWrite }: ItemsTableProps) {
  const { kind } = collection;
  // The row heading links to the item. Forms use their first text or the id, apps the receipt number.
  const leadColumn = kind === "form" ? columns.find(({ type }) => type === "text") : undefined;
  const otherColumns = columns.filter((field) => field !== leadColumn);
  const sortHeading = headingBuilder(base, query);
  const headings: (string | TableColumn)[] = [
    { name: <span class="unseen">Select</span> },
    leadColumn
      ? sortHeading(leadColumn.label, leadColumn.searchable ? leadColumn.key : undefined)
      : sortHeading(kind === "app" ? "Receipt number" : "ID", "$id"),
    ...(kind === "form" ? [sortHeading("Status", "$status")] : []),
    ...otherColumns.map((field) => ({
      ...sortHeading(field.label, field.searchable && !isListField(field) ? field.key : undefined),
      number: isNumber(field),
    })),
    sortHeading("Updated", "$updated_at"),
    ...(canWrite ? [{ name: <span class="unseen">Edit</span> }] : []),
  ];
  return (
    <form method="post" action={`${base}/selected`} class="pick">
      <BulkActions kind={kind} canWrite={canWrite} />
      <Table caption="Items" columns={headings}>
        {views.map((view) => {
          const itemPath = `${base}/${view.id}`;
          const name = view.receiptNumber ?? `…${view.id.slice(-8)}`;
          const text = leadColumn ? view.data[leadColumn.key] : null;
          return (
            <tr>
              <td class="tick">
                <input type="checkbox" name="ids" value={view.id} aria-label={`Select ${name}`} />
              </td>
              <th scope="row">
                <a href={itemPath} class={text ? undefined : "id"}>
                  {leadColumn && text ? <Value field={leadColumn} value={text} short /> : name}
                </a>
              </th>
              {kind === "form" ? (
                <td>
                  <StatusBadge status={view.status} />
                </td>
              ) : null}
              {otherColumns.map((field, index) => (
                <td class={cellClass(field, index, view.data[field.key])} data-label={field.label}>
                  <span class="cut">
                    <Value field={field} value={view.data[field.key]} short />
                  </span>
                </td>
              ))}
              <td class="less muted">
                <Time at={view.updatedAt} as="distance" />
              </td>
              {canWrite ? (
                <td class="end">
                  {view.status === "closed" ? null : (
                    <a href={`${itemPath}?edit`} aria-label={`Edit ${name}`}>
                      Edit
                    </a>
                  )}
                </td>
              ) : null}
            </tr>
          );
        })}
      </Table>
    </form>
  );
}

/** Phones show only the first two cells, and only if they have a value. */
function cellClass(field: Field, index: number, value: unknown): string | undefined {
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  const classes = [isNumber(field) ? "number" : "", index > 1 || isEmpty ? "less" : ""];
  return classes.filter((name) => name !== "").join(" ") || undefined;
}

/** Actions for the selected items. The style sheet shows them once an item is selected. */
function BulkActions({ kind, canWrite }: { kind: "app" | "form"; canWrite: boolean }) {
  return (
    <div class="bar selected" role="group" aria-label="With selected">
      <button type="submit" class="quiet little" name="act" value="download">
        Download selected
      </button>
      {canWrite && kind === "form" ? (
        <>
          <button type="submit" class="quiet little" name="act" value="close">
            Close selected
          </button>
          <button type="submit" class="danger little" name="act" value="delete">
            Delete selected…
          </button>
        </>
      ) : null}
    </div>
  );
}

/** Builds headings whose links sort ascending first, then descending. */
function headingBuilder(base: string, query: Query) {
  return (name: string, key: string | undefined): TableColumn => {
    if (key === undefined) return { name };
    const isCurrent = query.sort?.key === key;
    const isAscending = isCurrent && query.sort?.direction === "asc";
    const sort = { key, direction: isAscending ? ("desc" as const) : ("asc" as const) };
    const href = `${base}?${buildSearchParams({ ...query, sort }).toString()}`;
    return isCurrent
      ? { name, href, sorted: isAscending ? "ascending" : "descending" }
      : { name, href };
  };
}

/** A longer trail would make the URL too long. */
const maxTrailLength = 6000;

/** Links to the previous and the next page. */
export function PageLinks({ base, query, next, progress }: ItemsPageProps & { base: string }) {
  const pagePath = (cursor: string | undefined, trail: readonly string[]) => {
    const params = buildSearchParams(query);
    if (cursor !== undefined) params.set("cursor", cursor);
    if (trail.length > 0) params.set("trail", trail.join(" "));
    return `${base}?${params.toString()}`;
  };
  const { cursor, trail } = query;
  const nextTrail = cursor === undefined ? [] : [...trail, cursor];
  const isTooLong = nextTrail.join(" ").length > maxTrailLength;
  if (cursor === undefined && next === null) return null;
  return (
    <nav class="actions" aria-label="Pages">
      {cursor === undefined ? null : (
        <a class="button quiet" href={pagePath(trail.at(-1), trail.slice(0, -1))} rel="prev">
          ← Previous
        </a>
      )}
      {next === null ? null : (
        <a class="button quiet" href={pagePath(next, isTooLong ? [] : nextTrail)} rel="next">
          {progress ? "Keep searching" : "Next →"}
        </a>
      )}
    </nav>
  );
}

/** Asks for confirmation before submissions are deleted, and names each of them. */
export function ConfirmDeletePage({
  frame,
  collection,
  views,
  listPath,
}: {
  frame: PageContext;
  collection: Collection;
  views: readonly ItemView[];
  listPath: string;
}) {
  const { kind, definition } = collection;
  const count = `${views.length} ${views.length === 1 ? "submission" : "submissions"}`;
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={`Delete ${count}?`}
      crumbs={[
        [collectionTerms[kind].many, collectionTerms[kind].path],
        [definition.name, listPath],
      ]}
    >
      <p>This permanently deletes them. Closed submissions stay as they are.</p>
      <ul>
        {views.map((view) => (
          <li>
            <a href={`${listPath}/${view.id}`}>{itemTitle(view, definition.fields.fields)}</a>{" "}
            <StatusBadge status={view.status} />
          </li>
        ))}
      </ul>
      <form method="post" action={`${listPath}/selected`} class="actions">
        {views.map(({ id }) => (
          <input type="hidden" name="ids" value={id} />
        ))}
        <input type="hidden" name="act" value="delete" />
        <button type="submit" name="sure" value="yes" class="sure">
          Delete {count}
        </button>
        <a class="button quiet" href={listPath}>
          Cancel
        </a>
      </form>
    </AdminPage>
  );
}
