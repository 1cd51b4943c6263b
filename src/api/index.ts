import { Hono } from "hono";
import { problem } from "../domain/problem";
import { stamp } from "../domain/time";
import type { ApiEnv } from "../env";
import { authenticate, identify } from "../middleware/authenticate";
import { recallReplay } from "../middleware/idempotency";
import { definitions } from "./definitions";
import { records } from "./records";
import { submissions } from "./submissions";

/** The REST API: every route below `/api/v1`. */
export const api = new Hono<ApiEnv>()
  .use(identify, recallReplay, authenticate)
  .get("/me", (c) => {
    const { kind, name, permissions, resources, limits, expiresAt } = c.var.grant;
    const expires_at = expiresAt === null ? null : stamp(expiresAt);
    return c.json({ kind, name, permissions, resources, limits, expires_at });
  })
  .route("/", records)
  .route("/", submissions)
  .route("/", definitions);

for (const [path, methods] of methodsByPath()) {
  api.all(path, (c) => {
    throw problem.methodNotAllowed(c.req.method, methods);
  });
}

/** Paths that exist answer 405 to other methods. HEAD works where GET does. */
function methodsByPath(): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  for (const { path, method } of api.routes) {
    if (method === "ALL") continue;
    const methods = paths.get(path) ?? [];
    const named = method === "GET" ? ["GET", "HEAD"] : [method];
    paths.set(path, [...new Set([...methods, ...named])]);
  }
  return paths;
}
