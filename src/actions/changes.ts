import { showValue, type Value } from "#domain/data/values.ts";
import { statusField, type FieldChange, type HistoryEntry, type ItemHistory, changeType, type ChangeView } from "#domain/item/change.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { readHistory, type PastChange, type Change } from "#store/data/changes.ts";
import type { ActionContext, ReadContext } from "./context.ts";
import { visibleWithHistory, type Found, type Stored } from "./visible.ts";
import type { Compiled } from "#domain/data/compile.ts";
import { viewOf, numbersOf } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { readFeed } from "#store/data/feed.ts";
import { pageBytes } from "#store/data/search/cost.ts";
import { readCurrent } from "./create-item.ts";

/** The last 100 changes, as far as they are kept. */
const most = { limit: 100, bytes: 1_000_000 };

/** Who changed which field of an item from what to what. */
export async function itemHistory(ctx: ActionContext, stored: Stored): Promise<ItemHistory> {
  const { lastChange } = stored.item;
  if (lastChange === null) return historyOf(stored, []);
  return historyOf(stored, await readHistory(ctx.db, { from: lastChange, ...most }));
}

/** An item of this app or form, with the same. */
export async function itemWithHistory(
  ctx: ActionContext,
  name: { kind: CollectionKind; key: string; id: string },
): Promise<{ found: Found; history: ItemHistory }> {
  const { found, past } = await visibleWithHistory(ctx, name, most);
  return { found, history: historyOf(found, past) };
}

function historyOf({ item, compiled }: Stored, past: readonly PastChange[]): ItemHistory {
  if (item.lastChange === null) return { entries: [], older: item.version > 1 };
  // What a field holds behind the change that is looked at: what it held before the next one that changed it.
  const held = new Map<string, Value | null>(Object.entries(item.data));
  held.set(String(statusField), item.status);
  const entries = past.map(
    ({ version, at, actor: by, actorName: byName, action, former }): HistoryEntry => {
      const isCreation = action.endsWith(".create");
      const fields = former && fieldChanges(compiled, former, held);
      return { version, at, by, byName, action, fields: isCreation ? [] : fields };
    },
  );
  const oldest = past.at(-1);
  return { entries, older: oldest !== undefined && oldest.version > 1 };
}

function fieldChanges(
  { fields }: Stored["compiled"],
  former: Record<string, Value | null>,
  held: Map<string, Value | null>,
): FieldChange[] {
  const changed = fields.list
    .filter(({ slot }) => slot in former)
    .map((field): FieldChange => {
      const { key, label } = field.field;
      const show = (value: Value | null | undefined) => showValue(field, value ?? undefined);
      return { key, label, from: show(former[field.slot]), to: show(held.get(field.slot)) };
    });
  const status = String(statusField);
  if (status in former) {
    const [from, to] = [former[status] ?? null, held.get(status) ?? null];
    changed.push({ key: "$status", label: "Status", from, to });
  }
  for (const [slot, value] of Object.entries(former)) held.set(slot, value);
  return changed;
}

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
