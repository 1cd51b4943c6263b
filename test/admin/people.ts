import type { Answer } from "../support/client";
import { as, cookieOf, newMember, signIn as askToSignIn, type Member } from "../support/members";
import { freshKey } from "../support/service";

/** Somebody with a session in the administration area. */
export type Person = Member & { ask: ReturnType<typeof as> };

export async function somebody(role: string): Promise<Person> {
  const member = await newMember(role);
  return { ...member, ask: as(member.cookie) };
}

/** The cookie of a session that this password starts, from an address of its own; empty where it starts none. */
export async function signIn(email: string, password: string): Promise<string> {
  return cookieOf(await askToSignIn(email, password, { "CF-Connecting-IP": freshKey("address") }));
}

/** The path of the link that an invitation gave. */
export const linkOf = ({ body }: Answer): string => new URL(body.link).pathname;
