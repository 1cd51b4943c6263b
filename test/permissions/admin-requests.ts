import type { Role } from "../../src/domain/credential/permissions.ts";
import { as, newMember, type Member } from "../support/members";
import { announceFile, announcement, attachedFile, fileBody } from "../support/admin-files";
import { rightRequest } from "../support/right-requests";
import { admin, everything, freshKey, issue } from "../support/service";
import { world } from "../support/world";
import { routeOf } from "./tables";
import { homeDb } from "../support/databases";

/** Prepares the request of each row in the administration table, for the calling member. */

/** Replaces parts of the valid request of the route. */
interface RequestDetails {
  id?: string;
  body?: object;
  query?: string;
}
type Prepare = (caller: Member) => Promise<RequestDetails> | RequestDetails;

const invite = (role: Role) => () => ({
  body: { email: `${freshKey("invited")}@forms.example`, role },
});
const changeMember = (role: Role, body: object) => async () => ({
  id: (await newMember(role)).id,
  body,
});
const disableMember = (role: Role) => changeMember(role, { disabled: "true" });
const restoreMember = (role: Role) => async () => {
  const { id } = await newMember(role);
  await admin("POST", `/members/${id}`, { disabled: "true" });
  return { id, body: { disabled: "false" } };
};
const changeSelf =
  (body: object): Prepare =>
  ({ id }) => ({ id, body });

export const credentialInput = (kind: "token" | "client", ...granted: string[]) => ({
  kind,
  name: "Mine",
  permissions: granted,
  resources: "all",
  expires: "30d",
});

async function issueAs({ cookie }: Member, kind: "token" | "client"): Promise<string> {
  const input = credentialInput(kind, "schema:read");
  const { status, text, body } = await as(cookie)("POST", "/integrations", input);
  if (status !== 201) throw new Error(text);
  return body.id;
}

/** Issues a client as an admin, then restores the role of the caller. */
async function issueAsFormerAdmin(caller: Member): Promise<string> {
  const setRole = (role: string) =>
    homeDb.prepare("UPDATE member SET role = ? WHERE id = ?").bind(role, caller.id).run();
  const { role } = (await as(caller.cookie)("GET", "/account")).body;
  await setRole("admin");
  const id = await issueAs(caller, "client");
  await setRole(role);
  return id;
}

const issuers: Record<string, (caller: Member) => Promise<string>> = {
  "own token": (caller) => issueAs(caller, "token"),
  "another member's token": async () => (await issue({ kind: "token" })).id,
  "another member's client": async () => (await issue({ kind: "client" })).id,
  "own client made as an admin": issueAsFormerAdmin,
};

/** Credentials of other members, shared by reads: a member can have at most 100. */
const sharedIds = new Map<string, Promise<string>>();

function sharedCredential(name: string, caller: Member): Promise<string> {
  const issuer = issuers[name] ?? issuers["own token"];
  if (!issuer) throw new Error(`Unknown credential: ${name}`);
  if (!name.startsWith("another member's")) return issuer(caller);
  const id = sharedIds.get(name) ?? issuer(caller);
  sharedIds.set(name, id);
  return id;
}

/** The routes of a credential, with the body of each write. */
export const credentialRoutes: Record<string, object | undefined> = {
  "GET /admin/integrations/:id": undefined,
  "GET /admin/integrations/:id/access": undefined,
  "GET /admin/integrations/:id/secrets": undefined,
  "GET /admin/integrations/:id/secret": undefined,
  "POST /admin/integrations/:id": { name: "Renamed" },
  "POST /admin/integrations/:id/rotate": { overlap: "1h" },
  "POST /admin/integrations/:id/expire": { secret: 0 },
  "POST /admin/integrations/:id/revoke": {},
};

const credentialRows: [act: string, Prepare][] = [
  ...everything.map((permission): [string, Prepare] => [
    `POST /admin/integrations, a token with ${permission}`,
    () => ({ body: credentialInput("token", permission) }),
  ]),
  ...Object.entries(credentialRoutes).flatMap(([act, body]) =>
    Object.entries(issuers).map(([name, issuer]): [string, Prepare] => [
      `${act}, ${name}`,
      async (caller) => ({
        id: await (body ? issuer(caller) : sharedCredential(name, caller)),
        ...(body ? { body } : {}),
      }),
    ]),
  ),
];

const fileRows: Record<string, Prepare> = {
  "POST /admin/files": async () => ({ body: await announcement() }),
  "PUT /admin/files/:id/content, of an own file": async ({ id, cookie }) => {
    // A viewer cannot announce a file.
    const { role } = (await as(cookie)("GET", "/account")).body;
    const owner = role === "viewer" ? await newMember("owner") : { id, cookie };
    return { id: await announceFile(owner.cookie), body: fileBody };
  },
  "PUT /admin/files/:id/content, of another member's file": async () => ({
    id: await announceFile((await newMember("owner")).cookie),
    body: fileBody,
  }),
  "GET /admin/files/:id/content, of an item": async () => ({ id: await attachedFile() }),
  "GET /admin/files/:id/content, of no item": async ({ cookie }) => {
    const { role } = (await as(cookie)("GET", "/account")).body;
    const owner = role === "viewer" ? await newMember("owner") : { cookie };
    return { id: await announceFile(owner.cookie) };
  },
  "POST /admin/files/:id/link, of an item": async () => ({ id: await attachedFile(), body: {} }),
};

/** Preparations by action. Other actions send the valid request of their route. */
export const preparations: Record<string, Prepare> = {
  ...Object.fromEntries(credentialRows),
  ...fileRows,
  "POST /admin/sign-in": ({ email, password }) => ({ body: { email, password } }),
  "POST /admin/account/password": ({ password }) => ({
    body: { current: password, password: "another password" },
  }),
  "POST /admin/members, inviting a viewer": invite("viewer"),
  "POST /admin/members, inviting an editor": invite("editor"),
  "POST /admin/members, inviting an admin": invite("admin"),
  "POST /admin/members, inviting an owner": invite("owner"),
  "POST /admin/members/:id, making a viewer an editor": changeMember("viewer", { role: "editor" }),
  "POST /admin/members/:id, making an editor a viewer": changeMember("editor", { role: "viewer" }),
  "POST /admin/members/:id, making a viewer an admin": changeMember("viewer", { role: "admin" }),
  "POST /admin/members/:id, making an editor an owner": changeMember("editor", { role: "owner" }),
  "POST /admin/members/:id, making an admin a viewer": changeMember("admin", { role: "viewer" }),
  "POST /admin/members/:id, making an admin an owner": changeMember("admin", { role: "owner" }),
  "POST /admin/members/:id, making an owner an editor": changeMember("owner", { role: "editor" }),
  "POST /admin/members/:id, removing a viewer": disableMember("viewer"),
  "POST /admin/members/:id, removing an editor": disableMember("editor"),
  "POST /admin/members/:id, removing an admin": disableMember("admin"),
  "POST /admin/members/:id, removing an owner": disableMember("owner"),
  "POST /admin/members/:id, restoring a viewer": restoreMember("viewer"),
  "POST /admin/members/:id, restoring an editor": restoreMember("editor"),
  "POST /admin/members/:id, restoring an admin": restoreMember("admin"),
  "POST /admin/members/:id, restoring an owner": restoreMember("owner"),
  "POST /admin/members/:id/reset, of a viewer": changeMember("viewer", {}),
  "POST /admin/members/:id/reset, of an editor": changeMember("editor", {}),
  "POST /admin/members/:id/reset, of an admin": changeMember("admin", {}),
  "POST /admin/members/:id/reset, of an owner": changeMember("owner", {}),
  "POST /admin/members/:id, making yourself an owner": changeSelf({ role: "owner" }),
  "POST /admin/members/:id, making yourself a viewer": changeSelf({ role: "viewer" }),
  "POST /admin/members/:id, removing yourself": changeSelf({ disabled: "true" }),
  "POST /admin/members/:id, an unknown member": () => ({ id: "nobody" }),
  "POST /admin/integrations, a client with schema:read": () => ({
    body: credentialInput("client", "schema:read"),
  }),
  "POST /admin/integrations/:id, own token, to write": async (caller) => ({
    id: await issueAs(caller, "token"),
    body: { permissions: ["schema:read", "records:write"] },
  }),
  "POST /admin/forms/:key/items/:id/reopen, after it was closed": async () => {
    const items = `/forms/${(await world()).form.key}/items`;
    const { id } = (await admin("POST", items, { data: { title: "Closed" } })).body;
    await admin("POST", `${items}/${id}/close`, {});
    return { id, body: {} };
  },
};

export interface PreparedRequest {
  method: string;
  path: string;
  body?: object;
}

export async function requestOf(act: string, caller: Member): Promise<PreparedRequest> {
  const { id, body, query = "" } = (await preparations[act]?.(caller)) ?? {};
  const request = await rightRequest(routeOf(act), id === undefined ? {} : { id });
  const content = body ?? request.body;
  const { method, path } = request;
  return { method, path: path + query, ...(content === undefined ? {} : { body: content }) };
}
