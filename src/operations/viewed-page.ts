import * as z from "zod/mini";
import { likelyCollection } from "#actions/collection-cache.ts";
import type { ReadContext } from "#actions/context.ts";
import { loadCurrentCollection } from "#actions/create-item.ts";
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

/** The query of a list or a search: its page, and the view that it goes through. */
export const viewQuery = lazy(() =>
  z.extend(itemPageQuery(), { view: z.optional(z.string().check(z.maxLength(100))) }),
);
export type ViewPaging = z.output<ReturnType<typeof viewQuery>>;

/** A page of a list or a search, as it is asked for. */
export interface AskedPage {
  kind: CollectionKind;
  key: string;
  query: ItemQuery;
  cursor: string | undefined;
  limit: number | undefined;
  /** Whether to find only where the page starts: for downloads, and before the caller's rights are known. */
  isStart: boolean;
  /** Names the list or search that its cursors belong to, apart from the view. */
  binding: (access: CollectionAccess) => string | Promise<string>;
}

/** The page, or where it starts, with the version of the database that its read returned. */
export interface MatchingPage {
  binding: string;
  start: CursorPosition | null;
  found: QueryPage | null;
  bookmark: string | null;
}

/**
 * Loads a page of matching items. A cursor also belongs to the conditions and the sort of the view, so one from before a
 * change of these is invalid.
 */
export async function loadMatchingPage(
  ctx: ReadContext,
  { position }: Pick<ReadRequest, "position">,
  asked: AskedPage,
): Promise<MatchingPage> {
  const { kind, key, query, cursor, limit, isStart } = asked;
  const open = async (whole: CompiledCollection) => {
    const access = await accessCurrentCollection(ctx, whole);
    const binding = await bindingOf(asked, access);
    return { reached: access, binding, start: await position(binding, cursor, ctx.versions) };
  };
  const likely = await likelyCollection(ctx, kind, key);
  // The likely definition may be older than the view or the cursor.
  const {
    reached: access,
    binding,
    start,
  } = await open(likely).catch(async (error: unknown) => {
    if (query.view === undefined) throw error;
    const { compiled } = await loadCurrentCollection(ctx, likely);
    if (compiled.collection.stamp === likely.collection.stamp) throw error;
    return open(compiled);
  });
  const found = isStart ? null : await queryItems(ctx, access, query, start, limit);
  const nextBinding = found ? await bindingOf(asked, found.compiled) : binding;
  // The view changed since it was looked up, so the page does not continue from this cursor.
  if (start !== null && nextBinding !== binding) await position(nextBinding, cursor);
  return { binding: nextBinding, start, found, bookmark: ctx.versions.newestBookmark() };
}

async function bindingOf({ binding, query }: AskedPage, access: CollectionAccess) {
  const own = await binding(access);
  if (query.view === undefined) return own;
  const { key, conditions = [], sort = [] } = getView(access.collection, query.view);
  return `${own} view ${key} ${await sha256(toCanonicalJson({ conditions, sort }))}`;
}

/** What a download through a view contains where the search names no fields. */
export function viewFields(access: CollectionAccess, view: string | undefined): string[] | null {
  return view === undefined ? null : (getView(access.collection, view).fields ?? null);
}
