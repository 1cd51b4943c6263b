import { Hono, type Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { stamp } from "#domain/time.ts";
import type { ApiEnv } from "#http/env.ts";
import { authenticate, identify } from "#http/authenticate.ts";
import { answerPreflight, isPreflight, shareWithOrigins, only } from "#http/cors.ts";
import { recallReplay } from "#http/replay-cache.ts";
import { receiveBody } from "#http/body.ts";
import { definitions } from "./definitions.ts";
import { noParameters } from "#http/query.ts";
import { openApi } from "./open-api.ts";
import { records } from "./records.ts";
import { answerContent } from "./representation.ts";
import { submissions } from "./submissions.ts";
import { webhooks } from "./webhooks.ts";

/** Asked before there is a credential; unknown paths answer as they do to everybody. */
const preflight = createMiddleware<ApiEnv>(async (c, next) => {
  const allowed = isPreflight(c) ? methodsOf(c) : undefined;
  if (allowed) return answerPreflight(c, allowed);
  return next();
});

/** The REST API: every route below `/api/v1`. */
export const api = new Hono<ApiEnv>()
  .use(preflight, shareWithOrigins, identify, receiveBody, recallReplay, authenticate)
  .get("/me", noParameters, (c) => {
    const { kind, name, permissions, resources, limits, expiresAt } = c.var.grant;
    const expires_at = expiresAt === null ? null : stamp(expiresAt);
    const { actor } = c.var.action;
    return answerContent(c, { actor, kind, name, permissions, resources, limits, expires_at });
  })
  .route("/", records)
  .route("/", submissions)
  .route("/", definitions)
  .route("/", openApi)
  .route("/", webhooks);

const methods = methodsByPath();
for (const [path, allowed] of methods) {
  api.all(path, only(...allowed));
}

/** The methods of the path that a request names, if there is one. */
function methodsOf(c: Context): string[] | undefined {
  const exact = matchedRoutes(c)
    .map(({ path }) => path.replace(/^\/api\/v1/, ""))
    .filter((path) => !path.endsWith("*"));
  const [first] = exact;
  return first === undefined ? undefined : methods.get(first);
}

/** The methods of every path, so that it answers 405 to the others. */
function methodsByPath(): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  for (const { path, method } of api.routes) {
    if (method === "ALL") continue;
    paths.set(path, [...new Set([...(paths.get(path) ?? []), method])]);
  }
  return paths;
}
