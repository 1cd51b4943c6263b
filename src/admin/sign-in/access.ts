import { cloudflareAccess } from "@hono/cloudflare-access";
import type { Context } from "hono";
import type { AdminEnv } from "../../env";
import { findMemberByEmail, type Member } from "../../store/members/members";

/** Whether Cloudflare Access signs in, instead of passwords. */
export function usesAccess({ ACCESS_TEAM }: { ACCESS_TEAM?: string }): boolean {
  return ACCESS_TEAM !== undefined && ACCESS_TEAM !== "";
}

/** Keeps the team's keys for an hour, so it is made once. */
let check: { team: string; run: ReturnType<typeof cloudflareAccess> } | undefined;

/** The member whom Cloudflare Access has signed in; it checks signature, issuer, audience and expiry. */
export async function memberOfAccess(c: Context<AdminEnv>): Promise<Member | undefined> {
  const { ACCESS_TEAM: team, ACCESS_AUDIENCE: audience } = c.env;
  if (check?.team !== team) {
    const name = new URL(team).hostname.replace(/\.cloudflareaccess\.com$/, "");
    check = { team, run: cloudflareAccess(name, audience) };
  }
  let passed = false;
  await check.run(c, async () => {
    passed = true;
  });
  if (!passed) return undefined;
  const { email } = c.get("accessPayload");
  return email === undefined ? undefined : findMemberByEmail(c.env.DB, email.toLowerCase());
}
