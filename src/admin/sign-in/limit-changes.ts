import { createMiddleware } from "hono/factory";
import { problem } from "../../domain/problem/problem";
import type { AdminEnv } from "../../env";
import { logMended } from "../../http/answers/log";
import { timely } from "../../store/db/attempt";

/** Counts what a member changes, or tries to: 120 in a minute. While it cannot be counted, it goes on. */
export const limitChanges = createMiddleware<AdminEnv>(async (c, next) => {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") {
    const key = c.var.member.id;
    const { success } = await timely(() => c.env.CHANGES.limit({ key })).catch((error: unknown) => {
      logMended("changes of members cannot be counted", error);
      return { success: true };
    });
    if (!success)
      throw problem.rateLimited(60, "Too many changes in a minute. Wait a minute, then try again.");
  }
  await next();
});
