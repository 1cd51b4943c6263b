import type { SigningKeys } from "../../domain/credential/signature";
import { makeSigningSecret } from "../../domain/webhook/signing";
import {
  liveWebhookSecrets,
  mostSecrets,
  type Webhook,
  type WebhookSecret,
} from "../../domain/webhook/webhook";
import type { WebhookContext } from "./context";

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
