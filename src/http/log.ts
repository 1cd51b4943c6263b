import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import type { Grant } from "#domain/credential/credential.ts";
import type { AppEnv } from "./env.ts";
import { logInternalError } from "#domain/events.ts";

type LoggedEnv = AppEnv & { Variables: { grant?: Grant } };

/** Logs one line per request with its route, credential, status and duration, but no query, header or body values. */
export const logRequest = createMiddleware<LoggedEnv>(async (c, next) => {
  const { clock } = c.env;
  const startedAt = clock.now();
  await next();
  const { requestId, sentRequestId, grant } = c.var;
  // Hand-written JSON is faster than JSON.stringify. Only the route pattern can contain characters to escape.
  const sentId = sentRequestId === null ? "" : `,"sent_request_id":"${sentRequestId}"`;
  const credential = grant ? `"${grant.credentialId}"` : "null";
  c.env.log(
    `{"event":"request","request_id":"${requestId}"${sentId},"method":"${c.req.method}",` +
      `"route":${JSON.stringify(routePattern(c))},"status":${c.res.status},` +
      `"milliseconds":${clock.now() - startedAt},"credential":${credential}}`,
  );
});

/** Returns the route that handled the request, or would have handled it if no middleware had rejected it. */
function routePattern(c: Context): string {
  const laterRoutes = matchedRoutes(c).slice(c.req.routeIndex);
  const route = laterRoutes.find(({ path }) => !path.endsWith("*")) ?? laterRoutes[0];
  return route?.path ?? "/*";
}

/** Logs an internal error with the request ID that the caller received. */
export function logError(c: Context<AppEnv>, error: unknown): void {
  const { stack } = toLoggableError(error);
  logInternalError(c.env, { request_id: c.var.requestId, method: c.req.method, error: stack });
}

/**
 * Returns an error without the values of a query, which Drizzle's errors contain. Their cause, the D1 error, does not.
 */
function toLoggableError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  return "query" in error && error.cause instanceof Error ? error.cause : error;
}
