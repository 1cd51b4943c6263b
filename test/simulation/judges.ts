import { findInconsistentRows } from "../faults/checks.ts";
import { judgeShown } from "./clients/visibility.ts";
import type { Change, History, SeenAs } from "./history.ts";
import type { ReceivedMessage } from "./platform/services.ts";
import { allCollections, retainDays } from "./definitions.ts";
import type { Instance } from "./platform/objects.ts";
import { hookUrls, smallLimits, type World } from "./world.ts";

/**
 * Less than a minute. The clocks of two places differ by up to 2 s, and a response arrives a moment after the decision.
 */
const windowMs = 60_000 - 2200;

/**
 * The maximum time until a row reaches the disk. A response to a read does not wait for it, so the end of an instance
 * may lose one read (docs/adr/0007-reservations.md).
 */
const unstoredMs = 100;

/** Judges which requests the object of the credential with small limits admits. */
export function watchLimits(world: World, history: History): void {
  const admitted = new Map<string, AdmittedRequest[]>();
  world.objects.observe = (actor, instance, method, result) => {
    const { verdict, grant, ticket } = (result ?? {}) as {
      verdict?: string;
      grant?: { limits: { requests: number; writes: number } };
      ticket?: number | null;
    };
    if (
      method !== "admit" ||
      verdict !== "admitted" ||
      grant?.limits.requests !== smallLimits.requests
    )
      return;
    const { now } = world.scheduler;
    const requests = [
      ...(admitted.get(actor.name) ?? []),
      { at: now, isWrite: ticket !== null, instance },
    ].filter(({ at }) => at > now - windowMs);
    admitted.set(actor.name, requests);
    const lost = new Set(requests.map((request) => findLostRead(request.instance, requests)));
    const recent = requests.filter((request) => !lost.has(request));
    const writes = recent.filter(({ isWrite }) => isWrite).length;
    if (recent.length > smallLimits.requests)
      history.wrong(`${recent.length} requests were admitted within a minute`);
    if (writes > smallLimits.writes)
      history.wrong(`${writes} writes were admitted within a minute`);
  };
}

interface AdmittedRequest {
  at: number;
  isWrite: boolean;
  instance: Instance;
}

/**
 * Returns the one read that the end of an instance may have lost. An instance that no longer owns the
 * storage may still admit the read that it was working on.
 */
function findLostRead(instance: Instance, requests: AdmittedRequest[]) {
  return requests.findLast(
    (request) =>
      request.instance === instance &&
      !request.isWrite &&
      request.at > instance.storage.closedAt - unstoredMs,
  );
}

/** The interval of erasures in the schedule, if one run is skipped. */
const eraseEveryMs = 11 * 60_000;

/** Returns what is wrong with the stored and delivered data once all activity has ended. */
export function findFinalErrors(world: World, history: History): string[] {
  const errors = [...findUnerased(world, history), ...findWrongDeliveries(world, history)];
  return errors.length > 0 ? errors : findWrongRows(world);
}

function findWrongRows(world: World): string[] {
  const hasSeveral = world.databases.size > 1;
  const rows = [...world.databases.values()].flatMap((db) =>
    findInconsistentRows((sql) => db.select(sql)),
  );
  const isJudged = (row: string) => {
    const isByVersion = /^(an item|a definition) with missing|^a change that does not point/.test(
      row,
    );
    // These queries join tables that are in different databases or split over several ones.
    if (hasSeveral && /listener flag|^a definition with missing/.test(row)) return false;
    // Versions are not consecutive after a restore.
    return !(isByVersion && world.timeline.restores > 0);
  };
  return rows.filter(isJudged).map((row) => `stored: ${row}`);
}

function findUnerased({ scheduler }: World, history: History): string[] {
  const expired = scheduler.now - retainDays * 86_400_000 - eraseEveryMs;
  return history
    .live("diary")
    .filter(({ createdAt, states }) => createdAt < expired && states.at(-1)?.status === "closed")
    .map(({ id }) => `stored: ${id}, which has expired`);
}

const isDelivered = ({ status }: ReceivedMessage) => status !== null && status < 300;

function findWrongDeliveries(world: World, history: History): string[] {
  const errors: string[] = [];
  for (const [index, url] of hookUrls.entries()) {
    const messages = world.receivers.messages.filter((message) => message.url === url);
    for (const { key } of allCollections) {
      if (index === 1 && key !== "parcels") continue;
      if (index === 2 && key !== "orders") continue;
      // Webhooks send nothing about a form while it is deleted.
      if (key === "polls" && history.deletions.at(-1)?.isDeleted) continue;
      const expected = (history.changes.get(key) ?? []).flatMap((change) => {
        const type = sentTypes[index]?.(change) ?? null;
        return change.commit > 0 && type !== null ? [{ change, type }] : [];
      });
      const what = `the webhook ${index + 1} of ${key}`;
      errors.push(...findFeedErrors(what, expected, messages));
    }
  }
  for (const { body } of world.receivers.messages) {
    const { id, version } = body.data;
    if (!history.wasCommitted(id, version))
      errors.push(`a webhook got ${id} version ${version}, which was never committed`);
  }
  return errors;
}

const typeOf = ({ action }: Change): SeenAs => {
  if (action.endsWith(".create")) return "created";
  return /\.(delete|erase)$/.test(action) ? "deleted" : "updated";
};

/** The event that each webhook sends for a change. Null if it sends none. */
const sentTypes: ((change: Change) => SeenAs | null)[] = [
  typeOf,
  (change) => (change.action === "record.update" ? "updated" : null),
  ({ seenAs }) => seenAs,
];

/** Judges the messages of the webhook that follows the view of the orders. */
export function watchViewHook(world: World, history: History): void {
  world.receivers.onMessage = ({ url, body: { data } }) => {
    if (url !== hookUrls[2]) return;
    const what = `the webhook of the view, with ${data.type} ${data.id} version ${data.version},`;
    if (!history.wasSeen(data.id, data.version, data.type))
      history.wrong(`${what} sends a change that the view hides`);
    if (data.item) judgeShown(history, what, data.item, 0, world.moment);
  };
}

/**
 * Requires that every change arrives, and that the first attempt of each one comes after the delivery of the previous
 * one. Returns the errors.
 */
function findFeedErrors(
  what: string,
  expected: readonly { change: Change; type: SeenAs }[],
  messages: readonly ReceivedMessage[],
): string[] {
  const errors: string[] = [];
  let previous = -1;
  for (const { change, type } of expected) {
    // After a restore, a change may equal one from the undone time.
    const matches = ({ at, body: { data } }: ReceivedMessage) =>
      at >= change.at &&
      data.id === change.id &&
      data.version === change.version &&
      data.type === type;
    const first = messages.findIndex((message) => matches(message));
    const delivered = messages.findIndex((message) => matches(message) && isDelivered(message));
    if (delivered === -1)
      return [...errors, `${what} never got ${change.id} version ${change.version}`];
    if (first < previous)
      errors.push(
        `${what} got ${change.id} version ${change.version} before the previous change was delivered`,
      );
    previous = delivered;
  }
  return errors;
}
