import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { admin } from "#admin/index.tsx";
import { api } from "#api/index.ts";
import { apiRoot } from "#domain/api-paths.ts";
import { problem } from "#domain/problem/problem.ts";
import type { AppEnv } from "#http/env.ts";
import { contentSecurityPolicy } from "#html/content-security-policy.ts";
import { cacheDefaults, refuseWhilePaused, requestId, sendError } from "#http/responses.ts";
import { logRequest } from "#http/log.ts";
import { requireSecrets } from "#http/set-up.ts";
import { mcp } from "#mcp/index.ts";
import { oauth } from "#oauth/token.ts";
import { pages } from "#pages/index.tsx";
import { errorPage } from "#pages/problem-pages.tsx";

const handleError = sendError(errorPage);

export const app = new Hono<AppEnv>()
  .use(
    requestId,
    logRequest,
    secureHeaders({
      contentSecurityPolicy,
      xFrameOptions: "DENY",
      // With no referrer at all, browsers send `Origin: null` with the forms of our own pages.
      referrerPolicy: "same-origin",
    }),
    cacheDefaults,
    requireSecrets,
    refuseWhilePaused,
  )
  .onError(handleError)
  // Returns the response, because a throw here would skip the middleware above.
  .notFound((c) => handleError(problem.notFound(), c))
  .route("/", pages)
  .route("/", oauth)
  .route("/", mcp)
  .route(apiRoot, api)
  .route("/admin", admin);
