import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { AdminEnv, AppEnv } from "../env";
import { integrations } from "./integrations";
import { sameOrigin } from "./same-origin";
import { signedIn } from "./session";
import { signInRoutes } from "./sign-in";

const uncached = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
});

const members = new Hono<AdminEnv>()
  .use(signedIn)
  .get("/", (c) => c.redirect("/admin/integrations", 303))
  .route("/integrations", integrations);

/** The administration area: below `/admin`. */
export const admin = new Hono<AppEnv>()
  .use(uncached, sameOrigin)
  .route("/", signInRoutes)
  .route("/", members);
