import type { Context, ErrorHandler } from "hono";
import { problemDocument } from "#documents/problem.ts";
import { Problem } from "#domain/problem/problem.ts";
import { problems } from "#domain/problem/catalogue.ts";
import type { AppEnv } from "./env.ts";
import { logFault } from "./log.ts";
import { createMiddleware } from "hono/factory";

type Html = Parameters<Context["html"]>[0];

const internal = new Problem("internal", problems.internal.meaning);

/** The one exit of errors: problems as RFC 9457 says; whatever else is thrown stays inside. People get a page. */
export const answerError =
  (pageOf: (refusal: Problem, requestId: string) => Html): ErrorHandler<AppEnv> =>
  (error, c) => {
    const refusal = error instanceof Problem ? error : internal;
    if (refusal === internal) logFault(c, error);
    const { code, headers } = refusal;
    const { requestId } = c.var;
    const { status } = problems[code];
    if (isForPeople(c)) {
      return c.html(pageOf(refusal, requestId), status, {
        "Cache-Control": "no-store",
        ...headers,
      });
    }
    // RFC 6585, section 4: a 429 is not to be stored; nor is anything else that may be right a moment later.
    const caching = status === 404 || status === 403 ? {} : { "Cache-Control": "no-store" };
    return c.body(JSON.stringify(problemDocument(refusal, c.req.url, requestId)), status, {
      "Content-Type": "application/problem+json",
      ...caching,
      ...headers,
    });
  };

/** Browsers get pages everywhere but in the API, whose errors are documents for everybody. */
function isForPeople(c: Context<AppEnv>): boolean {
  const accept = c.req.header("Accept") ?? "";
  return !/^\/(api\/|oauth\/|\.well-known\/|mcp$)/.test(c.req.path) && accept.includes("text/html");
}

/** Answers belong to their caller; they may be kept, but are asked for again each time. 304 still works. */
export const cacheDefaults = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { headers } = c.res;
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "private, no-cache");
  headers.append("Vary", "Authorization");
});

const header = "X-Request-Id";

/**
 * Each request has an id of ours, which answers, logs and the audit tell. The one that a caller sends is kept beside it:
 * two requests can have the same, and nobody else chooses what our records say.
 */
export const requestId = createMiddleware<AppEnv>(async (c, next) => {
  const sent = c.req.header(header) ?? "";
  const id = crypto.randomUUID();
  c.set("requestId", id);
  c.set("sentRequestId", /^[\w.:=-]{1,128}$/.test(sent) ? sent : null);
  c.header(header, id);
  await next();
});
