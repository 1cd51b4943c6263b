import { Client, type Answer, type Json } from "./client";
import { admin, anonymous, freshKey } from "./service";
import { insertMember, insertSession } from "./member-rows";

/** A member with a session in the administration. */
export interface Member {
  id: string;
  email: string;
  password: string;
  cookie: string;
}

/** Sends requests to the administration with this cookie. */
export const as =
  (cookie: string) =>
  (method: string, path: string, body?: object): Promise<Answer> =>
    anonymous(method, `/admin${path}`, body, { Cookie: cookie });

export async function signIn(
  email: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return anonymous("POST", "/admin/sign-in", { email, password }, headers);
}

/** The cookie that a response sets. */
export const cookieOf = ({ headers }: Answer) => headers.getSetCookie()[0]?.split(";")[0] ?? "";

/**
 * Invites a member, who joins with the link and signs in. Use `newMember` if this does not matter, because it is much
 * faster.
 */
export async function join(
  role: string,
  email = `${freshKey(role)}@forms.example`,
): Promise<Member> {
  const password = "a password of some length";
  const invitation = await admin("POST", "/members", { email, role });
  if (!invitation.body.link) throw new Error(invitation.text);
  await anonymous("POST", new URL(invitation.body.link).pathname, { password });
  const cookie = cookieOf(await signIn(email, password));
  const { items } = (await admin("GET", "/members")).body;
  const { id } = items.find((member: Json) => member.email === email);
  return { id, email, password, cookie };
}

/** Creates a member with a session directly in D1, because hashing hundreds of passwords takes long. */
export async function newMember(role = "editor"): Promise<Member> {
  const id = freshKey("member");
  const password = `the password of ${id}`;
  const email = `${id}@forms.example`;
  await insertMember({ id, email, role, password });
  return { id, email, password, cookie: await newSession(id) };
}

export const newSession = (memberId: string): Promise<string> => insertSession(memberId);

/** Issues a token of a new editor, who can read and change definitions. */
export async function issueEditorToken(
  permissions = ["schema:read", "schema:write"],
): Promise<Client> {
  const { cookie } = await newMember("editor");
  const { body } = await as(cookie)("POST", "/integrations", {
    kind: "token",
    name: "An editor's",
    permissions,
    resources: "all",
    expires: "30d",
  });
  return new Client(body.token);
}
