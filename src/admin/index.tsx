import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import * as z from "zod/mini";
import { problem } from "../domain/problem/problem";
import type { AdminEnv, AppEnv } from "../env";
import { account } from "./members/account";
import { audit } from "./audit";
import { collections } from "./definitions";
import { integrations } from "./credentials";
import { members } from "./members";
import { overview } from "./overview";
import { answerDone, Back } from "./frame/answers";
import { readFields } from "./frame/negotiate";
import { keepPreferences, Preferences } from "./frame/preferences";
import { sameOrigin } from "./frame/same-origin";
import { signedIn } from "./sign-in/session";
import { signInRoutes } from "./sign-in";

const uncached = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  c.res.headers.set("Cache-Control", "no-store");
});

const signedInRoutes = new Hono<AdminEnv>()
  .use(signedIn)
  .route("/", overview)
  .route("/account", account)
  .route("/apps", collections("app"))
  .route("/audit", audit)
  .route("/forms", collections("form"))
  .route("/integrations", integrations)
  .route("/members", members)
  .post("/preferences", async (c) => {
    const { back, ...chosen } = await readFields(c, z.extend(Preferences, { back: Back }));
    keepPreferences(c, chosen);
    return answerDone(c, chosen, back);
  });

const maxSize = 1024 * 1024;
const limit = bodyLimit({
  maxSize,
  onError: () => {
    throw problem.tooLarge(maxSize);
  },
});

/** The administration area: below `/admin`. */
export const admin = new Hono<AppEnv>()
  .use(uncached, sameOrigin, limit)
  .route("/", signInRoutes)
  .route("/", signedInRoutes);
