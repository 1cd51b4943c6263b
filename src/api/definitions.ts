import { Hono, type Context } from "hono";
import { listVisible, putDefinition, tagOf } from "../actions/definitions/definitions";
import type { CollectionKind } from "../domain/definition/collection";
import { summaryDocument, type Summary } from "../documents/definition";
import { etagOf } from "../domain/etag";
import { defaultLimit } from "../domain/page-limit";
import type { ApiEnv } from "../env";
import { writes } from "../http/doors/effect";
import { jsonBody } from "../http/request/json-body";
import { permit } from "../http/doors/permit";
import { ifMatch, ifNoneMatch } from "../http/request/preconditions";
import { within, withDefinition } from "./doors";
import { noParameters } from "../http/request/parameters";
import { nextUrl, paging, readPosition, type PagingInput } from "../http/request/paging";
import { answerPage, answerTagged, collectionLinks, definitionDocument } from "./representation";

export const definitions = new Hono<ApiEnv>();

for (const kind of ["app", "form"] as const) {
  definitions
    .get(`/${kind}s`, paging, (c) => answerCollections(c, kind))
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

async function answerCollections(
  c: Context<ApiEnv, string, PagingInput>,
  kind: CollectionKind,
): Promise<Response> {
  const page = c.req.valid("query");
  const binding = `${kind}s`;
  const limit = page.limit ?? defaultLimit;
  const start = await readPosition(c, binding, page);
  const after = Number(start?.[0] ?? 0);
  const { shown, more } = await listVisible(c.var.action, kind, after, limit);
  const next = more === null ? null : await nextUrl(c, binding, page, [more]);
  return answerPage(
    c,
    shown.map((each) => collectionSummary(c, kind, each)),
    next,
  );
}

/** An app or form as lists show it. */
function collectionSummary(c: Context, kind: CollectionKind, summary: Summary) {
  return { ...summaryDocument(summary), links: collectionLinks(c, kind, summary.key) };
}
