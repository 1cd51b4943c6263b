import * as z from "zod/mini";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { AdminEnv, AppEnv } from "#http/env.ts";
import { wholeBody } from "#http/body.ts";
import { account } from "#admin/members/account.tsx";
import { audit } from "#admin/audit/audit.tsx";
import { collections } from "#admin/definitions/index.tsx";
import { integrations } from "#admin/credentials/index.tsx";
import { members } from "#admin/members/members.tsx";
import { overview } from "./overview.tsx";
import { answerDone } from "./page.ts";
import { Back, readFields, sameOrigin } from "./form-input.ts";
import { keepPreferences, Preferences } from "./preferences.ts";
import { limitChanges, signedIn } from "#admin/sign-in/session.ts";
import { signInRoutes } from "#admin/sign-in/sign-in.tsx";
import { webhooks } from "#admin/webhooks/index.tsx";

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
