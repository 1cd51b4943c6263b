import { isVisible, type Resources } from "../../domain/credential/resources";
import type { CollectionKind } from "../../domain/definition/collection";
import { problem } from "../../domain/problem/problem";
import type { Webhook } from "../../domain/webhook/webhook";
import { findWebhook, listWebhooks } from "../../store/webhooks/webhooks";
import type { WebhookContext } from "./context";

type Seeing = Pick<WebhookContext, "actor" | "resources">;

/** One's own, and those that listen only to what one sees. */
function sees({ actor, resources }: Seeing, { maker, collections }: Webhook): boolean {
  if (maker === actor || resources === "all") return true;
  return collections !== "all" && collections.every((name) => isNamed(resources, name));
}

/** Whether a collection, named as `app:KEY` or `form:KEY`, is among the visible ones. */
export function isNamed(resources: Resources, name: string): boolean {
  const [kind, key = ""] = name.split(":");
  return isVisible(resources, kind as CollectionKind, key);
}

/** Those of `hooks` that the caller sees. */
export function seenAmong(ctx: Seeing, hooks: readonly Webhook[]): Webhook[] {
  return hooks.filter((hook) => sees(ctx, hook));
}

function seen(ctx: Seeing, hook: Webhook): Webhook {
  if (!sees(ctx, hook)) throw problem.notFound();
  return hook;
}

type Reading = Pick<WebhookContext, "db">;

/** In the order in which they were made, whoever asks. */
export const everyWebhook = ({ db }: Reading): Promise<Webhook[]> => listWebhooks(db);

/** The same, whoever asks. */
export async function oneWebhook({ db }: Reading, id: string): Promise<Webhook> {
  const hook = await findWebhook(db, id);
  if (!hook) throw problem.notFound();
  return hook;
}

export async function visibleWebhooks(ctx: WebhookContext): Promise<Webhook[]> {
  return seenAmong(ctx, await everyWebhook(ctx));
}

export async function visibleWebhook(ctx: WebhookContext, id: string): Promise<Webhook> {
  return seen(ctx, await oneWebhook(ctx, id));
}
