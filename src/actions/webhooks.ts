import type { DeliveryHealth } from "#domain/webhook/delivery.ts";
import { problem } from "#domain/problem/problem.ts";
import {
  type Webhook,
  parseWebhook,
  webhookCreateSchema,
  maxWebhooks,
} from "#domain/webhook/webhook.ts";
import {
  findWebhook,
  listWebhooks,
  deleteWebhookRow,
  insertWebhook,
} from "#store/home/webhooks.ts";
import { type WebhookContext, auditRecord } from "./context.ts";
import { matchesVersion } from "#domain/definition/validate.ts";
import { formatWebhookEtag } from "#domain/webhook/status.ts";
import type { Precondition } from "#domain/preconditions.ts";
import {
  loadDeletedWebhookIds,
  purgeDeletedWebhook,
  loadCurrentPositions,
} from "#store/home/listeners.ts";
import { retryOnConflict } from "./idempotent.ts";
import { storeWithViews } from "./store-with-views.ts";
import { assertScopeReads, validateSelection, isVisibleEntry } from "./webhook-entries.ts";
import { issueSigningSecret } from "./deliveries.ts";
import { limitViews } from "./limit-views.ts";
import { visibleLabels, type Reader } from "./operand-names.ts";
import { findWebhookWithLabels } from "#store/home/webhook-labels.ts";
import type { LabelChoice } from "#store/home/label-sql.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

type VisibilityContext = Pick<WebhookContext, "actor" | "resources">;

/** The caller sees its own webhooks, and webhooks that listen only to collections visible to it. */
function canSee({ actor, resources }: VisibilityContext, { maker, collections }: Webhook): boolean {
  if (maker === actor || resources === "all") return true;
  return collections !== "all" && collections.every((name) => isVisibleEntry(resources, name));
}

/** Returns the webhooks that the caller can see. */
export function filterVisible(ctx: VisibilityContext, hooks: readonly Webhook[]): Webhook[] {
  return hooks.filter((hook) => canSee(ctx, hook));
}

function requireVisibleWebhook(ctx: VisibilityContext, hook: Webhook): Webhook {
  if (!canSee(ctx, hook)) throw problem.notFound();
  return hook;
}

type DatabaseContext = Pick<WebhookContext, "databases">;

/** Lists all webhooks in creation order, without checking what the caller can see. */
export const listAllWebhooks = ({ databases }: DatabaseContext): Promise<Webhook[]> =>
  listWebhooks(databases.home);

/** Loads the webhook without checking whether the caller can see it. */
export async function loadWebhook({ databases }: DatabaseContext, id: string): Promise<Webhook> {
  const hook = await findWebhook(databases.home, id);
  if (!hook) throw problem.notFound();
  return hook;
}

async function listVisibleWebhooks(ctx: WebhookContext): Promise<Webhook[]> {
  return filterVisible(ctx, await listAllWebhooks(ctx));
}

/** The maximum number of objects that a list asks for their health, all in parallel. */
const maxAskedObjects = 50;

/** Lists webhooks with the health of their deliveries. The health is null if the object does not respond. */
export async function listWebhooksWithHealth(
  ctx: WebhookContext,
): Promise<{ hook: Webhook; health: DeliveryHealth | null }[]> {
  const hooks = await listVisibleWebhooks(ctx);
  return Promise.all(
    hooks.map(async (hook, index) => {
      const isAsked = index < maxAskedObjects;
      const health = isAsked ? await ctx.objects.health(hook.id).catch(() => null) : null;
      return { hook, health };
    }),
  );
}

export async function getWebhook(ctx: WebhookContext, id: string): Promise<Webhook> {
  return requireVisibleWebhook(ctx, await loadWebhook(ctx, id));
}

/** Loads a webhook for members, who can see all webhooks, with the labels of all apps and forms. */
export async function getWebhookWithLabels(
  ctx: WebhookContext & Reader,
  id: string,
  choice: LabelChoice | null = null,
) {
  const foundWebhook = await findWebhookWithLabels(ctx.databases, id, choice);
  if (!foundWebhook) throw problem.notFound();
  const { stored, found } = foundWebhook;
  const labels = visibleLabels(ctx, stored);
  return { ...found, collectionLabels: limitViews(labels, found.hook.collections, choice) };
}

/** A webhook with its newest secret, if this call created it. The secret is shown only once. */
export interface WebhookWithSecret {
  hook: Webhook;
  secret: string | null;
}

export const auditSubject = (id: string) => `webhook:${id}`;

export async function createWebhook(
  ctx: WebhookContext,
  body: unknown,
): Promise<WebhookWithSecret> {
  const input = parseWebhook(webhookCreateSchema(), body, ctx.allowsLocalReceivers);
  await assertScopeReads(ctx, input);
  const changedFields = uniqueFields(input.changed_fields);
  const selection = { collections: input.collections, changedFields };
  const check = () => validateSelection(ctx, selection, { collections: true, changedFields: true });
  const checked = await check();
  const id = `whk_${ctx.newId()}`;
  const { secret, storedSecret } = await issueSigningSecret(ctx, id);
  const now = ctx.now();
  const hook: Webhook = {
    id,
    version: 1,
    name: input.name,
    url: input.url,
    types: [...new Set(input.types)],
    collections: withoutDuplicates(input.collections),
    include: input.include ?? "item",
    recalculations: input.recalculations ?? true,
    changedFields,
    state: "active",
    reason: null,
    secrets: [storedSecret],
    maker: ctx.actor,
    createdAt: now,
    updatedAt: now,
    retryAt: null,
    lastError: null,
    makerRightsEndAt: Number.MAX_SAFE_INTEGER,
  };
  const starts = await loadCurrentPositions(ctx.databases, hook);
  const entry = auditRecord(ctx, "webhook.create", auditSubject(id), { version: 1 });
  const isStored = await storeWithViews(ctx, {
    check,
    checked,
    store: (definitions) =>
      insertWebhook(ctx.databases, hook, { starts, maxWebhooks }, definitions, entry),
    undo: () => deleteWebhookRow(ctx.databases, hook, { ...entry, action: "webhook.delete" }),
  });
  if (!isStored) throw tooManyWebhooksProblem();
  return { hook, secret };
}

function tooManyWebhooksProblem() {
  const reason = reasonFor("tooManyWebhooks", { maximum: maxWebhooks });
  return problem.invalidInput([
    { field: "webhooks", code: "too_large", reason, maximum: maxWebhooks },
  ]);
}

export const uniqueFields = (keys: readonly string[] | null | undefined) =>
  keys ? [...new Set(keys)] : null;

export const withoutDuplicates = (collections: Webhook["collections"]) =>
  collections === "all" ? collections : [...new Set(collections)];

export async function deleteWebhook(
  ctx: WebhookContext,
  hook: Webhook,
  ifMatch: Precondition | null,
): Promise<void> {
  await retryOnCurrentWebhook(ctx, hook, ifMatch, async (before) => {
    const entry = auditRecord(ctx, "webhook.delete", auditSubject(before.id), {
      version: before.version,
    });
    return (await deleteWebhookRow(ctx.databases, before, entry)) || undefined;
  });
  ctx.runAfterResponse(() => forgetWebhook(ctx, hook.id));
}

type CleanupContext = Pick<WebhookContext, "databases" | "objects">;

/** Deletes the row only after the Durable Object has deleted its data. */
async function forgetWebhook({ databases, objects }: CleanupContext, id: string): Promise<void> {
  await objects.forget(id);
  await purgeDeletedWebhook(databases.home, id);
}

/** Cleans up deleted webhooks whose data still exists. */
export async function sweepWebhooks(ctx: CleanupContext): Promise<void> {
  for (const id of await loadDeletedWebhookIds(ctx.databases.home)) await forgetWebhook(ctx, id);
}

export async function retryOnCurrentWebhook<T>(
  ctx: WebhookContext,
  hook: Webhook,
  ifMatch: Precondition | null,
  write: (before: Webhook) => Promise<T | undefined>,
): Promise<T> {
  let current = hook;
  return retryOnConflict(ctx, async () => {
    if (ifMatch && !matchesVersion(ifMatch, current.version))
      throw problem.versionMismatch(formatWebhookEtag(current, ctx.now()));
    const result = await write(current);
    if (result === undefined) current = await getWebhook(ctx, current.id);
    return result;
  });
}
