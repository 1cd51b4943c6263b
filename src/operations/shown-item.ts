import { cachedCollectionOfItem, likelyCollection } from "#actions/collection-cache.ts";
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
    findCollection: (ctx: ReadContext) => CompiledCollection | Promise<CompiledCollection>,
  ): Prefetch<ShownItem | undefined, ShownQuery> =>
  async (ctx, request) => {
    const { id } = request.path;
    const access = await accessCurrentCollection(ctx, await findCollection(ctx));
    const isReceipt = access.collection.kind === "app" && !id.startsWith("rec_");
    const condition = { field: isReceipt ? "$receipt_number" : "$id", op: "eq", value: id };
    const search = {
      body: { conditions: [condition] },
      rights,
      expand: expandNames(expandOf(request)),
    };
    const { views, included } = await queryItems(ctx, access, search, null, 1);
    const [view] = views;
    return view && { view, included };
  };

/** The item that a GET returns. With `expand`, the read starts after authentication, because it needs the caller's permissions. */
function shownItemTarget(kind: CollectionKind): Target<ShownItem> {
  const load = loaders[kind];
  const prefetch: Prefetch<LoadedItem | null, ShownQuery> = async (ctx, request) =>
    expandOf(request) === undefined ? load(ctx, request) : null;
  return {
    prefetch,
    mayBeMissing: true,
    async find(ctx, path, read) {
      // Items of other collections get the same 404, with or without `expand`.
      const findVisible = (prefetched: LoadedItem | null) =>
        itemTargets[kind].find(ctx, path, (loadItem) =>
          prefetched ? (Promise.resolve(prefetched) as Promise<never>) : read(loadItem),
        );
      assertVisible(ctx, kind, path.key);
      const prefetched = await read(prefetch);
      if (prefetched) {
        const { item, compiled: access } = await findVisible(prefetched);
        return { view: buildItemView(item, access), included: null };
      }
      const cached = kind === "form" ? cachedCollectionOfItem(ctx.memory, path.id) : undefined;
      const findCollection = async (readCtx: ReadContext) => {
        if (cached && isVisibleForm(ctx, cached, path.key)) return cached;
        if (path.key === "") throw problem.notFound();
        return likelyCollection(readCtx, kind, path.key);
      };
      try {
        const shown = await read(expandItem(ctx, findCollection));
        if (shown) return shown;
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error;
      }
      // Older IDs do not contain their collection, and a missing item takes precedence over an invalid `expand`.
      const { compiled: access } = await findVisible(null);
      const found = await read(expandItem(ctx, () => wholeCollection(access)));
      if (!found) throw problem.notFound();
      return found;
    },
  };
}

const isVisibleForm = (
  { resources }: ReaderRights,
  { collection: { kind, key } }: CompiledCollection,
  pathKey: string,
) => kind === "form" && isVisible(resources, kind, key) && (pathKey === "" || pathKey === key);

/** Throws 404 before anything is read if the caller cannot see the collection. The targets of writes do the same. */
function assertVisible(ctx: ActionContext, kind: CollectionKind, key: string): void {
  if (kind === "form") requireVisibleForms(ctx);
  if (key !== "" && !isVisible(ctx.resources, kind, key)) throw problem.notFound();
}

export const shownItemTargets: Record<CollectionKind, Target<ShownItem>> = {
  app: shownItemTarget("app"),
  form: shownItemTarget("form"),
};
