import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { admin } from "#admin/index.tsx";
import { api } from "#api/index.ts";
import { problem } from "#domain/problem/problem.ts";
import type { AppEnv } from "#http/env.ts";
import { contentSecurityPolicy } from "#html/content-security-policy.ts";
import { cacheDefaults, requestId, answerError } from "#http/responses.ts";
import { logRequest } from "#http/log.ts";
import { mcp } from "#mcp/index.ts";
import { oauth } from "#oauth/token.ts";
import { pages } from "#pages/index.tsx";
import { refusalPage } from "#pages/problem-pages.tsx";

const answerRefusal = answerError(refusalPage);

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
  )
  .onError(answerRefusal)
  // Not thrown: what is thrown here would skip the middleware that stands around it.
  .notFound((c) => answerRefusal(problem.notFound(), c))
  .route("/", pages)
  .route("/", oauth)
  .route("/", mcp)
  .route("/api/v1", api)
  .route("/admin", admin);
