import type { BrowsedPage } from "../../../actions/search/browse-items";
import type { Collection } from "../../../domain/definition/collection";
import type { ItemView } from "../../../domain/item/item-view";
import { may } from "../../../domain/credential/permissions";
import type { Problem } from "../../../domain/problem/problem";
import { Empty } from "../../../html/parts/empty";
import { showCount } from "../../../html/show-count";
import { WithWrong } from "../../../html/form/wrong";
import { CollectionHead } from "../../definitions/head";
import { Indexing } from "../../definitions/indexing";
import { words } from "../../definitions/words";
import type { Frame } from "../../frame/frame";
import { Chips } from "./chips";
import { columnsOf } from "./columns";
import { filterables } from "./filter-inputs";
import { Find } from "./find";
import { ItemsTable } from "./items-table";
import { isNarrowed, searchParams, type Query } from "./query";
import { searchRefusal } from "./search-refusal";
import { Downloads, ColumnChoice } from "./tools";

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

/** A page of items: searched and sorted as through the API. */
export function ItemsPage(shown: ItemsShown) {
  const { frame, collection, live, indexing, query, views, problem } = shown;
  const { kind, key, definition } = collection;
  const { items, item, path } = words[kind];
  const base = `${path}/${key}/items`;
  const { fields } = definition.fields;
  const by = filterables(fields, kind);
  const columns = columnsOf(fields, query.columns);
  const writes = may(frame.member.role, "write");
  const acts = (
    <>
      <Downloads base={base} query={query} fields={fields} live={live} />
      {writes ? (
        <>
          <a class="button quiet" href={`${base}/import`}>
            Import
          </a>
          <a class="button" href={`${base}/new`}>
            New {item}
          </a>
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

function Nothing({ collection, query, next, problem, frame }: ItemsShown) {
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
  return (
    <Empty>
      <p>There are no {items} yet.</p>
      {may(frame.member.role, "write") ? (
        <p>
          <a class="button" href={`${base}/items/new`}>
            New {item}
          </a>
        </p>
      ) : null}
    </Empty>
  );
}

/** More of them would make an address too long. */
const longestTrail = 6000;

/** The ways to the pages before and behind this one. */
function Pages({ base, query, next }: ItemsShown & { base: string }) {
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
