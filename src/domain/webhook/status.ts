import { type Webhook, type WebhookState, webhookStates } from "./webhook.ts";

/** The states in responses. `retrying` means active, with a failed attempt and a scheduled retry. */
export const effectiveWebhookStates = [...webhookStates, "retrying"] as const;
export type EffectiveWebhookState = WebhookState | "retrying";

export const makerEndedReason =
  "The credential or member that created this webhook was revoked, removed or has expired.";

/** The state of a webhook in responses. */
export interface WebhookStatus {
  state: EffectiveWebhookState;
  reason: string | null;
  /** Null unless the webhook is retrying. */
  lastError: string | null;
  /** Null unless the webhook is retrying. Milliseconds since 1970. */
  nextAttemptAt: number | null;
}

export const haveMakerRightsEnded = (
  { makerRightsEndAt }: Pick<Webhook, "makerRightsEndAt">,
  now: number,
) => now >= makerRightsEndAt;

/**
 * Derives the status from the stored state, the maker's rights and the pending retry. If the maker's rights have ended,
 * the webhook is disabled in every state, because it sends nothing until another member takes ownership.
 */
export function deriveWebhookStatus(webhook: Webhook, now: number): WebhookStatus {
  const { state, reason, retryAt, lastError } = webhook;
  const noRetry = { lastError: null, nextAttemptAt: null };
  if (haveMakerRightsEnded(webhook, now))
    return { state: "disabled", reason: makerEndedReason, ...noRetry };
  if (state !== "active" || retryAt === null) return { state, reason, ...noRetry };
  return { state: "retrying", reason, lastError, nextAttemptAt: retryAt };
}

/** Returns the ETag of a webhook. The part after the dash changes without a new version, so If-Match ignores it. */
export function formatWebhookEtag(webhook: Webhook, now: number): string {
  const { version, state, retryAt } = webhook;
  if (haveMakerRightsEnded(webhook, now)) return `"${version}-ended"`;
  return state === "active" && retryAt !== null ? `"${version}-${retryAt}"` : `"${version}"`;
}
