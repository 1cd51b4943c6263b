import { may } from "../../../../domain/credential/roles";
import { showCount } from "../../../../html/show-count";
import { WithWrong } from "../../../../html/form/wrong";
import { CollectionHead } from "../../../definitions/head";
import { Indexing } from "../../../definitions/indexing";
import { words } from "../../../definitions/words";
import { Chips } from "../filter/chips";
import { shownColumns } from "../columns";
import { filterables } from "../filter/filterable";
import { Find } from "../filter/find";
import { ItemsTable } from "./items-table";
import { isNarrowed } from "../query";
import { searchRefusal } from "../search-refusal";
import { Downloads } from "./downloads";
import { ColumnChoice } from "./column-choice";
import { mayAdd, type ItemsShown } from "./items-shown";
import { Nothing } from "./nothing";
import { Pages } from "./pages";

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
