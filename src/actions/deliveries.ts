import { problem } from "#domain/problem/problem.ts";
import { deliveryNumber, type Delivery, type DeliveryReport, makeSigningSecret } from "#domain/webhook/delivery.ts";
import { type Webhook, actionsTold, typeTold, type WebhookType, liveWebhookSecrets, mostSecrets, type WebhookSecret } from "#domain/webhook/webhook.ts";
import type { WebhookContext } from "./context.ts";
import type { Actor } from "#domain/audit.ts";
import { isLive, isVisible, type Resources } from "#domain/credential/credential.ts";
import { allows, readPermission, type Permission, rightsOf } from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { ChangeView } from "#domain/item/change.ts";
import { findCredential } from "#store/home/credentials.ts";
import { findMember } from "#store/home/members.ts";
import { nextChange } from "#store/data/feed.ts";
import { viewChange } from "./changes.ts";
import { collectionAt, knownStamp } from "./collection-cache.ts";
import type { SigningKeys } from "#domain/credential/keys.ts";

/** A page of what was tried; `more` is the number to go on before, null at the end. */
export async function listDeliveries(
  ctx: WebhookContext,
  { id }: Webhook,
  before: number | null,
  limit: number,
): Promise<DeliveryReport & { more: number | null }> {
  const { deliveries: found, failure } = await ctx.objects.report(id, before, limit + 1);
  const deliveries = found.slice(0, limit);
  const more = found.length > limit ? (deliveries.at(-1)?.number ?? null) : null;
  return { deliveries, failure, more };
}

/** Sends a message now that tells of nothing, whatever the webhook's state. */
export function testWebhook(ctx: WebhookContext, { id }: Webhook): Promise<Delivery> {
  return ctx.objects.test(id);
}

/** Sends a message again, as it would be sent now. */
export async function redeliver(
  ctx: WebhookContext,
  { id }: Webhook,
  delivery: string,
): Promise<Delivery> {
  const number = deliveryNumber(delivery);
  const sent = number === undefined ? undefined : await ctx.objects.redeliver(id, number);
  if (!sent) throw problem.notFound();
  return sent;
}

interface Rights {
  permissions: readonly Permission[];
  resources: Resources;
}

/** What a webhook's maker may do at this moment; nothing once the credential has ended, or the member is gone. */
export async function rightsOfMaker(
  db: D1Database,
  maker: Actor,
  now: number,
): Promise<Rights | undefined> {
  const [kind, id = ""] = maker.split(":");
  if (kind === "member") {
    const member = await findMember(db, id);
    return member && rightsOf(member.role);
  }
  const credential = await findCredential(db, id);
  return credential && isLive(credential, now) ? credential : undefined;
}

export function mayTell(
  { permissions, resources }: Rights,
  kind: CollectionKind,
  key: string,
): boolean {
  return allows(permissions, readPermission[kind]) && isVisible(resources, kind, key);
}

/** Something to tell: a change as the feed has it. */
export interface Message {
  type: WebhookType;
  collection: string;
  /** The change's number. */
  number: number;
  change: ChangeView;
}

/** The next change of a collection that the webhook tells; all up to `through` have been looked at. */
export async function nextMessage(
  db: D1Database,
  { types, include }: Webhook,
  collectionId: number,
  after: number,
): Promise<{ message: Message | null; through: number; atEnd: boolean }> {
  const next = await nextChange(
    db,
    collectionId,
    after,
    actionsTold(types),
    knownStamp(collectionId),
  );
  const { change, item, through, atEnd } = next;
  const type = change ? typeTold(change.action, types) : undefined;
  if (!change || !type) return { message: null, through, atEnd };
  const compiled = await collectionAt(db, next.head);
  const { kind, key } = compiled.collection;
  const items = new Map(item && include === "item" ? [[item.number, item]] : []);
  const message = {
    type,
    collection: `${kind}:${key}`,
    number: change.number,
    change: viewChange(change, items, compiled),
  };
  return { message, through, atEnd };
}

/** Signing needs the secret itself, so it is stored sealed, bound to its webhook. */
const about = (id: string) => `webhook ${id}`;

export async function newSecret(
  ctx: WebhookContext,
  id: string,
): Promise<{ secret: string; kept: WebhookSecret }> {
  const secret = makeSigningSecret(ctx.random());
  const sealed = await ctx.keys.seal(secret, about(id));
  return { secret, kept: { sealed, created_at: ctx.now(), expires_at: null } };
}

/** The secrets that live on beside a new one. */
export function outgoing(hook: Webhook, now: number, overlap: number): WebhookSecret[] {
  const ending = now + overlap;
  return liveWebhookSecrets(hook, now)
    .slice(1 - mostSecrets)
    .map((each) => ({ ...each, expires_at: Math.min(each.expires_at ?? ending, ending) }))
    .filter(({ expires_at }) => expires_at > now);
}

/** The live secrets, newest first. None can be opened once the key that sealed it is given up. */
export async function openSecrets(
  keys: SigningKeys,
  hook: Webhook,
  now: number,
): Promise<string[]> {
  const sealed = liveWebhookSecrets(hook, now).toReversed();
  const opened = await Promise.all(sealed.map((each) => keys.open(each.sealed, about(hook.id))));
  return opened.filter((each) => each !== undefined);
}
