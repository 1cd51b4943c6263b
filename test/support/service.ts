import { exports } from "cloudflare:workers";
import { ulid } from "ulid";
import { conforms } from "./conformance";
import { Client, answerOf, host, type Answer, type Json } from "./client";
import { insertMember, insertSession } from "./member-rows";

let sessionOfOwner: Promise<string> | undefined;

export const account = { email: "owner@forms.example", password: "correct horse battery" };

export async function admin(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
  raw?: string,
): Promise<Answer> {
  return answerOf(
    await exports.default.fetch(await adminRequest(method, path, body, headers, raw)),
  );
}

/** A request to the administration area, as the owner. */
export async function adminRequest(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
  raw?: string,
): Promise<Request> {
  const text = raw ?? (body && JSON.stringify(body));
  return new Request(`${host}/admin${path}`, {
    method,
    redirect: "manual",
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      Cookie: await ownerCookie(),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
  });
}

export const ownerCookie = (): Promise<string> => (sessionOfOwner ??= createOwner());

async function createOwner(): Promise<string> {
  const id = ulid();
  await insertMember({ id, role: "owner", ...account });
  return insertSession(id);
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

/** Issues a credential in the administration, with high limits by default. */
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

let lastKey = 0;

/** Returns a key that no other test uses. */
export function freshKey(name: string): string {
  lastKey += 1;
  return `${name}_${lastKey}`;
}

const anyField = { key: "title", type: "text" };

/** Creates a form with these fields and returns its key. */
export async function makeForm(
  creator: Client,
  fields: object[] = [anyField],
  settings: object = {},
): Promise<string> {
  return createCollection(creator, "form", { fields, ...settings });
}

export async function makeApp(
  creator: Client,
  fields: object[] = [anyField],
  settings: object = {},
): Promise<string> {
  return createCollection(creator, "app", { fields, ...settings });
}

async function createCollection(
  creator: Client,
  kind: "app" | "form",
  document: object,
): Promise<string> {
  const key = freshKey(kind);
  const answer = await creator.put(`/${kind}s/${key}/schema`, document);
  if (answer.status !== 201) throw new Error(`No ${kind}: ${answer.text}`);
  return key;
}
