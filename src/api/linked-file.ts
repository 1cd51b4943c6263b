import { createMiddleware } from "hono/factory";
import { getAttachedFile } from "#actions/files.ts";
import { findValidSecrets, isValidCredential } from "#domain/credential/credential.ts";
import { verifyLink } from "#domain/files/link.ts";
import { logRecovered } from "#domain/events.ts";
import { problem } from "#domain/problem/problem.ts";
import { actionContext, readContext } from "#http/context.ts";
import type { ApiEnv } from "#http/env.ts";
import { sendFile } from "#http/file-content.ts";
import { countByNetwork } from "#http/request.ts";
import { primary } from "#store/db/session.ts";
import { findCredential } from "#store/home/credentials.ts";

/**
 * Serves a file to whoever has a link. The link names a credential, whose rights are read from the primary each time.
 * Every reason to refuse it gives the same 404.
 */
export const serveLinkedFile = createMiddleware<ApiEnv>(async (c, next) => {
  const text = c.req.query("link");
  if (text === undefined) return next();
  const isWithinLimit = await countByNetwork(c, "failures", "link ").catch((error: unknown) => {
    logRecovered(c.env, "limiter of links unavailable", error);
    return true;
  });
  if (!isWithinLimit)
    throw problem.rateLimited(60, "Too many links were opened from this address. Retry in 60 s.");
  const { keys, clock, databases } = c.env;
  const link = await verifyLink(text, keys);
  const isOfFile = link && link.file === c.req.param("id") && link.expires > clock.now();
  if (!isOfFile) throw problem.notFound();
  const credential = await findCredential(databases.home, link.credential);
  const isValid =
    credential &&
    isValidCredential(credential, clock.now()) &&
    findValidSecrets(credential, clock.now()).length > 0;
  if (!isValid) throw problem.notFound();
  const actor = `credential:${credential.id}` as const;
  const reads = readContext(
    c,
    { actor, resources: credential.resources },
    databases.openSession(primary),
  );
  const ctx = actionContext(c, actor, credential, null, undefined, reads);
  return sendFile(c, await getAttachedFile(ctx, link.file));
});
