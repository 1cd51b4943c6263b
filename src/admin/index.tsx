import * as z from "zod/mini";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { AdminEnv, AppEnv } from "#http/env.ts";
import { accountRoutes } from "#admin/members/account.tsx";
import { auditRoutes } from "#admin/audit/audit.tsx";
import { collectionRoutes } from "#admin/definitions/index.tsx";
import { deletedRoutes } from "#admin/definitions/deleted.tsx";
import { itemListReads } from "#admin/items/list/load-list.ts";
import { integrationRoutes } from "#admin/credentials/index.tsx";
import { memberRoutes } from "#admin/members/members.tsx";
import { databaseRoutes } from "#admin/databases/index.tsx";
import { overviewRoutes } from "./overview.tsx";
import { action } from "./page.ts";
import { personSearchRoutes } from "./person-search.tsx";
import { searchRoutes } from "./search.tsx";
import { settingsRoutes } from "./settings.tsx";
import { ReturnPath, requireSameOrigin } from "./form-input.ts";
import { savePreferences, Preferences } from "./preferences.ts";
import { requireCompleteAccess } from "#admin/sign-in/access.ts";
import {
  limitChanges,
  requireSession,
  startsEarly,
  isKnownCaller,
} from "#admin/sign-in/session.ts";
import { signInRoutes } from "#admin/sign-in/sign-in.tsx";
import { fileRoutes, isStreamed } from "#admin/items/files/index.tsx";
import { formBytes } from "#admin/items/files/sent-files.ts";
import { webhookRoutes } from "#admin/webhooks/index.tsx";
import { problem } from "#domain/problem/problem.ts";
import { limitAnonymousBody } from "#http/body.ts";
import {
  readBody,
  hasBody,
  maxAnonymousBodyBytes,
  requireUncompressedBody,
} from "#http/read-body.ts";

/**
 * Reads the body before the session is checked, so that slow senders cannot use a session that has ended in the
 * meantime. Callers without a session that the service signed are first limited by network, and may send only a small
 * body.
 */
const receiveBody = createMiddleware<AdminEnv>(async (c, next) => {
  if (hasBody(c) && !isStreamed(c)) {
    const isKnown = await isKnownCaller(c);
    if (!isKnown) await limitAnonymousBody(c);
    requireUncompressedBody(c);
    const refusal = await readBody(c, isKnown ? formBytes(c) : maxAnonymousBodyBytes);
    if (refusal?.code === "too_large" && !isKnown)
      throw problem.anonymousBodyTooLarge(maxAnonymousBodyBytes);
    if (refusal) throw refusal;
  }
  await next();
});

const noStore = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  // Browsers keep previews of files, and revalidate them before each use.
  if (!c.var.isFile) c.res.headers.set("Cache-Control", "no-store");
});

const choosePreferences = action({
  fields: () => z.extend(Preferences(), { back: ReturnPath() }),
  async act({ c, ctx }, { back, ...preferences }) {
    await savePreferences(c, ctx, preferences);
    return { to: back, document: preferences };
  },
});

const signedInRoutes = () =>
  new Hono<AdminEnv>()
    .get("/apps/:key/items", startsEarly(itemListReads.app, "app"))
    .get("/forms/:key/items", startsEarly(itemListReads.form, "form"))
    .use(requireSession, limitChanges)
    .route("/", overviewRoutes())
    .route("/account", accountRoutes())
    .route("/apps", collectionRoutes("app"))
    .route("/audit", auditRoutes())
    .route("/deleted", deletedRoutes())
    .route("/files", fileRoutes())
    .route("/forms", collectionRoutes("form"))
    .route("/integrations", integrationRoutes())
    .route("/members", memberRoutes())
    .route("/people", personSearchRoutes())
    .route("/search", searchRoutes())
    .route("/settings/databases", databaseRoutes())
    .route("/settings", settingsRoutes())
    .route("/webhooks", webhookRoutes())
    .post("/preferences", choosePreferences);

/** The routes of the administration, under `/admin`. */
export const admin = () =>
  new Hono<AdminEnv>()
    .use(noStore, requireCompleteAccess, requireSameOrigin, receiveBody)
    .route("/", signInRoutes())
    .route("/", signedInRoutes());
