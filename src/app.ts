import { Hono, type Context, type ErrorHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { getPath } from "hono/utils/url";
import { admin } from "#admin/index.tsx";
import { frameDocumentation, guideRoutes } from "#admin/documentation.tsx";
import { api } from "#api/index.ts";
import { apiRoot } from "#domain/api-paths.ts";
import { lazy } from "#domain/lazy.ts";
import { problem, Problem } from "#domain/problem/problem.ts";
import type { AppEnv } from "#http/env.ts";
import { sandboxPolicy } from "#http/file-content.ts";
import { contentSecurityPolicy } from "#html/content-security-policy.ts";
import { logRequest, logError } from "#http/log.ts";
import { requireSecrets, explainMissingSetUp, setUpProblem } from "#http/set-up.ts";
import { mcp } from "#mcp/index.ts";
import { oauth } from "#oauth/token.ts";
import { pages } from "#pages/index.tsx";
import { type FrameError, renderErrorPage } from "#pages/problem-pages.tsx";
import { problemDocument } from "#documents/problem.ts";
import type { Language } from "#domain/language.ts";
import { explainProblem } from "#admin/explain-problem.ts";
import { findFrame } from "#admin/framed-error.tsx";
import { catalogueOf } from "#admin/language/index.tsx";
import { readLanguage } from "#admin/preferences.ts";
import { problems } from "#domain/problem/catalogue.ts";
import type { Service } from "#http/service.ts";
import { createMiddleware } from "hono/factory";

type Html = Parameters<Context["html"]>[0];

const internalProblem = new Problem("internal", problems.internal.meaning);

/**
 * Handles all errors. Sends problems as RFC 9457 documents, or as pages to browsers.
 * Logs any other error and sends an internal problem without details.
 */
const sendError =
  (
    renderPage: (
      problem: Problem,
      requestId: string,
      language: Language,
      frameError: FrameError | undefined,
    ) => Html,
  ): ErrorHandler<AppEnv> =>
  (error, c) => {
    const failure = error instanceof Problem ? error : unexpectedProblem(c.env, error);
    if (failure === internalProblem) logError(c, error);
    const { code, headers } = failure;
    const { requestId } = c.var;
    const { status } = problems[code];
    if (wantsPage(c)) {
      // The API's own pages are English.
      const language = c.req.path.startsWith("/admin") ? readLanguage(c) : "en";
      const explained = explainProblem(failure, catalogueOf(language));
      return c.html(renderPage(explained, requestId, language, findFrame(c)), status, {
        "Cache-Control": "no-store",
        ...headers,
      });
    }
    // Caches must not store a 429 (RFC 6585, section 4), or any error that a retry may avoid.
    const caching = status === 404 || status === 403 ? {} : { "Cache-Control": "no-store" };
    return c.body(JSON.stringify(problemDocument(failure, c.req.url, requestId)), status, {
      "Content-Type": "application/problem+json",
      ...caching,
      ...headers,
    });
  };

/**
 * Returns the problem for an unexpected error. A missing table has a reason that the operator can fix. All other errors
 * stay internal.
 */
function unexpectedProblem(service: Service, error: unknown): Problem {
  const explanation = explainMissingSetUp(service, error);
  return explanation === undefined ? internalProblem : setUpProblem(service, explanation);
}

/** Whether to send a page instead of a document. Browsers get pages everywhere except in the API. */
function wantsPage(c: Context<AppEnv>): boolean {
  const accept = c.req.header("Accept") ?? "";
  return !/^\/(api\/|oauth\/|\.well-known\/|mcp$)/.test(c.req.path) && accept.includes("text/html");
}

/** Makes responses private to the caller. Clients may store them but must revalidate, which may return 304. */
const setCacheDefaults = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { headers } = c.res;
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "private, no-cache");
  headers.append("Vary", "Authorization");
});

/**
 * Replaces the content security policy of pages. Browsers then neither run the content of a file nor show it in a
 * frame.
 */
const sandboxFiles = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (c.var.isFile) c.res.headers.set("Content-Security-Policy", sandboxPolicy);
});

/** Returns 503 to every request while the database is being restored. */
const rejectWhilePaused = createMiddleware<AppEnv>(async (c, next) => {
  if (c.env.settings.isPaused) throw problem.paused();
  await next();
});

const requestIdHeader = "X-Request-Id";

/**
 * Gives each request a new ID for its response, the logs and the audit log. The ID that a caller sent is recorded
 * separately, because it may repeat.
 */
const assignRequestId = createMiddleware<AppEnv>(async (c, next) => {
  const callerId = c.req.header(requestIdHeader) ?? "";
  const id = c.env.random.uuid();
  c.set("requestId", id);
  c.set("sentRequestId", /^[\w.:=-]{1,128}$/.test(callerId) ? callerId : null);
  c.header(requestIdHeader, id);
  await next();
});

const handleError = sendError(renderErrorPage);

/** The middleware around all routes. */
const frame = () =>
  new Hono<AppEnv>()
    .use(
      assignRequestId,
      logRequest,
      sandboxFiles,
      secureHeaders({
        contentSecurityPolicy,
        xFrameOptions: "DENY",
        // Without any referrer, browsers send `Origin: null` with the forms of our own pages.
        referrerPolicy: "same-origin",
      }),
      setCacheDefaults,
      requireSecrets,
      rejectWhilePaused,
    )
    .onError(handleError)
    // Returns the response, because a throw here would skip the middleware above.
    .notFound((c) => handleError(problem.notFound(), c));

/** Each part is mounted for its first request. API requests and Durable Objects do not need the administration area. */
const administration = lazy(() => frame().route("/admin", admin()));
const others = lazy(() =>
  frame()
    .use("/docs", frameDocumentation)
    .route("/", pages())
    .route("/", oauth())
    .route("/", mcp())
    .route(apiRoot, api()),
);
const guides = lazy(guideRoutes);

function partFor(request: Request) {
  const path = getPath(request);
  if (path.startsWith("/docs/")) return guides();
  return /^\/admin(\/|$)/.test(path) ? administration() : others();
}

export const app = {
  fetch: (request: Request, service: Service, ctx: ExecutionContext) => {
    const databases = service.databases.forRequest();
    return partFor(request).fetch(request, { ...service, databases }, ctx);
  },
  routes: () => [...others().routes, ...administration().routes],
};
