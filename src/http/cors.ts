import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { ApiEnv } from "./env.ts";
import { problem } from "#domain/problem/problem.ts";

/** What pages of other origins may read of an answer, besides what every page may (contract, section 15). */
const exposed = [
  "ETag",
  "Location",
  "Link",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "Idempotent-Replayed",
  "Idempotency-Key-Mismatch",
  "X-Request-Id",
];

/** What they may send. */
const sent = [
  "Authorization",
  "Cache-Control",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "X-Request-Id",
];
const rememberedSeconds = 7200;

/** Whether a browser asks what a page of another origin may do (Fetch, section 4.8). */
export function isPreflight(c: Context): boolean {
  const { method } = c.req;
  const asked = c.req.header("Access-Control-Request-Method") !== undefined;
  return method === "OPTIONS" && asked && c.req.header("Origin") !== undefined;
}

/**
 * The answer to a browser that asks first, without a credential: of a path that there is, with its methods. It says
 * nothing of who may: whether the answer itself may be read is decided with it.
 */
export function answerPreflight(c: Context, methods: readonly string[]): Response {
  return c.body(null, 204, {
    "Access-Control-Allow-Origin": c.req.header("Origin") ?? "",
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Allow-Headers": sent.join(", "),
    "Access-Control-Max-Age": String(rememberedSeconds),
    Vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  });
}

/** Answers of a credential may be read by pages of its allowed origins, and by no others. */
export const shareWithOrigins = createMiddleware<ApiEnv>(async (c, next) => {
  await next();
  const { origins } = (c.var.grant ?? {}) as { origins?: readonly string[] };
  shareWith(c, origins);
});

export function shareWith(c: Context, origins: readonly string[] = []): void {
  const origin = c.req.header("Origin");
  if (origin === undefined || !origins.includes(origin)) return;
  c.res.headers.set("Access-Control-Allow-Origin", origin);
  c.res.headers.set("Access-Control-Expose-Headers", exposed.join(", "));
  c.res.headers.append("Vary", "Origin");
}

/** What tells nothing of any credential, but where one is had, may be read by every page. */
export function shareWithAll(c: Context): void {
  c.res.headers.set("Access-Control-Allow-Origin", "*");
  c.res.headers.set("Access-Control-Expose-Headers", "WWW-Authenticate, Retry-After, X-Request-Id");
}

/** A public document, of which a page may also ask first. */
export const publicly = createMiddleware(async (c, next) => {
  if (isPreflight(c)) return answerPreflight(c, ["GET"]);
  await next();
  shareWithAll(c);
});

/** For the other methods of a path that exists: 405 with what is possible. HEAD works where GET does. */
export const only =
  (...methods: string[]) =>
  (c: Context): never => {
    const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    throw problem.methodNotAllowed(c.req.method, allowed);
  };
