import { Hono, type Context } from "hono";
import { createMiddleware } from "hono/factory";
import { listDeliveries, redeliver, testWebhook } from "#actions/deliveries.ts";
import { everyWebhook, oneWebhook, seenAmong, visibleWebhook, changeWebhook, createWebhook, removeWebhook } from "#actions/webhooks.ts";
import { deliveryDocument, shownDocument, webhookDocument } from "#documents/webhooks.ts";
import { etagOf } from "#domain/preconditions.ts";
import { defaultLimit } from "#domain/cursor.ts";
import type { Webhook } from "#domain/webhook/webhook.ts";
import type { ApiEnv } from "#http/env.ts";
import { writes } from "#http/doors/effect.ts";
import { jsonBody, mergePatch } from "#http/body.ts";
import { asking, type Question } from "#http/doors/question.ts";
import { permit } from "#http/doors/permit.ts";
import { ifMatch } from "#http/request.ts";
import { nextUrl, paging, readPosition, type PagingInput } from "#http/paging.ts";
import { webhookContext } from "#http/context.ts";
import { noParameters } from "#http/query.ts";
import { answerPage, answerTagged } from "./representation.ts";

type HookEnv = ApiEnv & { Variables: { hook: Webhook } };

const manage = permit("webhooks:manage");

const all: Question<Webhook[]> = everyWebhook;
const one: Question<Webhook> = (ctx, { id = "" }) => oneWebhook(ctx, id);

const webhook = asking(
  one,
  createMiddleware<HookEnv>(async (c, next) => {
    const found = await c.var.read(one);
    const [near] = seenAmong(c.var.action, [found]);
    // What it tells of can have changed: that it is not to be seen is said by the primary.
    c.set("hook", near ?? (await visibleWebhook(webhookContext(c), found.id)));
    await next();
  }),
);

/** For a change: as the primary has it. */
const ofPrimary = createMiddleware<HookEnv>(async (c, next) => {
  c.set("hook", await visibleWebhook(webhookContext(c), c.req.param("id") ?? ""));
  await next();
});

const list = "/webhooks";
const member = `${list}/:id`;

/** Webhooks (contract, section 14). */
export const webhooks = new Hono<ApiEnv>()
  .get(list, manage, paging, asking(all, answerList))
  .post(list, writes, manage, jsonBody(), noParameters, async (c) => {
    const shown = await createWebhook(webhookContext(c), c.var.body);
    const Location = new URL(`/api/v1/webhooks/${shown.hook.id}`, c.req.url).href;
    return c.json(shownDocument(shown, Date.now()), 201, { Location, ETag: etagOf(1) });
  })
  .get(member, manage, webhook, noParameters, (c) => {
    const { hook } = c.var;
    return answerTagged(c, etagOf(hook.version), () => webhookDocument(hook, Date.now()));
  })
  .patch(member, writes, manage, ofPrimary, jsonBody(mergePatch), noParameters, async (c) => {
    const shown = await changeWebhook(webhookContext(c), c.var.hook, c.var.body, ifMatch(c));
    return c.json(shownDocument(shown, Date.now()), 200, { ETag: etagOf(shown.hook.version) });
  })
  .delete(member, writes, manage, ofPrimary, noParameters, async (c) => {
    await removeWebhook(webhookContext(c), c.var.hook, ifMatch(c));
    return c.body(null, 204);
  })
  .get(`${member}/deliveries`, manage, webhook, paging, async (c) => {
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
  .post(`${member}/test`, writes, manage, ofPrimary, noParameters, async (c) =>
    c.json(deliveryDocument(await testWebhook(webhookContext(c), c.var.hook))),
  )
  .post(
    `${member}/deliveries/:delivery/redeliver`,
    writes,
    manage,
    ofPrimary,
    noParameters,
    async (c) => {
      const sent = await redeliver(webhookContext(c), c.var.hook, c.req.param("delivery"));
      return c.json(deliveryDocument(sent));
    },
  );

async function answerList(c: Context<ApiEnv, string, PagingInput>): Promise<Response> {
  const sent = c.req.valid("query");
  const place = await readPosition(c, "webhooks", sent);
  const after = place === null ? "" : String(place[0]);
  const rest = seenAmong(c.var.action, await c.var.read(all)).filter(({ id }) => id > after);
  const page = rest.slice(0, sent.limit ?? defaultLimit);
  const last = page.length < rest.length ? page.at(-1) : undefined;
  const next = last ? await nextUrl(c, "webhooks", sent, [last.id]) : null;
  const now = Date.now();
  return answerPage(
    c,
    page.map((each) => webhookDocument(each, now)),
    next,
  );
}
