import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../env";

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
