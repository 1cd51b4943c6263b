import { Hono, type Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { WebhookContext } from "../actions/webhooks/context";
import { listDeliveries, redeliver, testWebhook } from "../actions/webhooks/deliveries";
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  visibleWebhook,
  visibleWebhooks,
  type Shown,
} from "../actions/webhooks/webhooks";
import { deliveryDocument, webhookDocument } from "../documents/webhook";
import { signingKeys } from "../domain/credential/signature";
import { etagOf } from "../domain/etag";
import { defaultLimit } from "../domain/page-limit";
import type { Webhook } from "../domain/webhook/webhook";
import type { ApiEnv, Reading } from "../env";
import { localReceivers } from "../hooks/local-receivers";
import { webhookObjects } from "../hooks/objects";
import { writes } from "../http/doors/effect";
import { jsonBody, mergePatch } from "../http/doors/json-body";
import { permit } from "../http/doors/permit";
import { ifMatch } from "../http/doors/preconditions";
import { nextUrl, paging, readPosition } from "../http/doors/paging";
import { noParameters } from "../http/doors/parameters";
import { answerPage, answerTagged } from "./representation";

type HookEnv = ApiEnv & { Variables: { hook: Webhook } };

const manage = permit("webhooks:manage");

const webhook = createMiddleware<HookEnv>(async (c, next) => {
  c.set("hook", await visibleWebhook(contextOf(c), c.req.param("id") ?? ""));
  await next();
});

const list = "/webhooks";
const one = `${list}/:id`;

/** Webhooks (contract, section 14). */
export const webhooks = new Hono<ApiEnv>()
  .get(list, manage, paging, async (c) => {
    const sent = c.req.valid("query");
    const place = await readPosition(c, "webhooks", sent);
    const after = place === null ? "" : String(place[0]);
    const all = (await visibleWebhooks(contextOf(c))).filter(({ id }) => id > after);
    const page = all.slice(0, sent.limit ?? defaultLimit);
    const last = page.length < all.length ? page.at(-1) : undefined;
    const next = last ? await nextUrl(c, "webhooks", sent, [last.id]) : null;
    const now = Date.now();
    return answerPage(
      c,
      page.map((hook) => webhookDocument(hook, now)),
      next,
    );
  })
  .post(list, writes, manage, jsonBody(), noParameters, async (c) => {
    const shown = await createWebhook(contextOf(c), c.var.body);
    const Location = new URL(`/api/v1/webhooks/${shown.hook.id}`, c.req.url).href;
    return c.json(shownDocument(shown), 201, { Location, ETag: etagOf(1) });
  })
  .get(one, manage, webhook, noParameters, (c) => {
    const { hook } = c.var;
    return answerTagged(c, etagOf(hook.version), () => webhookDocument(hook, Date.now()));
  })
  .patch(one, writes, manage, webhook, jsonBody(mergePatch), noParameters, async (c) => {
    const shown = await changeWebhook(contextOf(c), c.var.hook, c.var.body, ifMatch(c));
    return c.json(shownDocument(shown), 200, { ETag: etagOf(shown.hook.version) });
  })
  .delete(one, writes, manage, webhook, noParameters, async (c) => {
    await removeWebhook(contextOf(c), c.var.hook, ifMatch(c));
    return c.body(null, 204);
  })
  .get(`${one}/deliveries`, manage, webhook, paging, async (c) => {
    const { hook } = c.var;
    const sent = c.req.valid("query");
    const binding = `deliveries ${hook.id}`;
    const place = await readPosition(c, binding, sent);
    const before = place && Number(place[0]);
    const limit = sent.limit ?? defaultLimit;
    const { deliveries, more } = await listDeliveries(contextOf(c), hook, before, limit);
    const next = more === null ? null : await nextUrl(c, binding, sent, [more]);
    return answerPage(c, deliveries.map(deliveryDocument), next);
  })
  .post(`${one}/test`, writes, manage, webhook, noParameters, async (c) =>
    c.json(deliveryDocument(await testWebhook(contextOf(c), c.var.hook))),
  )
  .post(
    `${one}/deliveries/:delivery/redeliver`,
    writes,
    manage,
    webhook,
    noParameters,
    async (c) => {
      const sent = await redeliver(contextOf(c), c.var.hook, c.req.param("delivery"));
      return c.json(deliveryDocument(sent));
    },
  );

function contextOf(c: Reading<ApiEnv> | Context<ApiEnv>): WebhookContext {
  return {
    ...c.var.action,
    keys: signingKeys(c.env.TOKEN_SECRET),
    objects: webhookObjects(c.env),
    random: () => crypto.getRandomValues(new Uint8Array(32)),
    localReceivers: localReceivers(c.env),
  };
}

/** With the secret, this once, where one was made. */
function shownDocument({ hook, secret }: Shown) {
  const document = webhookDocument(hook, Date.now());
  return secret === null ? document : { ...document, secret };
}
