import type { Context } from "hono";
import type { CredentialContext } from "../../actions/credentials/credentials";
import type { Credential } from "../../domain/credential/credential";
import { signingKeys } from "../../domain/credential/signature";
import type { AdminEnv } from "../../env";
import { noCalls, type CallLog } from "../../gate/call-log";
import { logMended } from "../../http/answers/log";
import { timely } from "../../store/db/attempt";
import { random } from "../sign-in/session";
import { announce } from "./announce";

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
