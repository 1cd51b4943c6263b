import { createMiddleware } from "hono/factory";
import { problem } from "../../domain/problem/problem";
import type { AppEnv } from "../../env";

/**
 * Refuses requests that another site makes with a member's cookie. Browsers always say where a POST comes from;
 * a request that says nothing comes from a script, which has no cookie that was not given to it.
 */
export const sameOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const safe = c.req.method === "GET" || c.req.method === "HEAD";
  if (!safe && !isOwn(c.req.header("Origin"), c.req.header("Sec-Fetch-Site"), c.req.url)) {
    throw problem.crossSite();
  }
  await next();
});

function isOwn(origin: string | undefined, site: string | undefined, url: string): boolean {
  // Browsers alone can say this, and no page can change it.
  if (site !== undefined) return site === "same-origin" || site === "none";
  return origin === undefined || origin === new URL(url).origin;
}
