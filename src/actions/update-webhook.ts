import type { Precondition } from "#domain/preconditions.ts";
import { nextVersion } from "#domain/timeline.ts";
import {
  listensTo,
  parseWebhook,
  webhookUpdateSchema,
  type Webhook,
  type WebhookSecret,
} from "#domain/webhook/webhook.ts";
import { loadFeedHeads, loadStartPositions, type StartPositions } from "#store/home/listeners.ts";
import { updateWebhookRow } from "#store/home/webhooks.ts";
import { auditRecord, type WebhookContext } from "./context.ts";
import { issueSigningSecret, limitPreviousSecrets } from "./deliveries.ts";
import { storeWithViews } from "./store-with-views.ts";
import { assertScopeReads, validateSelection } from "./webhook-entries.ts";
import {
  auditSubject,
  retryOnCurrentWebhook,
  uniqueFields,
  withoutDuplicates,
  type WebhookWithSecret,
} from "./webhooks.ts";

/** Merges the members of the body into the current webhook. Returns 412 if If-Match names another version. */
export function updateWebhook(
  ctx: WebhookContext,
  hook: Webhook,
  body: unknown,
  ifMatch: Precondition | null,
): Promise<WebhookWithSecret> {
  return retryOnCurrentWebhook(ctx, hook, ifMatch, async (before) => {
    const { databases } = ctx;
    const input = parseWebhook(webhookUpdateSchema(), body, ctx.allowsLocalReceivers);
    const { rotate_secret: rotation, changed_fields: changedFields, ...others } = input;
    const patch =
      changedFields === undefined
        ? others
        : { ...others, changedFields: uniqueFields(changedFields) };
    const patchedWebhook = applyPatch(ctx, before, patch);
    if (changesDelivery(patch)) await assertScopeReads(ctx, patchedWebhook);
    const check = () =>
      validateSelection(ctx, patchedWebhook, {
        collections: patch.collections !== undefined,
        changedFields: changedFields !== undefined,
      });
    const checked = await check();
    const newSecret = rotation ? await issueSigningSecret(ctx, before.id) : null;
    const after = newSecret
      ? { ...patchedWebhook, secrets: withSecret(ctx, before, newSecret.storedSecret, rotation) }
      : patchedWebhook;
    const resume = () => ctx.runAfterResponse(() => ctx.objects.resume(before.id));
    if (JSON.stringify(after) === JSON.stringify(before)) {
      // An active webhook may be waiting for its next attempt. Setting it to active again retries now.
      if (patch.state !== "active") return { hook: before, secret: null };
      resume();
      const isRetrying = before.state === "active" && before.retryAt !== null;
      return { hook: isRetrying ? { ...before, retryAt: ctx.now() } : before, secret: null };
    }
    const next = { ...after, updatedAt: ctx.now() };
    const startPositions = patch.collections ? await nextStartPositions(ctx, before, next) : null;
    const version = nextVersion(before.version, databases.timeline);
    const action = newSecret ? "webhook.rotate" : "webhook.change";
    const entry = auditRecord(ctx, action, auditSubject(before.id), { version });
    const isStored = await storeWithViews(ctx, {
      check,
      checked,
      store: (definitions) => updateWebhookRow(databases, next, startPositions, definitions, entry),
      undo: () => updateWebhookRow(databases, { ...before, version }, null, [], entry),
    });
    if (!isStored) return undefined;
    const isOnlyRenamed = Object.keys(input).every((name) => name === "name");
    if (next.state === "active" && !isOnlyRenamed) resume();
    return { hook: { ...next, version }, secret: newSecret?.secret ?? null };
  });
}

/** The secrets after a rotation. The previous one stays valid for the overlap. */
function withSecret(
  ctx: WebhookContext,
  before: Webhook,
  secret: WebhookSecret,
  rotation: { overlap_hours: number } | undefined,
): WebhookSecret[] {
  const overlapMs = (rotation?.overlap_hours ?? 0) * 3_600_000;
  return [...limitPreviousSecrets(before, ctx.now(), overlapMs), secret];
}

type WebhookPatch = Partial<
  Pick<
    Webhook,
    "name" | "url" | "types" | "collections" | "include" | "recalculations" | "changedFields"
  >
> & {
  state?: "active" | "paused";
};

/** Members that determine where messages go and what they contain. */
const deliveryFields = [
  "url",
  "types",
  "collections",
  "include",
  "recalculations",
  "changedFields",
] as const;

type SubmittedPatch = { [Name in keyof WebhookPatch]: WebhookPatch[Name] | undefined };

const changesDelivery = (patch: SubmittedPatch): boolean =>
  deliveryFields.some((name) => patch[name] !== undefined);

/** A caller that changes a delivery field becomes the maker. Messages contain only what the maker may read. */
function applyPatch(ctx: WebhookContext, before: Webhook, patch: SubmittedPatch): Webhook {
  const entries = Object.entries(patch).filter(([, value]) => value !== undefined);
  const after: Webhook = { ...before, ...(Object.fromEntries(entries) as WebhookPatch) };
  after.collections = withoutDuplicates(after.collections);
  after.types = [...new Set(after.types)];
  if (patch.state !== undefined) after.reason = null;
  if (after.state !== before.state) after.retryAt = null;
  if (!changesDelivery(patch)) return after;
  // The caller is authenticated, so its rights have not ended.
  return { ...after, maker: ctx.actor, makerRightsEndAt: Number.MAX_SAFE_INTEGER };
}

/**
 * Keeps the positions of collections that the webhook already listens to. New collections start at the end of their
 * feeds.
 */
async function nextStartPositions(
  ctx: WebhookContext,
  before: Webhook,
  after: Webhook,
): Promise<StartPositions> {
  const [previousPositions, feedHeads] = await Promise.all([
    loadStartPositions(ctx.databases.home, before.id),
    loadFeedHeads(ctx.databases, after),
  ]);
  const startPositions: StartPositions = {};
  for (const { id, kind, key, last } of feedHeads) {
    const start = listensTo(before, `${kind}:${key}`) ? previousPositions[id] : last;
    if (start !== undefined) startPositions[id] = start;
  }
  return startPositions;
}
