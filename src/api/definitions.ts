import { Hono, type Context } from "hono";
import { listVisible, putDefinition, tagOf, type Summaries } from "#actions/definitions.ts";
import type { Resources } from "#domain/credential/credential.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { summaryDocument, type Summary } from "#documents/definitions.ts";
import { etagOf } from "#domain/preconditions.ts";
import { defaultLimit } from "#domain/cursor.ts";
import type { ApiEnv } from "#http/env.ts";
import { writes } from "#http/doors/effect.ts";
import { jsonBody } from "#http/body.ts";
import { asking, type Question } from "#http/doors/question.ts";
import { permit } from "#http/doors/permit.ts";
import { ifMatch, ifNoneMatch } from "#http/request.ts";
import { within, withDefinition } from "./doors.ts";
import { noParameters, sentQuery } from "#http/query.ts";
import { nextUrl, page, paging, readPosition, type PagingInput } from "#http/paging.ts";
import { answerPage, answerTagged, collectionLinks, definitionDocument } from "./representation.ts";

export const definitions = new Hono<ApiEnv>();

for (const kind of ["app", "form"] as const) {
  definitions
    .get(`/${kind}s`, paging, listOf(kind))
    .get(
      `/${kind}s/:key`,
      within(kind),
      noParameters,
      withDefinition(kind, (c, { collection }) => {
        const { key, version, definition } = collection;
        const { name, description, time_zone: timeZone } = definition;
        const summary = { key, version, name, description, timeZone };
        return answerTagged(c, etagOf(version), () => collectionSummary(c, kind, summary));
      }),
    )
    .get(
      `/${kind}s/:key/schema`,
      permit("schema:read"),
      within(kind),
      noParameters,
      withDefinition(kind, (c, now) =>
        answerTagged(c, tagOf(c.var.action, now), () => definitionDocument(c, now)),
      ),
    )
    .put(
      `/${kind}s/:key/schema`,
      writes,
      permit("schema:write"),
      within(kind),
      jsonBody(),
      noParameters,
      async (c) => {
        const conditions = { ifMatch: ifMatch(c), ifNoneMatch: ifNoneMatch(c) };
        const key = c.req.param("key");
        const saved = await putDefinition(c.var.action, kind, key, c.var.body, conditions);
        const document = definitionDocument(c, saved);
        const headers = { ETag: tagOf(c.var.action, saved) };
        switch (saved.outcome) {
          case "created":
            return c.json(document, 201, { ...headers, Location: document.links.self });
          case "pending":
            return c.json(document, 202, headers);
          case "changed":
          case "unchanged":
            return c.json(document, 200, headers);
        }
      },
    );
}

/** Most who ask see all, which is asked ahead; who sees some only asks again for those. */
function listOf(kind: CollectionKind) {
  const binding = `${kind}s`;
  const among =
    (resources: Resources): Question<Summaries & { bookmark: string | null }> =>
    async (ctx, _, c) => {
      const sent = sentQuery(c, page);
      const start = await readPosition(c, binding, sent, ctx.versions);
      const after = Number(start?.[0] ?? 0);
      const limit = sent.limit ?? defaultLimit;
      const read = await listVisible(ctx, resources, kind, after, limit);
      return { ...read, bookmark: ctx.versions.reached() };
    };
  const all = among("all");
  return asking(all, async (c: Context<ApiEnv, string, PagingInput>) => {
    const { resources } = c.var.action;
    const read = await c.var.read(resources === "all" ? all : among(resources));
    const { shown, more, bookmark } = read;
    const sent = c.req.valid("query");
    const next = more === null ? null : await nextUrl(c, binding, sent, [more], bookmark);
    return answerPage(
      c,
      shown.map((each) => collectionSummary(c, kind, each)),
      next,
    );
  });
}

/** An app or form as lists show it. */
function collectionSummary(c: Context, kind: CollectionKind, summary: Summary) {
  return { ...summaryDocument(summary), links: collectionLinks(c, kind, summary.key) };
}
