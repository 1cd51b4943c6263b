import type { Exchanged } from "../../domain/credential/grant";
import { problem } from "../../domain/problem/problem";
import type { Presented } from "../../domain/credential/token";
import type { Admission } from "../../gate/quota";
import { exchangedFor, grantOf } from "../../gate/grant";
import { noTicket } from "../../gate/own-writes";
import { findCredential } from "../../store/credentials/credentials";
import { timely } from "../../store/db/attempt";
import { logMended } from "../answers/log";
import { countHere } from "./own-count";
import { returnNews, takeNews } from "../answers/news";

/**
 * Asks the credential's object. When it cannot be reached, authentication falls back to one D1 read, and limiting
 * to what this isolate has counted and the platform's rate-limit binding: the request is served, with limits that are
 * not exact for that while.
 */
export async function admit(
  env: Bindings,
  presented: Presented,
  write: boolean,
): Promise<Admission> {
  const { credentialId } = presented;
  const news = takeNews(credentialId);
  try {
    // A stub is of no use after an exception, so each request takes its own.
    return await timely<Admission>(async () =>
      env.GATE.getByName(credentialId).admit(presented, write, news),
    );
  } catch (error) {
    if (news) returnNews(credentialId, news);
    logMended("credential object unreachable", error);
    return withoutObject(env, presented, write);
  }
}

async function withoutObject(
  env: Bindings,
  presented: Presented,
  write: boolean,
): Promise<Admission> {
  const credential = await readCredential(env, presented);
  const grant = credential && grantOf(credential, presented.proof, Date.now());
  if (!grant) return { verdict: "refused" };
  const { wait, quotas } = countHere(grant.credentialId, grant.limits, write, Date.now());
  if (wait > 0) return { verdict: "limited", grant, retryAfter: Math.ceil(wait / 1000), quotas };
  const success = await countWithoutObject(env, grant.credentialId);
  if (!success) return { verdict: "limited", grant, retryAfter: 60, quotas };
  // What it wrote is not known: its reads ask the primary.
  const seen = { bookmark: null, untold: true, overdue: null };
  return { verdict: "admitted", grant, quotas, seen, ticket: write ? noTicket : null };
}

/** Exchanges a client's secret, by its object or, when that cannot be reached, by one D1 read. */
export async function exchangeSecret(
  env: Bindings,
  presented: Presented,
): Promise<Exchanged | undefined> {
  try {
    return await timely<Exchanged | undefined>(async () =>
      env.GATE.getByName(presented.credentialId).exchange(presented),
    );
  } catch (error) {
    logMended("credential object unreachable", error);
    const credential = await readCredential(env, presented);
    const exchanged = credential && exchangedFor(credential, presented.proof, Date.now());
    if (!exchanged) return undefined;
    const success = await countWithoutObject(env, `exchange ${presented.credentialId}`);
    return success ? exchanged : { retryAfter: 60 };
  }
}

async function countWithoutObject(env: Bindings, key: string): Promise<boolean> {
  const { success } = await timely(() => env.FALLBACK.limit({ key })).catch((error: unknown) => {
    logMended("fallback of the limits unreachable", error);
    throw problem.tryAgain();
  });
  return success;
}

async function readCredential(env: Bindings, { credentialId }: Presented) {
  return findCredential(env.DB, credentialId).catch((error: unknown) => {
    logMended("credential unreadable", error);
    throw problem.tryAgain();
  });
}
