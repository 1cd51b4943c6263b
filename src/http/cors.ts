import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { ApiEnv } from "./env.ts";
import { problem } from "#domain/problem/problem.ts";

/** Response headers that pages of other origins may read, in addition to the safelisted ones. */
const exposedHeaders = [
  "ETag",
  "Location",
  "Link",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "Idempotent-Replayed",
  "Idempotency-Key-Mismatch",
  "X-Request-Id",
  "Accept-Ranges",
  "Content-Disposition",
  "Content-Range",
  "Repr-Digest",
];

/** Request headers that pages of other origins may send. */
const allowedHeaders = [
  "Authorization",
  "Cache-Control",
  "Content-Encoding",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "If-Range",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Range",
  "X-Request-Id",
];
const preflightMaxAgeSeconds = 7200;

/** Whether the request is a CORS preflight (Fetch, section 4.8). */
export function isPreflight(c: Context): boolean {
  const { method } = c.req;
  const hasRequestMethod = c.req.header("Access-Control-Request-Method") !== undefined;
  return method === "OPTIONS" && hasRequestMethod && c.req.header("Origin") !== undefined;
}

/**
 * Responds to a preflight with the methods of an existing path. Browsers send preflights without a credential. The
 * actual response decides whether the origin may read it.
 */
export function sendPreflight(c: Context, methods: readonly string[]): Response {
  return c.body(null, 204, {
    "Access-Control-Allow-Origin": c.req.header("Origin") ?? "",
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Allow-Headers": allowedHeaders.join(", "),
    "Access-Control-Max-Age": String(preflightMaxAgeSeconds),
    Vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  });
}

/** Lets only pages of the credential's allowed origins read its responses. */
export const cors = createMiddleware<ApiEnv>(async (c, next) => {
  await next();
  const { origins } = (c.var.grant ?? {}) as { origins?: readonly string[] };
  setCorsHeaders(c, origins);
});

export function setCorsHeaders(c: Context, origins: readonly string[] = []): void {
  const origin = c.req.header("Origin");
  if (origin === undefined || !origins.includes(origin)) return;
  c.res.headers.set("Access-Control-Allow-Origin", origin);
  c.res.headers.set("Access-Control-Expose-Headers", exposedHeaders.join(", "));
  c.res.headers.append("Vary", "Origin");
}

/** Lets every page read a response that reveals nothing about a credential. */
export function setPublicCorsHeaders(c: Context): void {
  c.res.headers.set("Access-Control-Allow-Origin", "*");
  c.res.headers.set("Access-Control-Expose-Headers", "WWW-Authenticate, Retry-After, X-Request-Id");
}

/** Lets every page read a public document, and responds to its preflight. */
export const allowAnyOrigin = createMiddleware(async (c, next) => {
  if (isPreflight(c)) return sendPreflight(c, ["GET"]);
  await next();
  setPublicCorsHeaders(c);
});

/** Rejects all other methods of a path with a 405 that lists the allowed ones. Allows HEAD wherever it allows GET. */
export const rejectOtherMethods =
  (...methods: string[]) =>
  (c: Context): never => {
    const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    throw problem.methodNotAllowed(c.req.method, allowed);
  };
