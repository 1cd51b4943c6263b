import { cachedCollectionOfItem, likelyCollection } from "#actions/collection-cache.ts";
import type { ActionContext, ReadContext } from "#actions/context.ts";
import { queryItems } from "#actions/query-items.ts";
import { reachCurrent } from "#actions/reach.ts";
import type { Prefetch, ReadRequest } from "#actions/read.ts";
import type { ReaderRights } from "#actions/search-targets.ts";
import {
  loadRecord,
  loadSubmission,
  requireVisibleForms,
  type LoadedItem,
} from "#actions/visible.ts";
import { isVisible } from "#domain/credential/credential.ts";
import { expandNames, type expandQuery } from "#domain/cursor.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { wholeOf } from "#domain/data/narrow.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { buildItemView, type ItemView } from "#domain/item/item.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import type * as z from "zod/mini";
import type { Target } from "./operation.ts";
import { itemTargets } from "./targets.ts";

/** An item as it is shown, with the records to which it refers if the request expands references. */
interface ShownItem {
  view: ItemView;
  included: ItemView[] | null;
}

type ShownQuery = z.output<ReturnType<typeof expandQuery>>;
type ShownRequest = Pick<ReadRequest<ShownQuery>, "path" | "query">;

/** The `expand` of a query. An invalid query expands nothing, because it is rejected later. */
function expandOf({ query }: Pick<ShownRequest, "query">): string | undefined {
  try {
    return query().expand;
  } catch {
    return undefined;
  }
}

const loaders: Record<CollectionKind, Prefetch<LoadedItem>> = {
  app: (ctx, { path }) => loadRecord(ctx, path.key, path.id),
  form: (ctx, { path }) => loadSubmission(ctx, path.id),
};

/** Loads the item and the records to which it refers. Undefined if the collection has no such item. */
const expandItem =
  (
    rights: ReaderRights,
    find: (ctx: ReadContext) => CompiledCollection | Promise<CompiledCollection>,
  ): Prefetch<ShownItem | undefined, ShownQuery> =>
  async (ctx, request) => {
    const { id } = request.path;
    const reached = await reachCurrent(ctx, await find(ctx));
    const isReceipt = reached.collection.kind === "app" && !id.startsWith("rec_");
    const condition = { field: isReceipt ? "$receipt_number" : "$id", op: "eq", value: id };
    const search = {
      body: { conditions: [condition] },
      rights,
      expand: expandNames(expandOf(request)),
    };
    const { views, included } = await queryItems(ctx, reached, search, null, 1);
    const [view] = views;
    return view && { view, included };
  };

/** What a GET of an item shows. It waits for the admission if it expands references, because that needs the caller. */
function shownItemTarget(kind: CollectionKind): Target<ShownItem> {
  const load = loaders[kind];
  const prefetch: Prefetch<LoadedItem | null, ShownQuery> = async (ctx, request) =>
    expandOf(request) === undefined ? load(ctx, request) : null;
  return {
    prefetch,
    mayBeMissing: true,
    async find(ctx, path, read) {
      // Items of other collections get the same 404, with or without `expand`.
      const findVisible = (early: LoadedItem | null) =>
        itemTargets[kind].find(ctx, path, (loadItem) =>
          early ? (Promise.resolve(early) as Promise<never>) : read(loadItem),
        );
      assertReachable(ctx, kind, path.key);
      const early = await read(prefetch);
      if (early) {
        const { item, compiled: reached } = await findVisible(early);
        return { view: buildItemView(item, reached), included: null };
      }
      const likely = kind === "form" ? cachedCollectionOfItem(ctx.memory, path.id) : undefined;
      const findLikely = async (readCtx: ReadContext) => {
        if (likely && isReadable(ctx, likely, path.key)) return likely;
        if (path.key === "") throw problem.notFound();
        return likelyCollection(readCtx, kind, path.key);
      };
      try {
        const shown = await read(expandItem(ctx, findLikely));
        if (shown) return shown;
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error;
      }
      // Older IDs do not name their collection. And an unknown item is reported before an unknown reference.
      const { compiled: reached } = await findVisible(null);
      const found = await read(expandItem(ctx, () => wholeOf(reached)));
      if (!found) throw problem.notFound();
      return found;
    },
  };
}

const isReadable = (
  { resources }: ReaderRights,
  { collection: { kind, key } }: CompiledCollection,
  pathKey: string,
) => kind === "form" && isVisible(resources, kind, key) && (pathKey === "" || pathKey === key);

/** Refuses before anything is read, like the targets of writes. */
function assertReachable(ctx: ActionContext, kind: CollectionKind, key: string): void {
  if (kind === "form") requireVisibleForms(ctx);
  if (key !== "" && !isVisible(ctx.resources, kind, key)) throw problem.notFound();
}

export const shownItemTargets: Record<CollectionKind, Target<ShownItem>> = {
  app: shownItemTarget("app"),
  form: shownItemTarget("form"),
};
