import { problem } from "../../domain/problem/problem";
import { deliveryNumber, type Delivery, type DeliveryReport } from "../../domain/webhook/delivery";
import type { Webhook } from "../../domain/webhook/webhook";
import type { WebhookContext } from "./context";

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
