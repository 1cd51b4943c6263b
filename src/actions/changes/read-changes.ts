import type { Compiled } from "../../domain/data/compile";
import { changeType, statusField, type ChangeView } from "../../domain/item/change";
import { viewOf } from "../../domain/item/item-view";
import { numbersOf } from "../../domain/item/item";
import { problem } from "../../domain/problem/problem";
import { readFeed } from "../../store/changes/feed";
import type { Change } from "../../store/changes/change-row";
import { pageBytes } from "../../store/search/plan/cost";
import type { ReadContext } from "../context";
import { readCurrent } from "../items/draft";

/** How long the feed tells what happened, in milliseconds. */
const told = 30 * 24 * 60 * 60 * 1000;

export interface ChangesPage {
  changes: ChangeView[];
  schemaVersion: number;
  /** The number to go on from: of the last change that was told, or of the end. */
  next: number;
}

/** Where a walk begins: behind the number of a change, at the end, or with the oldest that is told (null). */
export type FeedStart = number | "now" | null;

/**
 * What happened in a collection, in the order of commit. Changes of one item that lie on one page are told as one,
 * unless `each` is asked for.
 */
export async function readChanges(
  ctx: ReadContext,
  known: Compiled,
  start: FeedStart,
  { limit, each }: { limit: number; each: boolean },
): Promise<ChangesPage> {
  const { id } = known.collection;
  const since = ctx.now() - told;
  const read = (after: number | null) =>
    readFeed(ctx.db, id, after, { limit, bytes: pageBytes, since });
  const [first, { compiled }] = await Promise.all([
    read(typeof start === "number" ? start : null),
    readCurrent(ctx, known),
  ]);
  const { edges } = first;
  const { version: schemaVersion } = compiled.collection;
  const end = edges.last ?? numbersOf(id).above;
  if (typeof start === "number") refuseExpired(start, since, edges);
  if (start === "now") return { changes: [], schemaVersion, next: end };
  // The oldest that is stored is older than the oldest that is told.
  const late = start === null && edges.kept !== null && edges.kept !== edges.first;
  const page = late ? await read((edges.kept ?? 0) - 1) : first;
  const next = page.changes.at(-1)?.number ?? start ?? end;
  const views = page.changes.map((change) => viewChange(change, page.items, compiled));
  return { changes: each ? views : merged(views), schemaVersion, next };
}

/** What came behind the cursor is not told any more, or not stored. */
function refuseExpired(
  start: number,
  since: number,
  { first, nextAt }: { first: number | null; nextAt: number | null },
): void {
  const gone = first !== null && first > start + 1;
  if (gone || (nextAt !== null && nextAt < since)) throw problem.changesExpired();
}

export function viewChange(
  change: Change,
  items: ReadonlyMap<number, Parameters<typeof viewOf>[0]>,
  compiled: Compiled,
): ChangeView {
  const { itemId, action, version, at, actor } = change;
  const ids = new Set(change.fields);
  const keys = compiled.fields.list
    .filter(({ field }) => ids.has(field.id))
    .map(({ field }) => field.key);
  const item = items.get(change.item);
  return {
    id: itemId,
    type: changeType(action),
    version,
    at,
    by: actor,
    fields: ids.has(statusField) ? [...keys, "$status"] : keys,
    item: item ? viewOf(item, compiled) : null,
  };
}

/** The last change of each item, at its place, with the fields of all of its changes on the page. */
function merged(views: readonly ChangeView[]): ChangeView[] {
  const byItem = new Map<string, ChangeView>();
  for (const view of views) {
    const before = byItem.get(view.id);
    byItem.delete(view.id);
    if (!before) {
      byItem.set(view.id, view);
      continue;
    }
    const fields = [...new Set([...before.fields, ...view.fields])];
    const type = before.type === "created" && view.type === "updated" ? "created" : view.type;
    byItem.set(view.id, { ...view, type, fields });
  }
  return [...byItem.values()];
}
