import * as z from "zod/mini";
import { Hono, type Context } from "hono";
import { isVisible } from "#domain/credential/credential.ts";
import { problem } from "#domain/problem/problem.ts";
import { joinedDocument, openApiDocument } from "#documents/openapi/document.ts";
import { versions } from "#documents/openapi/versions.ts";
import { serviceDocument } from "#documents/openapi/service.ts";
import type { ApiEnv } from "#http/env.ts";
import { answerDocument, rendered, wantedVersion } from "#http/answers/open-api.ts";
import { chosenKeys, calledByKeys, query, sentQuery } from "#http/query.ts";
import { hostOf } from "#http/request.ts";
import { asking, type Question } from "#http/doors/question.ts";
import { permit } from "#http/doors/permit.ts";
import { findSeveral, type Several } from "#store/data/definition-head.ts";
import { within, withDefinition } from "./doors.ts";

/** What one document joins: as many, and as large together as one definition can be. */
const mostJoined = 20;
const mostBytes = 1_000_000;

const version = z.object({ version: z.optional(z.enum(versions)) });
const one = query(version);
const severalQuery = z.extend(chosenKeys, version.shape);

const chosenDefinitions: Question<Several> = async (ctx, _, c) => {
  const sent = sentQuery(c, severalQuery);
  const chosen = calledByKeys(sent);
  if (chosen.length > mostJoined) {
    const reason = `At most ${mostJoined} apps and forms are joined, not ${chosen.length}.`;
    throw tooComplex(sent.forms, reason);
  }
  // One alone may be as large as any.
  return chosen.length === 0
    ? { count: 0, bytes: 0, collections: [] }
    : findSeveral(ctx.db, chosen, chosen.length > 1 ? mostBytes : Number.MAX_SAFE_INTEGER);
};

/** OpenAPI documents: of one app or form, of those that are chosen, or of the service. */
export const openApi = new Hono<ApiEnv>().get(
  "/openapi.json",
  permit("schema:read"),
  query(severalQuery),
  asking(chosenDefinitions, async (c: Context<ApiEnv>) => {
    const sent = sentQuery(c, severalQuery);
    const { forms, version: asked } = sent;
    const { resources } = c.var.action;
    const { count, bytes, collections } = await c.var.read(chosenDefinitions);
    const chosen = calledByKeys(sent);
    const isSeen = chosen.every(({ kind, key }) => isVisible(resources, kind, key));
    if (!isSeen || count < chosen.length) throw problem.notFound();
    if (count > 1 && bytes > mostBytes) {
      throw tooComplex(
        forms,
        `Definitions of ${mostBytes} bytes together are joined, not of ${bytes}.`,
      );
    }
    const shown = wantedVersion(c, asked);
    const document =
      count === 0 ? serviceDocument(hostOf(c)) : joinedDocument(collections, hostOf(c));
    return answerDocument(c, shown, await rendered(document, shown));
  }),
);

for (const kind of ["app", "form"] as const) {
  openApi.get(
    `/${kind}s/:key/openapi.json`,
    permit("schema:read"),
    within(kind),
    one,
    withDefinition(kind, async (c, { collection }) => {
      const shown = wantedVersion(c, sentQuery(c, version).version);
      return answerDocument(
        c,
        shown,
        await rendered(openApiDocument(collection, hostOf(c)), shown),
      );
    }),
  );
}

function tooComplex(forms: string | undefined, reason: string) {
  const field = forms === undefined ? "apps" : "forms";
  return problem.invalidInput([{ field, code: "too_complex", reason }]);
}
