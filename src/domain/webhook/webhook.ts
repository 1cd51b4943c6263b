import type { Actor } from "../actor";
import type { ItemAction } from "../item/change";

export const webhookTypes = [
  "record.created",
  "record.updated",
  "submission.created",
  "submission.updated",
  "submission.deleted",
  "submission.closed",
] as const;
export type WebhookType = (typeof webhookTypes)[number];

/**
 * `failing` after the last try of the schedule, `disabled` where the receiver said that it is gone (410) or the maker's
 * credential has ended: both keep their place until somebody resumes them, as `paused` does.
 */
export const webhookStates = ["active", "paused", "failing", "disabled"] as const;
export type WebhookState = (typeof webhookStates)[number];

/** A signing secret, sealed; two live at a time, and both sign, so that one can be rotated without downtime. */
export interface WebhookSecret {
  sealed: string;
  created_at: number;
  expires_at: number | null;
}

export interface Webhook {
  id: string;
  /** Grows with every change, those of its state included. */
  version: number;
  name: string;
  url: string;
  types: WebhookType[];
  /** Those named `app:KEY` and `form:KEY`, or all. */
  collections: "all" | string[];
  include: "item" | "ids";
  state: WebhookState;
  /** Why it is failing or disabled. */
  reason: string | null;
  secrets: WebhookSecret[];
  /** Whoever said last where it goes and what it tells: it tells what that one may read. */
  maker: Actor;
  createdAt: number;
  updatedAt: number;
}

export const mostWebhooks = 100;
export const mostCollections = 100;
export const mostSecrets = 2;

export function liveWebhookSecrets({ secrets }: Webhook, now: number): WebhookSecret[] {
  return secrets.filter(({ expires_at }) => expires_at === null || now < expires_at);
}

export function listensTo({ collections }: Pick<Webhook, "collections">, name: string): boolean {
  return collections === "all" || collections.includes(name);
}

/** What each act is told as. */
const typeOfAction: Record<ItemAction, WebhookType> = {
  "record.create": "record.created",
  "record.update": "record.updated",
  "record.recalculate": "record.updated",
  "submission.create": "submission.created",
  "submission.update": "submission.updated",
  "submission.recalculate": "submission.updated",
  "submission.reopen": "submission.updated",
  "submission.close": "submission.closed",
  "submission.delete": "submission.deleted",
};

/** Closing is an update to whoever does not ask for `submission.closed`, so that a copy misses nothing. */
export function typeTold(
  action: ItemAction,
  types: readonly WebhookType[],
): WebhookType | undefined {
  const type = typeOfAction[action];
  if (types.includes(type)) return type;
  const wider = type === "submission.closed" ? "submission.updated" : type;
  return types.find((each) => each === wider);
}

export function actionsTold(types: readonly WebhookType[]): ItemAction[] {
  const actions = Object.keys(typeOfAction) as ItemAction[];
  return actions.filter((action) => typeTold(action, types) !== undefined);
}
