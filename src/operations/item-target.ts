import {
  cachedCollectionOfItem,
  requireCachedOrStoredCollection,
} from "#actions/collection-cache.ts";
import type { ActionContext, ReadContext } from "#actions/context.ts";
import { queryItems } from "#actions/query-items.ts";
import { accessCurrentCollection } from "#actions/caller-access.ts";
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
import { wholeCollection } from "#domain/data/narrow.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { buildItemView, type ItemView } from "#domain/item/item.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import type * as z from "zod/mini";
import type { Target } from "./operation.ts";
import { itemTargets } from "./targets.ts";

/** An item. If the request expands references, includes the records that the item refers to. */
interface ItemWithReferences {
  view: ItemView;
  included: ItemView[] | null;
}

type ExpandQuery = z.output<ReturnType<typeof expandQuery>>;
type ExpandRequest = Pick<ReadRequest<ExpandQuery>, "path" | "query">;

/** Returns the `expand` of a query. An invalid query expands nothing, because a later check rejects it. */
function readExpand({ query }: Pick<ExpandRequest, "query">): string | undefined {
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

/** Loads the item and the records that it refers to. Returns undefined if the collection has no such item. */
const expandItem =
  (
    rights: ReaderRights,
    findCollection: (ctx: ReadContext) => CompiledCollection | Promise<CompiledCollection>,
  ): Prefetch<ItemWithReferences | undefined, ExpandQuery> =>
  async (ctx, request) => {
    const { id } = request.path;
    const access = await accessCurrentCollection(ctx, await findCollection(ctx));
    const isReceipt = access.collection.kind === "app" && !id.startsWith("rec_");
    const condition = { field: isReceipt ? "$receipt_number" : "$id", op: "eq", value: id };
    const search = {
      body: { conditions: [condition] },
      rights,
      expand: expandNames(readExpand(request)),
    };
    const { views, included } = await queryItems(ctx, access, search, null, 1);
    const [view] = views;
    return view && { view, included };
  };

/**
 * The target of a GET of an item. With `expand`, the read starts after authentication, because it needs the caller's
 * permissions.
 */
function readItemTarget(kind: CollectionKind): Target<ItemWithReferences> {
  const load = loaders[kind];
  const prefetch: Prefetch<LoadedItem | null, ExpandQuery> = async (ctx, request) =>
    readExpand(request) === undefined ? load(ctx, request) : null;
  return {
    prefetch,
    mayBeMissing: true,
    async find(ctx, path, read) {
      // Checks the item like every other target, so that the 404 is the same with and without `expand`.
      const findVisibleItem = (loadedItem: LoadedItem | null) =>
        itemTargets[kind].find(ctx, path, (loadItem) =>
          loadedItem ? (Promise.resolve(loadedItem) as Promise<never>) : read(loadItem),
        );
      assertVisible(ctx, kind, path.key);
      const prefetchedItem = await read(prefetch);
      if (prefetchedItem) {
        const { item, compiled: access } = await findVisibleItem(prefetchedItem);
        return { view: buildItemView(item, access), included: null };
      }

      // With `expand`, a search loads the item. The search needs its collection.
      const cachedCollection =
        kind === "form" ? cachedCollectionOfItem(ctx.memory, path.id) : undefined;
      const findCollection = async (readCtx: ReadContext) => {
        if (cachedCollection && isVisibleForm(ctx, cachedCollection, path.key))
          return cachedCollection;
        if (path.key === "") throw problem.notFound();
        return requireCachedOrStoredCollection(readCtx, kind, path.key);
      };
      try {
        const expandedItem = await read(expandItem(ctx, findCollection));
        if (expandedItem) return expandedItem;
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error;
      }

      // Finds items with older IDs, which do not contain their collection. A missing item is 404 before an invalid `expand`
      // is 422.
      const { compiled: access } = await findVisibleItem(null);
      const expandedItem = await read(expandItem(ctx, () => wholeCollection(access)));
      if (!expandedItem) throw problem.notFound();
      return expandedItem;
    },
  };
}

const isVisibleForm = (
  { resources }: ReaderRights,
  { collection: { kind, key } }: CompiledCollection,
  pathKey: string,
) => kind === "form" && isVisible(resources, kind, key) && (pathKey === "" || pathKey === key);

/** Throws 404 before any read if the caller cannot see the collection. The targets of writes do the same. */
function assertVisible(ctx: ActionContext, kind: CollectionKind, key: string): void {
  if (kind === "form") requireVisibleForms(ctx);
  if (key !== "" && !isVisible(ctx.resources, kind, key)) throw problem.notFound();
}

export const readItemTargets: Record<CollectionKind, Target<ItemWithReferences>> = {
  app: readItemTarget("app"),
  form: readItemTarget("form"),
};
