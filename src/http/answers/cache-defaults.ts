import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../env";

/** Answers belong to their caller; they may be kept, but are asked for again each time. 304 still works. */
export const cacheDefaults = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { headers } = c.res;
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "private, no-cache");
  headers.append("Vary", "Authorization");
});
