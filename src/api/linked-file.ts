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
import { rightsOf } from "#domain/credential/permissions.ts";
import type { Service } from "#http/service.ts";
import { findCredential } from "#store/home/credentials.ts";
import { findMember } from "#store/home/members.ts";

/**
 * Serves a file to any caller with a link. The link contains a credential or a member, and each request reads its
 * rights from the primary. Every invalid link returns the same 404.
 */
export const serveLinkedFile = createMiddleware<ApiEnv>(async (c, next) => {
  const token = c.req.query("link");
  if (token === undefined) return next();
  const isWithinLimit = await countByNetwork(c, "failures", "link ").catch((error: unknown) => {
    logRecovered(c.env, "limiter of links unavailable", error);
    return true;
  });
  if (!isWithinLimit)
    throw problem.rateLimited(60, "Too many links were opened from this address. Retry in 60 s.");
  const { keys, clock, databases } = c.env;
  const link = await verifyLink(token, keys);
  const isValid = link && link.file === c.req.param("id") && link.expires > clock.now();
  if (!isValid) throw problem.notFound();
  const holder = await findHolder(c.env, link.credential);
  if (!holder) throw problem.notFound();
  const { actor, rights } = holder;
  const { resources } = rights;
  const reads = readContext(c, { actor, resources }, databases.openSession(primary));
  const ctx = actionContext(c, actor, rights, null, undefined, reads);
  return sendFile(c, await getAttachedFile(ctx, link.file));
});

/**
 * Finds the credential or the member who created a link, with the current rights. Returns undefined if it no longer
 * exists.
 */
async function findHolder({ databases, clock }: Service, id: string) {
  const credential = await findCredential(databases.home, id);
  if (!credential) {
    const member = await findMember(databases.home, id);
    return member && { actor: `member:${id}` as const, rights: rightsOf(member.role) };
  }
  const isValid =
    isValidCredential(credential, clock.now()) &&
    findValidSecrets(credential, clock.now()).length > 0;
  return isValid ? { actor: `credential:${id}` as const, rights: credential } : undefined;
}
