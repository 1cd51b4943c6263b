import { hasWholeAccess, resourceExtent } from "#domain/credential/credential.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { conditionsOf, type CollectionAccess } from "#domain/data/narrow.ts";
import { matchesItem } from "#domain/search/matches.ts";
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
    // A deleted item may be there again.
    item: item && type !== "deleted" ? buildItemView(item, access) : null,
  };
}

/** Identifies what a narrow feed shows. Its cursors contain it, so that a change of the view expires them. */
export function feedMark(ctx: ReadContext, whole: CompiledCollection): string {
  const { collection } = whole;
  const extent = resourceExtent(ctx.resources, collection.kind, collection.key);
  if (extent === null || extent === "whole") return "";
  const view = findView(collection, extent.view);
  if (!view) return "";
  return viewMark(collection, view);
}

const fingerprintOf = (mark: string): string => mark.split(" ")[0] ?? "";

/** The changes that the caller sees through a view with this mark. It sees none through a view that is missing. */
export function seenChanges(
  { resources, actor }: ReadContext,
  { collection: { kind, key } }: CompiledCollection,
  mark: string,
): SeenChanges {
  return hasWholeAccess(resources, kind, key) ? "all" : marksFor(fingerprintOf(mark), actor);
}

export type ShowChange = (change: Change, items: FeedPage["items"]) => ChangeView | undefined;

/** Returns what shows the changes of a page to a caller, through its view. Undefined for a change that it does not see. */
export function changesInView(ctx: ReadContext, access: CollectionAccess): ShowChange {
  if (access.extent === "whole")
    return (change, items) => toChangeView(change, items.get(change.item) ?? null, access);
  const fingerprint = fingerprintOf(feedMark(ctx, access.whole));
  const conditions = conditionsOf(access);
  return (change, items) => {
    const matched = readMarks(change.views, fingerprint, ctx.actor);
    if (!matched.before && !matched.after) return undefined;
    const item = items.get(change.item);
    const view = toChangeView(change, item && matchesItem(conditions, item) ? item : null, access);
    const hasLeft = !matched.after && view.type !== "deleted";
    return hasLeft ? { ...view, type: "left" } : view;
  };
}

/** The items that a narrow reader does not see, and the rest of its items, may take this many bytes of a page. */
const maxHiddenBytes = 32_000_000;

/** The changes on a page, as far as they fit. */
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

  /** The read of a whole feed already limits the bytes. */
  #count({ data }: Item, view: ChangeView): void {
    if (this.#access.extent === "whole") return;
    const { shown, hidden } = partBytes(this.#access, data);
    this.#bytes += view.item ? shown : 0;
    this.#hiddenBytes += view.item ? hidden : utf8Length(JSON.stringify(data));
  }
}
