import { exports } from "cloudflare:workers";
import { conforms } from "./conformance";
import { Client, answerOf, host, type Answer, type Json } from "./client";

/** The first owner, signed in; made once in each test file. */
let cookie: Promise<string> | undefined;

export const account = { email: "owner@forms.example", password: "correct horse battery" };

export async function admin(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
  raw?: string,
): Promise<Answer> {
  const sent = raw ?? (body && JSON.stringify(body));
  const request = new Request(`${host}/admin${path}`, {
    method,
    redirect: "manual",
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      Cookie: await ownerCookie(),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  });
  return answerOf(await exports.default.fetch(request));
}

export function ownerCookie(): Promise<string> {
  cookie ??= signUp();
  return cookie;
}

async function signUp(): Promise<string> {
  await anonymous("POST", "/admin/setup", { ...account, secret: "set-up secret of the tests" });
  const { headers } = await anonymous("POST", "/admin/sign-in", account);
  return headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

/** A request without a credential or a session. */
export async function anonymous(
  method: string,
  path: string,
  body?: object | string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const request = new Request(host + path, {
    method,
    redirect: "manual",
    headers: { Accept: "application/json", "Content-Type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const answer = await answerOf(await exports.default.fetch(request));
  await conforms(method, request.url, answer);
  return answer;
}

export const everything = [
  "records:read",
  "records:create",
  "records:write",
  "submissions:read",
  "submissions:create",
  "submissions:write",
  "submissions:delete",
  "schema:read",
  "schema:write",
  "webhooks:manage",
];

export interface CredentialChoice {
  kind?: "token" | "client";
  name?: string;
  permissions?: string[];
  resources?: "all" | string[];
  requests?: number;
  writes?: number;
  expires?: string;
  origins?: string[];
}

/** Issues a credential through the administration area. Limits are wide unless the test is about them. */
export async function issue(choice: CredentialChoice = {}): Promise<Json> {
  const answer = await admin("POST", "/integrations", {
    kind: "token",
    name: "Test",
    permissions: everything,
    resources: "all",
    requests: 100_000,
    writes: 100_000,
    expires: "30d",
    ...choice,
  });
  if (answer.status !== 201) throw new Error(`No credential: ${answer.text}`);
  return answer.body;
}

export async function client(choice: CredentialChoice = {}): Promise<Client> {
  const { token } = await issue({ ...choice, kind: "token" });
  return new Client(token);
}

let made = 0;

/** A key that no other test uses. */
export function freshKey(name: string): string {
  made += 1;
  return `${name}_${made}`;
}

const anyField = { key: "title", type: "text" };

/** Makes a form with these fields, and gives its key. */
export async function makeForm(
  by: Client,
  fields: object[] = [anyField],
  rest: object = {},
): Promise<string> {
  return make(by, "form", { fields, ...rest });
}

export async function makeApp(
  by: Client,
  fields: object[] = [anyField],
  rest: object = {},
): Promise<string> {
  return make(by, "app", { fields, ...rest });
}

async function make(by: Client, kind: "app" | "form", document: object): Promise<string> {
  const key = freshKey(kind);
  const answer = await by.put(`/${kind}s/${key}/schema`, document);
  if (answer.status !== 201) throw new Error(`No ${kind}: ${answer.text}`);
  return key;
}
