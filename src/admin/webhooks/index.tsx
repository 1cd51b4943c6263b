import * as z from "zod/mini";
import { Hono, type Context } from "hono";
import { listDeliveries, redeliver, testWebhook } from "#actions/deliveries.ts";
import { visibleWebhook, visibleWebhooks, changeWebhook, createWebhook, removeWebhook, type Shown } from "#actions/webhooks.ts";
import { deliveryDocument, shownDocument, webhookDocument } from "#documents/webhooks.ts";
import { etagOf } from "#domain/preconditions.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";
import { isDelivered, type Delivery } from "#domain/webhook/delivery.ts";
import type { AdminEnv } from "#http/env.ts";
import { query } from "#http/query.ts";
import { webhookContext } from "#http/context.ts";
import { listReachable } from "#store/home/credential-lists.ts";
import { findWebhookWithMaker, findWebhookWithReachable } from "#store/home/webhooks.ts";
import { able, answer, answerDone, attempted } from "#admin/page.ts";
import { frameOf } from "#admin/layout.tsx";
import { readFields, readSent, wantsJson, numberOf } from "#admin/form-input.ts";
import { say } from "#admin/preferences.ts";
import { handSecret, takeSecret, RotateInput } from "#admin/one-time-secret.tsx";
import { DeliveriesPage } from "./deliveries.tsx";
import { WebhooksPage, NewSecretPage, SecretsPage } from "./pages.tsx";
import { NewWebhookPage, SettingsPage, differing, shownInputs, webhookSent } from "./settings.tsx";

const perPage = 50;
const hour = 60 * 60 * 1000;

const placeOf = (id: string) => `/admin/webhooks/${id}`;

const Place = z.object({
  before: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
});

/** Webhooks: those who are told of changes, and how that goes. */
export const webhooks = new Hono<AdminEnv>()
  .use(able("webhooks"))
  .get("/", async (c) => {
    const hooks = await visibleWebhooks(webhookContext(c));
    const now = Date.now();
    const document = { items: hooks.map((hook) => webhookDocument(hook, now)) };
    return answer(c, document, () => <WebhooksPage frame={frameOf(c)} hooks={hooks} />);
  })
  .post("/", (c) =>
    attempted(
      c,
      async () => {
        const sent = webhookSent(await readSent(c));
        return answerSecret(c, await createWebhook(webhookContext(c), sent), 201);
      },
      async (refusal) => {
        const shown = { frame: frameOf(c), reachable: await listReachable(c.env.DB) };
        return <NewWebhookPage {...shown} sent={await readSent(c)} problem={refusal} />;
      },
    ),
  )
  .get("/new", async (c) => {
    const reachable = await listReachable(c.env.DB);
    const shown = { frame: frameOf(c), reachable, sent: {} };
    return answer(c, { listens_to: reachable }, () => <NewWebhookPage {...shown} />);
  })
  .get("/:id", query(Place), async (c) => {
    const found = await foundWebhook(c);
    const { before = null } = c.req.valid("query");
    const told = await listDeliveries(webhookContext(c), found.hook, before, perPage);
    const next = told.more === null ? null : `${placeOf(found.hook.id)}?before=${told.more}`;
    const document = {
      ...webhookDocument(found.hook, Date.now()),
      deliveries: told.deliveries.map(deliveryDocument),
    };
    const shown = { ...found, ...told, next };
    return answer(c, document, () => <DeliveriesPage frame={frameOf(c)} {...shown} />);
  })
  .get("/:id/settings", (c) => settingsPage(c))
  .get("/:id/secrets", async (c) => {
    const found = await foundWebhook(c);
    const { secrets } = webhookDocument(found.hook, Date.now());
    return answer(c, { items: secrets }, () => <SecretsPage frame={frameOf(c)} {...found} />);
  })
  .get("/:id/secret", async (c) => {
    const hook = await visibleWebhook(webhookContext(c), c.req.param("id"));
    if (wantsJson(c)) return c.json(webhookDocument(hook, Date.now()));
    const secret = await takeSecret(c, placeOf(hook.id));
    return c.html(<NewSecretPage frame={frameOf(c)} hook={hook} secret={secret} />);
  })
  .post("/:id", (c) =>
    attempted(
      c,
      async () => {
        const sent = await readSent(c);
        const context = webhookContext(c);
        const before = await visibleWebhook(context, c.req.param("id"));
        const body = webhookSent(sent);
        const change = sent["page"] === undefined ? body : differing(before, body);
        const version = numberOf(sent["version"]);
        const seen = Number.isNaN(version) ? null : [etagOf(version)];
        const { hook } = await changeWebhook(context, before, change, seen);
        const isState = change["state"] !== undefined;
        say(c, isState ? stateSaid(hook.state) : "Saved. What is sent from now on goes by it.");
        const document = webhookDocument(hook, Date.now());
        return answerDone(c, document, placeOf(hook.id) + (isState ? "" : "/settings"));
      },
      (refusal) => settingsAgain(c, refusal),
    ),
  )
  .post("/:id/rotate", async (c) => {
    const { overlap } = await readFields(c, RotateInput);
    const context = webhookContext(c);
    const before = await visibleWebhook(context, c.req.param("id"));
    const rotation = { rotate_secret: { overlap_hours: overlap / hour } };
    return answerSecret(c, await changeWebhook(context, before, rotation, null), 200);
  })
  .post("/:id/test", async (c) => {
    const context = webhookContext(c);
    const hook = await visibleWebhook(context, c.req.param("id"));
    return answerSent(c, hook.id, await testWebhook(context, hook));
  })
  .post("/:id/deliveries/:delivery/redeliver", async (c) => {
    const context = webhookContext(c);
    const hook = await visibleWebhook(context, c.req.param("id"));
    return answerSent(c, hook.id, await redeliver(context, hook, c.req.param("delivery")));
  })
  .post("/:id/delete", async (c) => {
    const context = webhookContext(c);
    const hook = await visibleWebhook(context, c.req.param("id"));
    await removeWebhook(context, hook, null);
    say(c, `${hook.name} is deleted: it tells nothing any more.`);
    return answerDone(c, null, "/admin/webhooks");
  });

type C = Context<AdminEnv>;

async function foundWebhook(c: C) {
  const found = await findWebhookWithMaker(c.env.DB, c.req.param("id") ?? "");
  if (!found) throw problem.notFound();
  return found;
}

async function foundWithReachable(c: C) {
  const found = await findWebhookWithReachable(c.env.DB, c.req.param("id") ?? "");
  if (!found) throw problem.notFound();
  return found;
}

async function settingsPage(c: C): Promise<Response> {
  const found = await foundWithReachable(c);
  const shown = { ...found, sent: shownInputs(found.hook) };
  const document = webhookDocument(found.hook, Date.now());
  return answer(c, document, () => <SettingsPage frame={frameOf(c)} {...shown} />);
}

/** With what was written; but where somebody else changed it meanwhile, as it is now, so that nothing of theirs is lost. */
async function settingsAgain(c: C, refusal: Problem) {
  const found = await foundWithReachable(c);
  const sent = await readSent(c);
  const now = refusal.code === "version_mismatch" || sent["page"] === undefined;
  const shown = { ...found, sent: now ? shownInputs(found.hook) : sent };
  return <SettingsPage frame={frameOf(c)} {...shown} problem={refusal} />;
}

function stateSaid(state: string): string {
  return state === "active"
    ? "Active: it goes on from its place."
    : "Paused. It keeps its place, and goes on from there when it is resumed.";
}

/** How a message went that was sent by hand. */
function answerSent(c: C, id: string, delivery: Delivery): Response {
  const { status, milliseconds, error } = delivery;
  say(
    c,
    isDelivered(delivery)
      ? `Sent, and taken: ${status} in ${milliseconds} ms.`
      : `Sent, and not taken. ${error ?? ""}`,
  );
  return answerDone(c, deliveryDocument(delivery), placeOf(id));
}

/** The one answer that holds a secret: scripts get it at once, people on the page that follows. */
async function answerSecret(c: C, shown: Shown, status: 200 | 201): Promise<Response> {
  const { hook, secret } = shown;
  c.header("Cache-Control", "no-store");
  if (!wantsJson(c) && secret !== null) return handSecret(c, placeOf(hook.id), secret);
  return c.json(shownDocument(shown, Date.now()), status);
}
