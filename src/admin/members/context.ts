import type { Context } from "hono";
import type { MemberContext } from "../../actions/members/members";
import { signingKeys } from "../../domain/credential/signature";
import type { AdminEnv } from "../../env";
import { announceAll } from "../credentials/announce";
import { random } from "../sign-in/session";

export function memberContext(c: Context<AdminEnv>): MemberContext {
  const announce: MemberContext["announce"] = (credentials) => announceAll(c.env.GATE, credentials);
  const keys = signingKeys(c.env.TOKEN_SECRET);
  return { ...c.var.action, member: c.var.member, keys, random, announce };
}
