import { hasWholeAccess, resourceExtent } from "#domain/credential/credential.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import { isInView } from "./sees-item.ts";
import { changeType, statusFieldId, type ChangeView } from "#domain/item/change.ts";
import { buildItemView, utf8Length, type Item } from "#domain/item/item.ts";
import { partBytes } from "#domain/item/part-limits.ts";
import type { Change } from "#store/data/changes.ts";
import { marksFor, readMarks } from "#domain/item/view-marks.ts";
import { findView, viewMark } from "#domain/search/view.ts";
import type { FeedPage, SeenChanges } from "#store/data/feed.ts";
import { maxPageBytes } from "#store/data/search/budget.ts";
import type { ReadContext } from "./context.ts";

export function toChangeView(
  change: Change,
  item: Parameters<typeof buildItemView>[0] | null,
  access: CollectionAccess,
): ChangeView {
  const { itemId, action, version, at, actor } = change;
  const ids = new Set(change.fields);
  const keys = access.fields.list
    .filter(({ field }) => ids.has(field.id))
    .map(({ field }) => field.key);
  const type = changeType(action);
  return {
    id: itemId,
    type,
    version,
    at,
    by: actor,
    fields: ids.has(statusFieldId) ? [...keys, "$status"] : keys,
    // A deleted item may have been restored.
    item: item && type !== "deleted" ? buildItemView(item, access) : null,
  };
}

/**
 * Returns a text that identifies the content of a narrow feed. Cursors contain it, so a change of the view expires
 * them.
 */
export function feedMark(ctx: ReadContext, whole: CompiledCollection): string {
  const { collection } = whole;
  const extent = resourceExtent(ctx.resources, collection.kind, collection.key);
  if (extent === null || extent === "whole") return "";
  const view = findView(collection, extent.view);
  if (!view) return "";
  return viewMark(collection, view);
}

const fingerprintOf = (mark: string): string => mark.split(" ")[0] ?? "";

/**
 * Returns the changes that the caller sees through a view with this mark. If the view is missing, the caller sees none.
 */
export function seenChanges(
  { resources, actor }: ReadContext,
  { collection: { kind, key } }: CompiledCollection,
  mark: string,
): SeenChanges {
  return hasWholeAccess(resources, kind, key) ? "all" : marksFor(fingerprintOf(mark), actor);
}

export type ShowChange = (change: Change, items: FeedPage["items"]) => ChangeView | undefined;

/**
 * Returns a function that converts changes for a caller. It returns undefined for a change that the caller does not
 * see.
 */
export function changesInView(ctx: ReadContext, access: CollectionAccess): ShowChange {
  if (access.extent === "whole")
    return (change, items) => toChangeView(change, items.get(change.item) ?? null, access);
  const fingerprint = fingerprintOf(feedMark(ctx, access.whole));
  return (change, items) => {
    const matched = readMarks(change.views, fingerprint, ctx.actor);
    if (!matched.before && !matched.after) return undefined;
    const item = items.get(change.item);
    const view = toChangeView(change, item && isInView(access, item) ? item : null, access);
    const hasLeft = !matched.after && view.type !== "deleted";
    return hasLeft ? { ...view, type: "left" } : view;
  };
}

/**
 * The maximum bytes of data that a narrow reader does not see on a page: hidden items, and the hidden parts of visible
 * items.
 */
const maxHiddenBytes = 32_000_000;

/** Collects the changes that fit on a page. */
export class ShownChanges {
  readonly views: ChangeView[] = [];
  /** Whether the page has no room for a further change. */
  isFull = false;
  /** The last change on the page. */
  last = { number: 0, at: 0 };
  readonly #limit: number;
  readonly #access: CollectionAccess;
  #bytes = 0;
  #hiddenBytes = 0;

  constructor(limit: number, access: CollectionAccess) {
    this.#limit = limit;
    this.#access = access;
  }

  add({ number, at }: Pick<Change, "number" | "at">, view: ChangeView, item: Item | undefined) {
    if (this.isFull) return;
    this.views.push(view);
    this.last = { number, at };
    if (item) this.#count(item, view);
    this.isFull =
      this.views.length >= this.#limit ||
      this.#bytes >= maxPageBytes ||
      this.#hiddenBytes >= maxHiddenBytes;
  }

  /** Counts only for narrow readers. The read of a whole feed already limits the bytes. */
  #count({ data }: Item, view: ChangeView): void {
    if (this.#access.extent === "whole") return;
    const { shown, hidden } = partBytes(this.#access, data);
    this.#bytes += view.item ? shown : 0;
    this.#hiddenBytes += view.item ? hidden : utf8Length(JSON.stringify(data));
  }
}

/** Keeps the last change of each item, in its position, with the fields of all its changes on the page. */
export function mergeByItem(views: readonly ChangeView[]): ChangeView[] {
  const byItem = new Map<string, ChangeView>();
  for (const view of views) {
    const previous = byItem.get(view.id);
    byItem.delete(view.id);
    if (!previous) {
      byItem.set(view.id, view);
      continue;
    }
    // The item did not exist before this page and does not exist after it, so it lists no changed fields.
    const wasNeverVisible = previous.type === "created" && view.type === "deleted";
    const fields = wasNeverVisible ? [] : [...new Set([...previous.fields, ...view.fields])];
    const type = previous.type === "created" && view.type === "updated" ? "created" : view.type;
    byItem.set(view.id, { ...view, type, fields });
  }
  return [...byItem.values()];
}
