import type { Credential } from "#domain/credential/credential.ts";
import type { CredentialGate } from "#gate/gate.ts";
import { problem } from "#domain/problem/problem.ts";
import { logMended } from "#http/log.ts";
import { pause, timely, TookTooLong } from "#store/db/retry.ts";
import type { Context } from "hono";
import type { CredentialContext } from "#actions/credentials.ts";
import { signingKeys } from "#domain/credential/keys.ts";
import type { AdminEnv } from "#http/env.ts";
import { noCalls, type CallLog } from "#gate/call-log.ts";
import { random } from "#admin/sign-in/session.ts";

const mostTries = 4;
const firstPause = 25;

/**
 * Tells a credential's object of a change, so that it holds for the next request. What cannot be told is not answered as
 * done: 503, and the object reads it itself within 60 seconds. That of one that was never called is left alone: an object is
 * made near whoever asks for it first, and stays there.
 */
export async function announce(
  gate: DurableObjectNamespace<CredentialGate>,
  credential: Credential,
): Promise<void> {
  if (!credential.called) return;
  for (let tries = 1; ; tries += 1) {
    try {
      await timely(() => gate.getByName(credential.id).change(credential));
      return;
    } catch (error) {
      logMended("credential object not told of a change", error);
      // Whoever tells it again at once would wait as long again.
      if (tries === mostTries || error instanceof TookTooLong) throw problem.tryAgain(2);
      await pause(firstPause * 2 ** tries);
    }
  }
}

const atOnce = 10;

/** Tells the objects of many credentials, some at a time. */
export async function announceAll(
  gate: DurableObjectNamespace<CredentialGate>,
  credentials: readonly Credential[],
): Promise<void> {
  for (let from = 0; from < credentials.length; from += atOnce) {
    const some = credentials.slice(from, from + atOnce);
    await Promise.all(some.map((each) => announce(gate, each)));
  }
}

export function credentialContext(c: Context<AdminEnv>): CredentialContext {
  return {
    ...c.var.action,
    member: c.var.member,
    keys: signingKeys(c.env.TOKEN_SECRET),
    random: () => random(32),
    announce: (credential) => announce(c.env.GATE, credential),
  };
}

/** The log that the credential's own object keeps; none while it cannot be reached, nor before it was called. */
export async function callLog(
  { env }: Pick<Context<AdminEnv>, "env">,
  { id, called }: Pick<Credential, "id" | "called">,
): Promise<CallLog> {
  if (!called) return noCalls();
  try {
    return await timely<CallLog>(async () => env.GATE.getByName(id).report());
  } catch (error) {
    logMended("log of calls unreadable", error);
    return noCalls();
  }
}
