import { Hono } from "hono";
import * as z from "zod/mini";
import { readDefinition } from "../actions/definitions/definitions";
import { problem } from "../domain/problem/problem";
import { joinedDocument, openApiDocument } from "../documents/openapi/collection";
import { versions } from "../documents/openapi/rendering";
import { serviceDocument } from "../documents/openapi/service";
import type { ApiEnv } from "../env";
import { answerDocument, rendered, wantedVersion } from "../http/answers/open-api";
import { chosenKeys, calledByKeys } from "../http/request/chosen";
import { hostOf } from "../http/request/host";
import { permit } from "../http/doors/permit";
import { within, withDefinition } from "./doors";
import { query, sentQuery } from "../http/request/parameters";

/** What one document joins: as many, and as large together as one definition can be. */
const mostJoined = 20;
const mostBytes = 1_000_000;

const version = z.object({ version: z.optional(z.enum(versions)) });
const one = query(version);
const several = query(z.extend(chosenKeys, version.shape));

/** OpenAPI documents: of one app or form, of those that are chosen, or of the service. */
export const openApi = new Hono<ApiEnv>().get(
  "/openapi.json",
  permit("schema:read"),
  several,
  async (c) => {
    const { apps, forms, version: asked } = c.req.valid("query");
    const chosen = calledByKeys({ apps, forms });
    if (chosen.length > mostJoined) {
      throw tooComplex(
        forms,
        `At most ${mostJoined} apps and forms are joined, not ${chosen.length}.`,
      );
    }
    const found = await Promise.all(
      chosen.map(({ kind, key }) => readDefinition(c.var.action, kind, key)),
    );
    const bytes = found.reduce((sum, now) => sum + now.bytes, 0);
    if (chosen.length > 1 && bytes > mostBytes) {
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
  },
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
