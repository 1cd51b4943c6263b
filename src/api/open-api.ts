import { Hono, type Context } from "hono";
import * as z from "zod/mini";
import { findDefinition } from "../actions/definitions/definitions";
import { isVisible } from "../domain/credential/resources";
import { problem } from "../domain/problem/problem";
import { joinedDocument, openApiDocument } from "../documents/openapi/collection";
import { versions } from "../documents/openapi/rendering";
import { serviceDocument } from "../documents/openapi/service";
import type { ApiEnv } from "../env";
import { answerDocument, rendered, wantedVersion } from "../http/answers/open-api";
import { chosenKeys, calledByKeys } from "../http/request/chosen";
import { hostOf } from "../http/request/host";
import { asking, type Question } from "../http/doors/question";
import { permit } from "../http/doors/permit";
import type { CollectionNow } from "../store/definitions/collection-now";
import { within, withDefinition } from "./doors";
import { query, sentQuery } from "../http/request/parameters";

/** What one document joins: as many, and as large together as one definition can be. */
const mostJoined = 20;
const mostBytes = 1_000_000;

const version = z.object({ version: z.optional(z.enum(versions)) });
const one = query(version);
const severalQuery = z.extend(chosenKeys, version.shape);

const chosenDefinitions: Question<CollectionNow[]> = async (ctx, _, c) => {
  const sent = sentQuery(c, severalQuery);
  const chosen = calledByKeys(sent);
  if (chosen.length > mostJoined) {
    const reason = `At most ${mostJoined} apps and forms are joined, not ${chosen.length}.`;
    throw tooComplex(sent.forms, reason);
  }
  return Promise.all(chosen.map(({ kind, key }) => findDefinition(ctx, kind, key)));
};

/** OpenAPI documents: of one app or form, of those that are chosen, or of the service. */
export const openApi = new Hono<ApiEnv>().get(
  "/openapi.json",
  permit("schema:read"),
  query(severalQuery),
  asking(chosenDefinitions, async (c: Context<ApiEnv>) => {
    const { forms, version: asked } = sentQuery(c, severalQuery);
    const { resources } = c.var.action;
    const found = await c.var.read(chosenDefinitions);
    const isSeen = ({ collection: { kind, key } }: CollectionNow) =>
      isVisible(resources, kind, key);
    if (!found.every(isSeen)) throw problem.notFound();
    const bytes = found.reduce((sum, now) => sum + now.bytes, 0);
    if (found.length > 1 && bytes > mostBytes) {
      throw tooComplex(
        forms,
        `Definitions of ${mostBytes} bytes together are joined, not of ${bytes}.`,
      );
    }
    const shown = wantedVersion(c, asked);
    const document =
      found.length === 0
        ? serviceDocument(hostOf(c))
        : joinedDocument(
            found.map(({ collection }) => collection),
            hostOf(c),
          );
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
