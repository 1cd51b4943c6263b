import type { Webhook } from "#domain/webhook/webhook.ts";
import type { WebhookContext } from "./context.ts";

export const uniqueFields = (keys: readonly string[] | null | undefined) =>
  keys ? [...new Set(keys)] : null;

export const withoutDuplicates = (collections: Webhook["collections"]) =>
  collections === "all" ? collections : [...new Set(collections)];

type WebhookPatch = Partial<
  Pick<
    Webhook,
    "name" | "url" | "types" | "collections" | "include" | "recalculations" | "changedFields"
  >
> & {
  state?: "active" | "paused";
};

/** Members that decide where messages go and what they contain. */
const deliveryFields = [
  "url",
  "types",
  "collections",
  "include",
  "recalculations",
  "changedFields",
] as const;

/** A caller that changes a delivery field becomes the maker. Messages contain only what the maker may read. */
export function applyPatch(
  ctx: WebhookContext,
  before: Webhook,
  patch: { [Name in keyof WebhookPatch]: WebhookPatch[Name] | undefined },
): Webhook {
  const entries = Object.entries(patch).filter(([, value]) => value !== undefined);
  const after: Webhook = { ...before, ...(Object.fromEntries(entries) as WebhookPatch) };
  after.collections = withoutDuplicates(after.collections);
  after.types = [...new Set(after.types)];
  if (patch.state !== undefined) after.reason = null;
  if (after.state !== before.state) after.retryAt = null;
  const changesDelivery = deliveryFields.some((name) => patch[name] !== undefined);
  if (!changesDelivery) return after;
  // The caller is authenticated, so its rights have not ended.
  return { ...after, maker: ctx.actor, makerRightsEndAt: Number.MAX_SAFE_INTEGER };
}
