import { problem } from "#domain/problem/problem.ts";
import {
  parseDeliveryId,
  type Delivery,
  type DeliveryReport,
  createSigningSecret,
} from "#domain/webhook/delivery.ts";
import {
  type Webhook,
  collectionNames,
  findValidWebhookSecrets,
  maxWebhookSecrets,
  type WebhookSecret,
} from "#domain/webhook/webhook.ts";
import type { WebhookContext } from "./context.ts";
import type { Actor } from "#domain/audit.ts";
import {
  type Credential,
  isValidCredential,
  hasWholeAccess,
  type Resources,
} from "#domain/credential/credential.ts";
import {
  permissionsAllow,
  readPermission,
  type Permission,
  rightsOf,
} from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { findCredential } from "#store/home/credentials.ts";
import { findMember } from "#store/home/members.ts";
import { findWebhook, findWebhookAndCredential } from "#store/home/webhooks.ts";
import type { HomeDatabase } from "#store/db/database.ts";
import type { SigningKeys } from "#domain/credential/keys.ts";

/**
 * Returns the collections of the webhook that the caller can see. The caller sees only deliveries of these collections.
 */
function findVisibleCollections(
  { resources }: Pick<WebhookContext, "resources">,
  hook: Webhook,
): Resources {
  const collections = collectionNames(hook);
  if (collections === "all" || resources === "all")
    return collections === "all" ? resources : collections;
  return collections.filter((name) => resources.includes(name));
}

/** Lists deliveries, newest first. `nextPosition` is the number before which the next page starts; null at the end. */
export async function listDeliveries(
  ctx: WebhookContext,
  hook: Webhook,
  before: number | null,
  limit: number,
): Promise<DeliveryReport & { nextPosition: number | null }> {
  const collections = findVisibleCollections(ctx, hook);
  const report = await ctx.objects.report(hook.id, before, limit + 1, collections);
  const { deliveries: rows, failure } = report;
  const deliveries = rows.slice(0, limit);
  const nextPosition = rows.length > limit ? (deliveries.at(-1)?.number ?? null) : null;
  return { deliveries, failure, nextPosition };
}

/** Sends a test message now, even if the webhook is not active. */
export function testWebhook(ctx: WebhookContext, { id }: Webhook): Promise<Delivery> {
  return ctx.objects.test(id);
}

/** Sends a message again, built from the current webhook and item. */
export async function redeliver(
  ctx: WebhookContext,
  hook: Webhook,
  deliveryId: string,
): Promise<Delivery> {
  const number = parseDeliveryId(deliveryId);
  const delivery =
    number === undefined
      ? undefined
      : await ctx.objects.redeliver(hook.id, number, findVisibleCollections(ctx, hook));
  if (!delivery) throw problem.notFound();
  return delivery;
}

interface Rights {
  permissions: readonly Permission[];
  resources: Resources;
}

/**
 * Finds the current rights of a webhook's maker. Returns undefined if the credential has ended or the member was
 * removed.
 */
export async function findMakerRights(
  home: HomeDatabase,
  maker: Actor,
  now: number,
): Promise<Rights | undefined> {
  const { kind, id } = splitActor(maker);
  if (kind === "member") {
    const member = await findMember(home, id);
    return member && rightsOf(member.role);
  }
  return rightsOfCredential(await findCredential(home, id), now);
}

const splitActor = (maker: Actor) => {
  const [kind, id = ""] = maker.split(":");
  return { kind, id };
};

const rightsOfCredential = (credential: Credential | undefined, now: number) =>
  credential && isValidCredential(credential, now) ? credential : undefined;

/** Finds a webhook and the current rights of its maker, in one read if the maker is a credential. */
export async function findWebhookAndRights(
  home: HomeDatabase,
  hookId: string,
  maker: Actor,
  now: number,
): Promise<{ hook: Webhook | undefined; rights: Rights | undefined }> {
  const { kind, id } = splitActor(maker);
  if (kind === "member") {
    const [hook, rights] = await Promise.all([
      findWebhook(home, hookId),
      findMakerRights(home, maker, now),
    ]);
    return { hook, rights };
  }
  const { hook, credential } = await findWebhookAndCredential(home, hookId, id);
  return { hook, rights: rightsOfCredential(credential, now) };
}

export function canDeliver(
  { permissions, resources }: Rights,
  kind: CollectionKind,
  key: string,
): boolean {
  return (
    permissionsAllow(permissions, readPermission[kind]) && hasWholeAccess(resources, kind, key)
  );
}

/** Signing needs the secret itself, so the database stores the secret sealed and bound to its webhook. */
const buildSealSubject = (id: string) => `webhook ${id}`;

export async function issueSigningSecret(
  ctx: WebhookContext,
  id: string,
): Promise<{ secret: string; storedSecret: WebhookSecret }> {
  const secret = createSigningSecret(ctx.random.bytes(32));
  const sealed = await ctx.keys.seal(secret, buildSealSubject(id));
  return { secret, storedSecret: { sealed, created_at: ctx.now(), expires_at: null } };
}

/** Returns the previous secrets that stay valid in addition to a new one, with their expiry limited to the overlap. */
export function limitPreviousSecrets(
  hook: Webhook,
  now: number,
  overlapMs: number,
): WebhookSecret[] {
  const overlapEnd = now + overlapMs;
  return findValidWebhookSecrets(hook, now)
    .slice(1 - maxWebhookSecrets)
    .map((secret) => ({
      ...secret,
      expires_at: Math.min(secret.expires_at ?? overlapEnd, overlapEnd),
    }))
    .filter(({ expires_at }) => expires_at > now);
}

/** Opens the valid secrets, newest first. Omits a secret when the key that sealed it was removed. */
export async function openSecrets(
  keys: SigningKeys,
  hook: Webhook,
  now: number,
): Promise<string[]> {
  const secrets = findValidWebhookSecrets(hook, now).toReversed();
  const openedSecrets = await Promise.all(
    secrets.map(({ sealed }) => keys.open(sealed, buildSealSubject(hook.id))),
  );
  return openedSecrets.filter((secret) => secret !== undefined);
}
