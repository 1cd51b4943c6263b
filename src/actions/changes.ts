import type { ItemWithHistory } from "#store/data/item-history.ts";
import { presentValue, type Value } from "#domain/data/values.ts";
import {
  statusFieldId,
  type FieldChange,
  type HistoryEntry,
  type ItemHistory,
  type ChangeView,
} from "#domain/item/change.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { loadHistory, type PastChange } from "#store/data/changes.ts";
import { resolveCollection } from "./collection-cache.ts";
import type { ActionContext, ReadContext } from "./context.ts";
import {
  changesInView,
  feedMark,
  mergeByItem,
  seenChanges,
  ShownChanges,
  type ShowChange,
} from "./change-views.ts";
import { accessCurrentCollection } from "./caller-access.ts";
import type { FeedPosition } from "./read.ts";
import { getItemWithChanges, type LoadedItem, type StoredItem } from "./visible.ts";
import type { CollectionAccess, CompiledCollection } from "#domain/data/compile.ts";
import { wholeCollection } from "#domain/data/narrow.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { assertPositionIn, maxPageLimit } from "#domain/cursor.ts";
import { lowestSequence } from "#domain/timeline.ts";
import { loadFeedPage, type FeedPage } from "#store/data/feed.ts";
import { maxPageBytes } from "#store/data/search/budget.ts";
import { cachedStampsJson } from "#store/data/definition-head.ts";
import { retryOnConflict } from "./idempotent.ts";
import { findReplacement } from "./query-items.ts";
import { assertCalculated } from "./search-checks.ts";

/** A history has at most the last 100 stored changes. */
const historyLimits = { limit: 100, maxBytes: 1_000_000 };

/** Loads the changes of an item, with the actor and each field's value before and after. */
export async function loadItemHistory(
  ctx: ActionContext,
  stored: StoredItem,
): Promise<ItemHistory> {
  const { lastChange } = stored.item;
  if (lastChange === null) return buildHistory(stored, []);
  const { collection } = stored.compiled;
  const range = { from: lastChange, ...historyLimits };
  return buildHistory(stored, await loadHistory(ctx.databases, collection, range));
}

/** Returns an item of this app or form with its history. */
export async function getItemWithHistory(
  ctx: ActionContext,
  name: { kind: CollectionKind; key: string; id: string },
): Promise<
  { loaded: LoadedItem; history: ItemHistory } & Pick<ItemWithHistory, "titles" | "referrers">
> {
  const { changes, ...shown } = await getItemWithChanges(ctx, name, historyLimits);
  return { ...shown, history: buildHistory(shown.loaded, changes) };
}

function buildHistory(
  { item, compiled: access }: StoredItem,
  changes: readonly PastChange[],
): ItemHistory {
  if (item.lastChange === null) return { entries: [], hasOlder: item.version > 1 };
  // Changes are ordered from newest to oldest. This map contains the field values after the current change.
  const valuesAfter = new Map<string, Value | null>(Object.entries(item.data));
  valuesAfter.set(String(statusFieldId), item.status);
  const entries = changes.map(
    ({ version, at, actor: by, actorName: byName, action, former }): HistoryEntry => {
      const isCreation = action.endsWith(".create");
      const fields = former && buildFieldChanges(access, former, valuesAfter);
      return { version, at, by, byName, action, fields: isCreation ? [] : fields };
    },
  );
  const oldest = changes.at(-1);
  return { entries, hasOlder: oldest !== undefined && !oldest.action.endsWith(".create") };
}

/**
 * Returns the changed fields with their values before and after. Sets `valuesAfter` back to the values before the
 * change.
 */
export function buildFieldChanges(
  { fields }: StoredItem["compiled"],
  former: Record<string, Value | null>,
  valuesAfter: Map<string, Value | null>,
): FieldChange[] {
  const fieldDiffs = fields.list
    .filter(({ slot }) => slot in former)
    .map((field): FieldChange => {
      const { key, label } = field.field;
      const present = (value: Value | null | undefined) => presentValue(field, value ?? undefined);
      return {
        key,
        label,
        from: present(former[field.slot]),
        to: present(valuesAfter.get(field.slot)),
      };
    });
  const status = String(statusFieldId);
  if (status in former) {
    const [from, to] = [former[status] ?? null, valuesAfter.get(status) ?? null];
    fieldDiffs.push({ key: "$status", label: "Status", from, to });
  }
  for (const [slot, value] of Object.entries(former)) valuesAfter.set(slot, value);
  return fieldDiffs;
}

/** The feed omits older changes. */
const feedRetentionMs = 30 * 24 * 60 * 60 * 1000;

export interface ChangesPage {
  collectionId: number;
  changes: ChangeView[];
  schemaVersion: number;
  /** The number after which the next page starts: the last change on this page, or the end of the feed. */
  nextPosition: number;
  /** Identifies the part of the feed that the reader sees (`feedMark`). */
  mark: string;
  /** The time until which a narrow reader has seen the feed, in milliseconds since 1970; 0 for other readers. */
  seenUntil: number;
}

/** The start of a scan: after the number of a change, at the end, or at the oldest available change (null). */
export type FeedStart = FeedPosition | "now" | null;

interface FeedQuery {
  start: FeedStart;
  limit: number;
  each: boolean;
}

/**
 * Lists the changes of a collection in commit order. Merges the changes of one item on a page into one, unless `each`
 * is set.
 */
export async function listChanges(
  ctx: ReadContext,
  cached: CompiledCollection,
  query: FeedQuery,
): Promise<ChangesPage> {
  let compiled = cached;
  return retryOnConflict(ctx, async () => {
    const access = await accessCurrentCollection(ctx, compiled);
    compiled = wholeCollection(access);
    const page = await scanChanges(ctx, access, query).catch(async (error: unknown) => {
      if (error instanceof OutdatedDefinition) return { current: error.current };
      return { current: await findReplacement(ctx, access, error) };
    });
    if (!("current" in page)) return page;
    compiled = page.current;
    return undefined;
  });
}

/** A read of the feed found a newer definition, in which a view may hide what the older one shows. */
class OutdatedDefinition extends Error {
  readonly current: CompiledCollection;

  constructor(current: CompiledCollection) {
    super("The definition changed.");
    this.current = current;
  }
}

/** Each read returns the head of the definition, so that no page shows data by an older one. */
function pageLoader(
  ctx: ReadContext,
  compiled: CompiledCollection,
  mark: string,
  since: number,
): LoadPage {
  const { collection } = compiled;
  const seen = seenChanges(ctx, compiled, mark);
  return async (after, count) => {
    const limits = { limit: count, maxBytes: maxPageBytes, since };
    const db = ctx.databases.of(collection);
    const page = await loadFeedPage(db, after, seen, limits, cachedStampsJson([collection]));
    const { head } = page.head;
    const current = resolveCollection(ctx, compiled, head);
    if (head.freshCollection) throw new OutdatedDefinition(current);
    return page;
  };
}

async function scanChanges(
  ctx: ReadContext,
  access: CollectionAccess,
  { start, limit, each }: FeedQuery,
): Promise<ChangesPage> {
  const compiled = wholeCollection(access);
  const position = typeof start === "object" ? start : null;
  const isNarrow = access.extent === "narrow";
  const since = ctx.now() - feedRetentionMs;
  const mark = feedMark(ctx, compiled);
  const loadPage = pageLoader(ctx, compiled, mark, since);
  const firstLimit = isNarrow ? maxPageLimit : limit;
  const firstPage = await loadPage(position?.number ?? null, firstLimit);
  assertCalculated(ctx, access, firstPage.head.unindexed.outdated);
  const { edges } = firstPage;
  const { id: collectionId, version: schemaVersion } = access.collection;
  if (position) {
    assertPositionIn(collectionId, [position.number]);
    // The view of the reader has changed since the service issued the cursor.
    if (position.mark !== mark) throw problem.changesExpired();
    assertNotExpired(position, since, edges);
  }
  const { timeline } = ctx.databases;
  const end =
    edges.last ?? itemNumberRange(collectionId).above + Math.max(0, lowestSequence(timeline) - 1);
  const seenNow = isNarrow ? ctx.now() : 0;
  const common = { collectionId, schemaVersion, mark };
  if (start === "now") return { ...common, changes: [], nextPosition: end, seenUntil: seenNow };
  // The oldest stored changes are older than the retention time, so the page starts after them.
  const hasExpired = start === null && edges.firstKept !== null && edges.firstKept !== edges.first;
  const firstShown = hasExpired
    ? await loadPage((edges.firstKept ?? 0) - 1, firstLimit)
    : firstPage;
  const origin = { number: position?.number ?? end, at: seenNow };
  const show = changesInView(ctx, access);
  const shown = new ShownChanges(limit, access);
  const maxScanned = isNarrow ? maxScannedChanges : 0;
  const scan = { firstShown, origin, end, show, loadPage, maxScanned };
  const last = await fillFeedPage(shown, scan);
  const changes = each ? shown.views : mergeByItem(shown.views);
  return { ...common, changes, nextPosition: last.number, seenUntil: isNarrow ? last.at : 0 };
}

type LoadPage = (after: number | null, count: number) => Promise<FeedPage>;

interface FeedScan {
  firstShown: FeedPage;
  /** The start of the scan. For narrow readers, `at` is the current time. */
  origin: { number: number; at: number };
  end: number;
  show: ShowChange;
  loadPage: LoadPage;
  /** The reader scans further pages until this many changes are scanned. */
  maxScanned: number;
}

/**
 * Scans until the page is full or the feed ends, so that the length of a page does not reveal the number of hidden
 * changes. Returns the position of the next page, and the time until which the reader has seen the feed.
 */
async function fillFeedPage(
  shown: ShownChanges,
  { firstShown, origin, end, show, loadPage, maxScanned }: FeedScan,
): Promise<FeedScan["origin"]> {
  let page = firstShown;
  let last = origin;
  let scannedCount = 0;
  let markBytes = 0;
  for (;;) {
    for (const change of page.changes) {
      const view = show(change, page.items);
      if (view) shown.add(change, view, page.items.get(change.item));
    }
    if (shown.isFull) return shown.last;
    const { scanned } = page;
    last = scanned.last ?? last;
    if (scanned.last === null || last.number >= end) return { ...last, at: origin.at };
    scannedCount += scanned.count;
    markBytes += scanned.markBytes;
    if (scannedCount >= maxScanned || markBytes >= maxMarkBytes) return last;
    page = await loadPage(last.number, Math.min(scansPerRead, maxScanned - scannedCount));
  }
}

/** The number of changes that one request scans for a narrow reader, and the number that one read scans. */
const maxScannedChanges = 10_000;
const scansPerRead = 1000;
/** A request starts no further read after this many bytes of marks. The changes of a form with many views have 20 KB each. */
const maxMarkBytes = 16_000_000;

/**
 * Throws when changes after the cursor have expired or were deleted. For a narrow reader, the age of the cursor
 * decides, because hidden changes must not expire it.
 */
function assertNotExpired(
  { number, seenUntil }: FeedPosition,
  since: number,
  { first, nextAt }: { first: number | null; nextAt: number | null },
): void {
  const isDeleted = first !== null && first > number + 1;
  const hasExpired =
    seenUntil > 0 ? seenUntil < since : isDeleted || (nextAt !== null && nextAt < since);
  if (hasExpired) throw problem.changesExpired();
}
