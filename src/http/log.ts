import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { Grant } from "#domain/credential/credential.ts";
import type { AppEnv } from "./env.ts";

type Logged = AppEnv & { Variables: { grant?: Grant } };

/** One line a request: what was asked of which route, by whom, and how it went. No values, no secrets. */
export const logRequest = createMiddleware<Logged>(async (c, next) => {
  const started = Date.now();
  await next();
  const { requestId, sentRequestId, grant } = c.var;
  // Put together by hand, as each request pays for it; of these only the pattern of a route may need to be escaped.
  const sent = sentRequestId === null ? "" : `,"sent_request_id":"${sentRequestId}"`;
  const credential = grant ? `"${grant.credentialId}"` : "null";
  console.log(
    `{"event":"request","request_id":"${requestId}"${sent},"method":"${c.req.method}",` +
      `"route":${JSON.stringify(routePath(c, -1))},"status":${c.res.status},` +
      `"milliseconds":${Date.now() - started},"credential":${credential}}`,
  );
});

/** What failed inside, under the id that the caller was given. */
export function logFault(c: Context<AppEnv>, error: unknown): void {
  const { stack } = told(error);
  write("fault", {
    request_id: c.var.requestId,
    method: c.req.method,
    error: stack,
  });
}

/** Drizzle's own errors quote the values of a query; their cause, which is D1's, does not. */
function told(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  return "query" in error && error.cause instanceof Error ? error.cause : error;
}

/** Something that went wrong and was made good. */
export function logMended(what: string, error: unknown): void {
  write("mended", { what, error: String(error) });
}

function write(event: string, fields: Record<string, unknown>): void {
  console.log(JSON.stringify({ event, ...fields }));
}
