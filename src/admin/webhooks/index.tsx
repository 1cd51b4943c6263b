import { Hono } from "hono";
import { redeliver, testWebhook } from "#actions/deliveries.ts";
import { deleteWebhook, getWebhook } from "#actions/webhooks.ts";
import { updateWebhook } from "#actions/update-webhook.ts";
import { deliveryDocument } from "#documents/webhooks.ts";
import { isDelivered, type Delivery } from "#domain/webhook/delivery.ts";
import type { AdminEnv } from "#http/env.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { RotateInput } from "#admin/one-time-secret.tsx";
import { action, requireAbility } from "#admin/page.ts";
import { deliveriesPage } from "./deliveries.tsx";
import { secretOutcome, webhookPath } from "./layout.tsx";
import { newSecretPage, secretsPage, webhooksPage } from "./pages.tsx";
import { saveWebhook, createWebhook, newWebhookPage, settingsPage } from "./settings.tsx";

const hourMs = 60 * 60 * 1000;

const rotate = action({
  fields: RotateInput,
  async act({ ctx, param }, { overlap }) {
    const before = await getWebhook(ctx, param("id"));
    const rotation = { rotate_secret: { overlap_hours: overlap / hourMs } };
    return secretOutcome(await updateWebhook(ctx, before, rotation, null), ctx.now());
  },
});

const test = action({
  async act({ ctx, param, text }) {
    const hook = await getWebhook(ctx, param("id"));
    return deliveryOutcome(hook.id, await testWebhook(ctx, hook), text);
  },
});

const sendAgain = action({
  async act({ ctx, param, text }) {
    const hook = await getWebhook(ctx, param("id"));
    const delivery = await redeliver(ctx, hook, param("delivery"));
    return deliveryOutcome(hook.id, delivery, text);
  },
});

/** Reports the result of a message that the member sent manually. */
function deliveryOutcome(id: string, delivery: Delivery, { webhooks }: Catalogue) {
  const text = webhooks.deliveries;
  const flash = isDelivered(delivery)
    ? text.delivered(delivery.status, delivery.milliseconds)
    : { text: text.failed(text.error(delivery)), isPartial: true };
  return { to: webhookPath(id), flash, document: deliveryDocument(delivery) };
}

const remove = action({
  async act({ ctx, param, text }) {
    const hook = await getWebhook(ctx, param("id"));
    await deleteWebhook(ctx, hook, null);
    return { to: "/admin/webhooks", flash: text.webhooks.layout.removed, document: null };
  },
});

/** The routes of webhooks and their deliveries. */
export const webhookRoutes = () =>
  new Hono<AdminEnv>()
    .use(requireAbility("webhooks"))
    .get("/", webhooksPage.show)
    .post("/", createWebhook)
    .get("/new", newWebhookPage.show)
    .get("/:id", deliveriesPage.show)
    .get("/:id/settings", settingsPage.show)
    .get("/:id/secrets", secretsPage.show)
    .get("/:id/secret", newSecretPage.show)
    .post("/:id", saveWebhook)
    .post("/:id/rotate", rotate)
    .post("/:id/test", test)
    .post("/:id/deliveries/:delivery/redeliver", sendAgain)
    .post("/:id/delete", remove);
