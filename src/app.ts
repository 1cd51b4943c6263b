import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { admin } from "./admin";
import { api } from "./api";
import { problem } from "./domain/problem/problem";
import type { AppEnv } from "./env";
import { contentSecurityPolicy } from "./html/content-security-policy";
import { cacheDefaults } from "./http/answers/cache-defaults";
import { logRequest } from "./http/answers/log";
import { requestId } from "./http/answers/request-id";
import { answerError } from "./http/answers/problem-response";
import { mcp } from "./mcp";
import { oauth } from "./oauth";
import { pages } from "./pages";
import { refusalPage } from "./pages/refusal-page";

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
