import type { Collection } from "../../../../domain/definition/collection";
import { isList, type Field } from "../../../../domain/definition/field";
import type { ItemView } from "../../../../domain/item/item-view";
import { Table, type Head } from "../../../../html/parts/table";
import { Time } from "../../../../html/time";
import { isNumber } from "../../item/values";
import { StatusBadge } from "../../status";
import { Value } from "../../value/value";
import { searchParams, type Query } from "../query";

interface Shown {
  base: string;
  collection: Collection;
  columns: readonly Field[];
  views: readonly ItemView[];
  query: Query;
  writes: boolean;
}

/** Items as rows; those that are ticked can be acted upon together. */
export function ItemsTable({ base, collection, columns, views, query, writes }: Shown) {
  const { kind } = collection;
  // The cell that leads to the item: the receipt number, or the first text.
  const lead = kind === "form" ? columns.find(({ type }) => type === "text") : undefined;
  const others = columns.filter((field) => field !== lead);
  const sorted = headsBy(base, query);
  const heads: (string | Head)[] = [
    { name: <span class="unseen">Select</span> },
    lead
      ? sorted(lead.label, lead.searchable ? lead.key : undefined)
      : sorted(kind === "app" ? "Receipt" : "Id", "$id"),
    ...(kind === "form" ? [sorted("Status", "$status")] : []),
    ...others.map((field) => ({
      ...sorted(field.label, field.searchable && !isList(field) ? field.key : undefined),
      number: isNumber(field),
    })),
    sorted("Changed", "$updated_at"),
    ...(writes ? [{ name: <span class="unseen">Edit</span> }] : []),
  ];
  return (
    <form method="post" action={`${base}/selected`} class="pick">
      <Selected kind={kind} writes={writes} />
      <Table caption="Items" heads={heads}>
        {views.map((view) => {
          const at = `${base}/${view.id}`;
          const name = view.receiptNumber ?? `…${view.id.slice(-8)}`;
          const text = lead ? view.data[lead.key] : null;
          return (
            <tr>
              <td class="tick">
                <input type="checkbox" name="ids" value={view.id} aria-label={`Select ${name}`} />
              </td>
              <th scope="row">
                <a href={at} class={text ? undefined : "id"}>
                  {lead && text ? <Value field={lead} value={text} short /> : name}
                </a>
              </th>
              {kind === "form" ? (
                <td>
                  <StatusBadge status={view.status} />
                </td>
              ) : null}
              {others.map((field, index) => (
                <td class={cellClass(field, index, view.data[field.key])} data-label={field.label}>
                  <span class="cut">
                    <Value field={field} value={view.data[field.key]} short />
                  </span>
                </td>
              ))}
              <td class="less muted">
                <Time at={view.updatedAt} as="distance" />
              </td>
              {writes ? (
                <td class="end">
                  {view.status === "closed" ? null : (
                    <a href={`${at}?edit`} aria-label={`Edit ${name}`}>
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

/** On a phone the first two show, where there is something to show. */
function cellClass(field: Field, index: number, value: unknown): string | undefined {
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  const classes = [isNumber(field) ? "number" : "", index > 1 || isEmpty ? "less" : ""];
  return classes.filter((name) => name !== "").join(" ") || undefined;
}

/** What can be done with the ticked ones; it shows once there are some. */
function Selected({ kind, writes }: { kind: "app" | "form"; writes: boolean }) {
  return (
    <div class="bar selected" role="group" aria-label="With those that are selected">
      <button type="submit" class="quiet little" name="act" value="download">
        Download selected
      </button>
      {writes && kind === "form" ? (
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

/** Headings that sort: by a key upwards, then downwards. */
function headsBy(base: string, query: Query) {
  return (name: string, key: string | undefined): Head => {
    if (key === undefined) return { name };
    const isNow = query.sort?.key === key;
    const upwards = isNow && query.sort?.direction === "asc";
    const sort = { key, direction: upwards ? ("desc" as const) : ("asc" as const) };
    const href = `${base}?${searchParams({ ...query, sort }).toString()}`;
    return isNow ? { name, href, sorted: upwards ? "ascending" : "descending" } : { name, href };
  };
}
