import type { Answer } from "../support/client";
import { as, cookieOf, newMember, signIn as submitSignIn, type Member } from "../support/members";
import { freshKey } from "../support/service";

/** A member with a session in the administration. */
export type Person = Member & { send: ReturnType<typeof as> };

export async function createMember(role: string): Promise<Person> {
  const member = await newMember(role);
  return { ...member, send: as(member.cookie) };
}

/** Signs in from a new client address and returns the session cookie, or an empty text if sign-in fails. */
export async function signIn(email: string, password: string): Promise<string> {
  return cookieOf(await submitSignIn(email, password, { "CF-Connecting-IP": freshKey("address") }));
}

/** The path of the link in the response to an invitation. */
export const linkOf = ({ body }: Answer): string => new URL(body.link).pathname;
