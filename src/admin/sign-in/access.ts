import { cloudflareAccess } from "@hono/cloudflare-access";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { accessError } from "#domain/access.ts";
import { memoryPart } from "#domain/memory.ts";
import { problem } from "#domain/problem/problem.ts";
import type { AdminEnv, AppEnv } from "#http/env.ts";
import { logMisconfiguration } from "#domain/events.ts";
import type { Settings } from "#http/service.ts";

/** Whether members sign in with Cloudflare Access instead of passwords. */
export const usesAccess = ({ settings }: { settings: Settings }): boolean =>
  settings.access.team !== "";

/** Rejects every request to the administration area while the settings of Access are incomplete. */
export const requireCompleteAccess = createMiddleware<AppEnv>(async (c, next) => {
  const error = accessError(c.env.settings.access);
  if (error !== undefined) {
    logMisconfiguration(c.env, error);
    throw problem.accessIncomplete(error);
  }
  await next();
});

/** The cached middleware. It caches the keys of the team for an hour, so an isolate must not create it for each request. */
const accessMemory = memoryPart(
  (): {
    verifier?: { team: string; run: ReturnType<typeof cloudflareAccess> };
  } => ({}),
);

/** Returns the email address in the request's Access token. The middleware checks its signature, issuer, audience and expiry. */
export async function findAccessEmail(c: Context<AdminEnv>): Promise<string | undefined> {
  const { team, audience } = c.env.settings.access;
  const access = accessMemory(c.env.memory);
  let { verifier } = access;
  if (verifier?.team !== team) {
    const name = new URL(team).hostname.replace(/\.cloudflareaccess\.com$/, "");
    verifier = { team, run: cloudflareAccess(name, audience) };
    access.verifier = verifier;
  }
  let isVerified = false;
  await verifier.run(c, async () => {
    isVerified = true;
  });
  if (!isVerified) return undefined;
  return c.get("accessPayload").email?.toLowerCase();
}
