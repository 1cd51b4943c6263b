import * as z from "zod/mini";
import {
  requireCachedOrStoredCollection,
  loadCurrentCollection,
} from "#actions/collection-cache.ts";
import type { ReadContext } from "#actions/context.ts";
import { queryItems, type ItemQuery, type QueryPage } from "#actions/query-items.ts";
import { accessCurrentCollection } from "#actions/caller-access.ts";
import type { ReadRequest } from "#actions/read.ts";
import { sha256 } from "#domain/credential/keys.ts";
import { itemPageQuery, type CursorPosition } from "#domain/cursor.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { toCanonicalJson } from "#domain/json.ts";
import { lazy } from "#domain/lazy.ts";
import { getView } from "#domain/search/view.ts";

/** The query of a list or a search: its page, and the view that limits it. */
export const viewQuery = lazy(() =>
  z.extend(itemPageQuery(), { view: z.optional(z.string().check(z.maxLength(100))) }),
);
export type ViewPaging = z.output<ReturnType<typeof viewQuery>>;

/** A request for a page of a list or a search. */
export interface PageRequest {
  kind: CollectionKind;
  key: string;
  query: ItemQuery;
  cursor: string | undefined;
  limit: number | undefined;
  /**
   * Whether to load only the start of the page, without items: for downloads, and before the caller's rights are known.
   */
  isStartOnly: boolean;
  /** Returns the binding of the page's cursors to the list or search, without the part of the view. */
  binding: (access: CollectionAccess) => string | Promise<string>;
}

/** A page or its start, with the database version of its read. */
export interface MatchingPage {
  binding: string;
  start: CursorPosition | null;
  /** Null if the request was only for the start. */
  queryPage: QueryPage | null;
  bookmark: string | null;
}

/**
 * Loads a page of matching items. A cursor is bound to the conditions and the sort of the view, so it becomes invalid
 * when these change.
 */
export async function loadMatchingPage(
  ctx: ReadContext,
  { position }: Pick<ReadRequest, "position">,
  pageRequest: PageRequest,
): Promise<MatchingPage> {
  const { kind, key, query, cursor, limit, isStartOnly } = pageRequest;
  const openPage = async (collection: CompiledCollection) => {
    const access = await accessCurrentCollection(ctx, collection);
    const binding = await viewBinding(pageRequest, access);
    return { access, binding, start: await position(binding, cursor, ctx.versions) };
  };
  const cachedCollection = await requireCachedOrStoredCollection(ctx, kind, key);
  // The cached definition may be older than the view or the cursor.
  const { access, binding, start } = await openPage(cachedCollection).catch(
    async (error: unknown) => {
      if (query.view === undefined) throw error;
      const { compiled } = await loadCurrentCollection(ctx, cachedCollection);
      if (compiled.collection.stamp === cachedCollection.collection.stamp) throw error;
      return openPage(compiled);
    },
  );
  const queryPage = isStartOnly ? null : await queryItems(ctx, access, query, start, limit);
  const nextBinding = queryPage ? await viewBinding(pageRequest, queryPage.compiled) : binding;
  // The view changed after the first lookup. This throws for a cursor of the former view.
  if (start !== null && nextBinding !== binding) await position(nextBinding, cursor);
  return { binding: nextBinding, start, queryPage, bookmark: ctx.versions.newestBookmark() };
}

async function viewBinding({ binding, query }: PageRequest, access: CollectionAccess) {
  const baseBinding = await binding(access);
  if (query.view === undefined) return baseBinding;
  const { key, conditions = [], sort = [] } = getView(access.collection, query.view);
  return `${baseBinding} view ${key} ${await sha256(toCanonicalJson({ conditions, sort }))}`;
}

/** Returns the keys of the fields of a view. Null without a view, and for a view of all fields. */
export function viewFields(access: CollectionAccess, view: string | undefined): string[] | null {
  return view === undefined ? null : (getView(access.collection, view).fields ?? null);
}
