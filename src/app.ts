import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { admin } from "./admin";
import { api } from "./api";
import { problem } from "./domain/problem";
import type { AppEnv } from "./env";
import { cacheDefaults } from "./middleware/cache-defaults";
import { logRequest } from "./middleware/log";
import { requestId } from "./middleware/request-id";
import { answerError } from "./middleware/problem-response";
import { oauth } from "./oauth";
import { pages } from "./pages";

const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  scriptSrc: ["'self'"],
  connectSrc: ["'self'"],
  imgSrc: ["'self'", "data:"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

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
  .onError(answerError)
  // Not thrown: what is thrown here would skip the middleware that stands around it.
  .notFound((c) => answerError(problem.notFound(), c))
  .route("/", pages)
  .route("/", oauth)
  .route("/api/v1", api)
  .route("/admin", admin);
