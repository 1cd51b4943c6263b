import type { Collection } from "#domain/definition/collection.ts";
import { isList, type Field } from "#domain/definition/field.ts";
import type { ItemView } from "#domain/item/item.ts";
import { Table, type Head } from "#html/parts.tsx";
import { Time } from "#html/viewer.tsx";
import { isNumber, StatusBadge, Value, titleOf } from "#admin/items/value.tsx";
import { searchParams, type Query } from "./query.ts";
import type { ItemsShown } from "./items-page.tsx";
import { words, dataAssets } from "#admin/definitions/layout.tsx";
import { type Frame, AdminPage } from "#admin/layout.tsx";

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

/** More of them would make an address too long. */
const longestTrail = 6000;

/** The ways to the pages before and behind this one. */
export function Pages({ base, query, next }: ItemsShown & { base: string }) {
  const at = (cursor: string | undefined, trail: readonly string[]) => {
    const params = searchParams(query);
    if (cursor !== undefined) params.set("cursor", cursor);
    if (trail.length > 0) params.set("trail", trail.join(" "));
    return `${base}?${params.toString()}`;
  };
  const { cursor, trail } = query;
  const behind = cursor === undefined ? [] : [...trail, cursor];
  const long = behind.join(" ").length > longestTrail;
  if (cursor === undefined && next === null) return null;
  return (
    <nav class="actions" aria-label="Pages">
      {cursor === undefined ? null : (
        <a class="button quiet" href={at(trail.at(-1), trail.slice(0, -1))} rel="prev">
          ← Previous
        </a>
      )}
      {next === null ? null : (
        <a class="button quiet" href={at(next, long ? [] : behind)} rel="next">
          Next →
        </a>
      )}
    </nav>
  );
}

/** Asks before submissions are deleted, naming each of them. */
export function SurePage({
  frame,
  collection,
  views,
  back,
}: {
  frame: Frame;
  collection: Collection;
  views: readonly ItemView[];
  back: string;
}) {
  const { kind, definition } = collection;
  const count = `${views.length} ${views.length === 1 ? "submission" : "submissions"}`;
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={`Delete ${count}?`}
      crumbs={[
        [words[kind].many, words[kind].path],
        [definition.name, back],
      ]}
    >
      <p>
        All that they say is lost for good; nothing brings it back. Closed ones are left as they
        are.
      </p>
      <ul>
        {views.map((view) => (
          <li>
            <a href={`${back}/${view.id}`}>{titleOf(view, definition.fields.fields)}</a>{" "}
            <StatusBadge status={view.status} />
          </li>
        ))}
      </ul>
      <form method="post" action={`${back}/selected`} class="actions">
        {views.map(({ id }) => (
          <input type="hidden" name="ids" value={id} />
        ))}
        <input type="hidden" name="act" value="delete" />
        <button type="submit" name="sure" value="yes" class="sure">
          Delete {count}
        </button>
        <a class="button quiet" href={back}>
          Cancel
        </a>
      </form>
    </AdminPage>
  );
}
