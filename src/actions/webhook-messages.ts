import type { CompiledCollection } from "#domain/data/compile.ts";
import { narrowCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import type { ChangeView } from "#domain/item/change.ts";
import type { Clock } from "#domain/ports.ts";
import { keyMarkStart, readMarksOfKey } from "#domain/item/view-marks.ts";
import { findView } from "#domain/search/view.ts";
import {
  findChangedIds,
  findWebhookEvent,
  listLimitedActions,
  listReportedActions,
} from "#domain/webhook/events.ts";
import { followedView, type Webhook, type WebhookType } from "#domain/webhook/webhook.ts";
import { loadNextChange, type ChangeFilter } from "#store/data/next-change.ts";
import { toChangeView } from "./change-views.ts";
import {
  findCachedStamp,
  loadCollectionOfHead,
  type CollectionSource,
} from "./collection-cache.ts";
import { seesItem } from "./sees-item.ts";

/** A message about one change, in the format of the change feed. */
export interface WebhookMessage {
  type: WebhookType;
  collection: string;
  /** The number of the change. */
  number: number;
  change: ChangeView;
  /** Whether the item entered the webhook's view with this change. */
  hasEntered: boolean;
}

interface NextMessage {
  message: WebhookMessage | null;
  /** The last change that was scanned. */
  scannedThrough: number;
  isAtEnd: boolean;
}

/** A collection by its id, and by the name under which the webhook listens to it. */
interface Source {
  id: number;
  name: string;
}

/**
 * Loads the next change that the webhook sends. All changes up to `scannedThrough` have been scanned. A deleted
 * collection counts as being at its end. After a restore, the scan continues there.
 */
export async function loadNextMessage(
  source: CollectionSource & { clock: Clock },
  hook: Webhook,
  { id, name }: Source,
  after: number,
  limitedFields: ReadonlySet<number> | null = null,
): Promise<NextMessage> {
  const view = followedView(hook, name);
  const filter: ChangeFilter = {
    actions: listReportedActions(hook),
    viewMark: view === undefined ? null : keyMarkStart(view),
    // With a view, other changes may be events too, because items can leave the view.
    limited:
      limitedFields && view === undefined
        ? { actions: listLimitedActions(hook), fields: [...limitedFields] }
        : null,
  };
  const stamp = findCachedStamp(source.memory, id);
  const next = await loadNextChange(source.databases.of({ id }), after, filter, stamp);
  if (!next.head) return { message: null, scannedThrough: after, isAtEnd: true };
  const { change, item, outdated, scannedThrough, isAtEnd } = next;
  if (!change) return { message: null, scannedThrough, isAtEnd };
  const whole = await loadCollectionOfHead(source, next.head);
  const { kind, key, definition } = whole.collection;
  const matched = view === undefined ? null : readMarksOfKey(change.views, view, hook.maker);
  const changedIds = hook.changedFields && findChangedIds(definition.fields, hook.changedFields);
  const event = findWebhookEvent(hook, change, matched, changedIds);
  if (!event) {
    // The fields are known now, so the database can skip all other changes at once.
    if (changedIds && !limitedFields && view === undefined)
      return loadNextMessage(source, hook, { id, name }, scannedThrough, changedIds);
    return { message: null, scannedThrough, isAtEnd };
  }
  const { type, hasEntered, hasLeft } = event;
  const access = reachThroughView(whole, view, hook);
  const now = () => source.clock.now();
  const isShown =
    hook.include === "item" && item !== null && seesItem({ now }, access, item, outdated);
  const entry = toChangeView(change, isShown ? item : null, access);
  const message = {
    type,
    collection: `${kind}:${key}`,
    number: change.number,
    change: hasLeft ? ({ ...entry, type: "left" } as const) : entry,
    hasEntered,
  };
  return { message, scannedThrough, isAtEnd };
}

/** Returns what messages contain of a collection: the fields of the view, or nothing if the view no longer exists. */
function reachThroughView(
  whole: CompiledCollection,
  key: string | undefined,
  { maker }: Webhook,
): CollectionAccess {
  if (key === undefined) return whole;
  const view = findView(whole.collection, key);
  return narrowCollection(whole, view ?? { key, name: key, fields: [] }, maker);
}
