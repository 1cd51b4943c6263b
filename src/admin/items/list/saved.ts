import * as z from "zod/mini";
import { chooseColumns, deleteFilter, saveFilter, updateFilter } from "#actions/list-settings.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { lazy } from "#domain/lazy.ts";
import { action, type AdminRequest } from "#admin/page.ts";
import { itemsPath } from "#admin/items/load-item.ts";
import { nonEmptyTexts } from "#admin/items/form/values.ts";
import { hiddenColumn, moveColumn, pickerId, propertyColumns } from "./columns.ts";
import { parseQuery, searchPath } from "./query.ts";
import { ChangeInput, FilterInput, readSearch, searchSchema } from "./saved-input.ts";
import { filterPath, searchOf } from "./tabs.ts";

const ColumnsInput = lazy(() =>
  z.object({
    search: searchSchema(),
    columns: z.optional(z.union([z.string(), z.array(z.string())])),
    // The columns that are not fields and that the form offered.
    offered: z.optional(z.union([z.string(), z.array(z.string())])),
    move: z.optional(z.string()),
  }),
);

/** Returns the chosen fields, and the offered columns that the member hid. */
function chosenColumns(
  kind: CollectionKind,
  chosen: readonly string[],
  offered: string | readonly string[] | undefined,
): string[] {
  const properties = propertyColumns(kind).filter((each) => offered?.includes(each));
  return [
    ...chosen.filter((key) => !properties.some((property) => property === key)),
    ...properties.filter((property) => !chosen.includes(property)).map(hiddenColumn),
  ];
}

/** Stores the columns of a list and the member's own filters. */
export function savedLists(kind: CollectionKind) {
  const listOf = ({ param }: AdminRequest) => `${kind}:${param("key")}`;
  return {
    columns: action({
      fields: ColumnsInput,
      async act(request, { search, columns, offered, move }) {
        const keys = chosenColumns(kind, moveColumn(nonEmptyTexts(columns), move), offered);
        // Without scripts, the menu opens again after a move.
        const fragment = move === undefined ? "" : `#${pickerId}`;
        const query = parseQuery(search);
        const document = { columns: keys };
        const base = itemsPath(request.c, kind);
        // A tab has its own columns. They are saved with its other changes.
        if (query.view !== undefined || query.tab !== undefined)
          return { to: searchPath(base, { ...query, columns: keys }) + fragment, document };
        await chooseColumns(request.ctx, listOf(request), keys);
        const flash = request.text.itemList.saved.columns;
        return { to: searchPath(base, query) + fragment, flash, document };
      },
    }),
    filter: action({
      fields: FilterInput,
      async act(request, input) {
        const search = searchOf({ ...readSearch(input), tab: undefined });
        const id = await saveFilter(request.ctx, listOf(request), { name: input.name, search });
        const to = filterPath(itemsPath(request.c, kind), { id, search });
        const document = { id, name: input.name, search };
        const flash = request.text.itemList.saved.filter(input.name);
        return { to, flash, document, status: 201 };
      },
    }),
    changeFilter: action({
      fields: ChangeInput,
      async act(request, { name, search: sent }) {
        const search = sent && searchOf({ ...parseQuery(sent), tab: undefined });
        const changes = { name, search };
        const id = request.param("filter");
        const filter = await updateFilter(request.ctx, listOf(request), id, changes);
        const flash = request.text.itemList.saved.filter(filter.name);
        return { to: filterPath(itemsPath(request.c, kind), filter), flash, document: filter };
      },
    }),
    removeFilter: action({
      async act(request) {
        await deleteFilter(request.ctx, listOf(request), request.param("filter"));
        const flash = request.text.itemList.saved.filterDeleted;
        return { to: itemsPath(request.c, kind), flash, document: null };
      },
    }),
  };
}
