import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { listDeliveries, redeliver, testWebhook } from "../actions/webhooks/deliveries";
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  visibleWebhook,
  visibleWebhooks,
} from "../actions/webhooks/webhooks";
import { deliveryDocument, shownDocument, webhookDocument } from "../documents/webhook";
import { etagOf } from "../domain/etag";
import { defaultLimit } from "../domain/page-limit";
import type { Webhook } from "../domain/webhook/webhook";
import type { ApiEnv } from "../env";
import { writes } from "../http/doors/effect";
import { jsonBody, mergePatch } from "../http/request/json-body";
import { permit } from "../http/doors/permit";
import { ifMatch } from "../http/request/preconditions";
import { nextUrl, paging, readPosition } from "../http/request/paging";
import { webhookContext } from "../http/doors/webhook-context";
import { noParameters } from "../http/request/parameters";
import { answerPage, answerTagged } from "./representation";

type HookEnv = ApiEnv & { Variables: { hook: Webhook } };

const manage = permit("webhooks:manage");

const webhook = createMiddleware<HookEnv>(async (c, next) => {
  c.set("hook", await visibleWebhook(webhookContext(c), c.req.param("id") ?? ""));
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
    const all = (await visibleWebhooks(webhookContext(c))).filter(({ id }) => id > after);
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
    const shown = await createWebhook(webhookContext(c), c.var.body);
    const Location = new URL(`/api/v1/webhooks/${shown.hook.id}`, c.req.url).href;
    return c.json(shownDocument(shown, Date.now()), 201, { Location, ETag: etagOf(1) });
  })
  .get(one, manage, webhook, noParameters, (c) => {
    const { hook } = c.var;
    return answerTagged(c, etagOf(hook.version), () => webhookDocument(hook, Date.now()));
  })
  .patch(one, writes, manage, webhook, jsonBody(mergePatch), noParameters, async (c) => {
    const shown = await changeWebhook(webhookContext(c), c.var.hook, c.var.body, ifMatch(c));
    return c.json(shownDocument(shown, Date.now()), 200, { ETag: etagOf(shown.hook.version) });
  })
  .delete(one, writes, manage, webhook, noParameters, async (c) => {
    await removeWebhook(webhookContext(c), c.var.hook, ifMatch(c));
    return c.body(null, 204);
  })
  .get(`${one}/deliveries`, manage, webhook, paging, async (c) => {
    const { hook } = c.var;
    const sent = c.req.valid("query");
    const binding = `deliveries ${hook.id}`;
    const place = await readPosition(c, binding, sent);
    const before = place && Number(place[0]);
    const limit = sent.limit ?? defaultLimit;
    const { deliveries, more } = await listDeliveries(webhookContext(c), hook, before, limit);
    const next = more === null ? null : await nextUrl(c, binding, sent, [more]);
    return answerPage(c, deliveries.map(deliveryDocument), next);
  })
  .post(`${one}/test`, writes, manage, webhook, noParameters, async (c) =>
    c.json(deliveryDocument(await testWebhook(webhookContext(c), c.var.hook))),
  )
  .post(
    `${one}/deliveries/:delivery/redeliver`,
    writes,
    manage,
    webhook,
    noParameters,
    async (c) => {
      const sent = await redeliver(webhookContext(c), c.var.hook, c.req.param("delivery"));
      return c.json(deliveryDocument(sent));
    },
  );
