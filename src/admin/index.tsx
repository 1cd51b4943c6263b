import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as z from "zod/mini";
import type { AdminEnv, AppEnv } from "../env";
import { wholeBody } from "../http/request/whole-body";
import { account } from "./members/account";
import { audit } from "./audit/index";
import { collections } from "./definitions";
import { integrations } from "./credentials";
import { members } from "./members/index";
import { overview } from "./overview/overview";
import { answerDone } from "./frame/answers";
import { Back } from "./frame/own-path";
import { readFields } from "./frame/negotiate";
import { keepPreferences, Preferences } from "./frame/preferences";
import { sameOrigin } from "./frame/same-origin";
import { limitChanges } from "./sign-in/limit-changes";
import { signedIn } from "./sign-in/session";
import { signInRoutes } from "./sign-in";
import { webhooks } from "./webhooks";

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
  .route("/members", members)
  .route("/webhooks", webhooks)
  .post("/preferences", async (c) => {
    const { back, ...chosen } = await readFields(c, z.extend(Preferences, { back: Back }));
    keepPreferences(c, chosen);
    return answerDone(c, chosen, back);
  });

/** The administration area: below `/admin`. */
export const admin = new Hono<AppEnv>()
  .use(uncached, sameOrigin, wholeBody)
  .route("/", signInRoutes)
  .route("/", signedInRoutes);
