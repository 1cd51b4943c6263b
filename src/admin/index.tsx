import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { AdminEnv, AppEnv } from "../env";
import { wholeBody } from "../http/doors/whole-body";
import { account } from "./members/account";
import { audit } from "./audit";
import { collections } from "./definitions";
import { integrations } from "./credentials";
import { members } from "./members";
import { overview } from "./overview";
import { sameOrigin } from "./frame/same-origin";
import { limitChanges } from "./sign-in/limit-changes";
import { signedIn } from "./sign-in/session";
import { signInRoutes } from "./sign-in";

const uncached = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
});

const signedInRoutes = new Hono<AdminEnv>()
  .use(signedIn, limitChanges)
  .route("/", overview)
  .route("/account", account)
  .route("/apps", collections("app"))
  .route("/audit", audit)
  .route("/forms", collections("form"))
  .route("/integrations", integrations)
  .route("/members", members);

/** The administration area: below `/admin`. */
export const admin = new Hono<AppEnv>()
  .use(uncached, sameOrigin, wholeBody)
  .route("/", signInRoutes)
  .route("/", signedInRoutes);
