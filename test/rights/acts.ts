import { env } from "cloudflare:workers";
import type { Role } from "../../src/domain/credential/permissions.ts";
import { as, newMember, type Member } from "../support/members";
import { rightRequest } from "../support/right-requests";
import { admin, everything, freshKey, issue } from "../support/service";
import { world } from "../support/world";
import { routeOf } from "./tables";

/** How what a row of the area's table names comes about, for whoever is going to ask for it. */

/** What a request has in place of what is usual for its route. */
interface Particulars {
  id?: string;
  body?: object;
  query?: string;
}
type Preparing = (caller: Member) => Promise<Particulars> | Particulars;

const inviting = (role: Role) => () => ({
  body: { email: `${freshKey("invited")}@forms.example`, role },
});
const changing = (role: Role, body: object) => async () => ({
  id: (await newMember(role)).id,
  body,
});
const removing = (role: Role) => changing(role, { disabled: "true" });
const takingBack = (role: Role) => async () => {
  const { id } = await newMember(role);
  await admin("POST", `/members/${id}`, { disabled: "true" });
  return { id, body: { disabled: "false" } };
};
const changingOneself =
  (body: object): Preparing =>
  ({ id }) => ({ id, body });

export const choice = (kind: "token" | "client", ...some: string[]) => ({
  kind,
  name: "Mine",
  permissions: some,
  resources: "all",
  expires: "30d",
});

async function issuedBy({ cookie }: Member, kind: "token" | "client"): Promise<string> {
  const sent = choice(kind, "schema:read");
  const { status, text, body } = await as(cookie)("POST", "/integrations", sent);
  if (status !== 201) throw new Error(text);
  return body.id;
}

/** By somebody who was an admin then, and has been given this role since. */
async function issuedAsAnAdmin(caller: Member): Promise<string> {
  const give = (role: string) =>
    env.DB.prepare("UPDATE member SET role = ? WHERE id = ?").bind(role, caller.id).run();
  const { role } = (await as(caller.cookie)("GET", "/account")).body;
  await give("admin");
  const id = await issuedBy(caller, "client");
  await give(role);
  return id;
}

const whose: Record<string, (caller: Member) => Promise<string>> = {
  "one's own token": (caller) => issuedBy(caller, "token"),
  "somebody else's token": async () => (await issue({ kind: "token" })).id,
  "somebody else's client": async () => (await issue({ kind: "client" })).id,
  "a client that one made as an admin": issuedAsAnAdmin,
};

/** What is somebody else's is only looked at: one of each will do, as a member has 100 at most. */
const shared = new Map<string, Promise<string>>();

function sharedBy(name: string, caller: Member): Promise<string> {
  const made = whose[name] ?? whose["one's own token"];
  if (!made) throw new Error(`There is no ${name}.`);
  if (!name.startsWith("somebody else's")) return made(caller);
  const known = shared.get(name) ?? made(caller);
  shared.set(name, known);
  return known;
}

/** What can be done with a credential, and what is sent for it. */
export const ofCredentials: Record<string, object | undefined> = {
  "GET /admin/integrations/:id": undefined,
  "GET /admin/integrations/:id/access": undefined,
  "GET /admin/integrations/:id/secrets": undefined,
  "GET /admin/integrations/:id/secret": undefined,
  "POST /admin/integrations/:id": { name: "Renamed" },
  "POST /admin/integrations/:id/rotate": { overlap: "1h" },
  "POST /admin/integrations/:id/revoke": {},
};

const withCredentials: [act: string, Preparing][] = [
  ...everything.map((each): [string, Preparing] => [
    `POST /admin/integrations, a token with ${each}`,
    () => ({ body: choice("token", each) }),
  ]),
  ...Object.entries(ofCredentials).flatMap(([act, body]) =>
    Object.entries(whose).map(([name, made]): [string, Preparing] => [
      `${act}, ${name}`,
      async (caller) => ({
        id: await (body ? made(caller) : sharedBy(name, caller)),
        ...(body ? { body } : {}),
      }),
    ]),
  ),
];

/** By the acts of the table; what is not here is a right request of its route, whoever asks. */
export const preparing: Record<string, Preparing> = {
  ...Object.fromEntries(withCredentials),
  "POST /admin/sign-in": ({ email, password }) => ({ body: { email, password } }),
  "POST /admin/account/password": ({ password }) => ({
    body: { current: password, password: "another password" },
  }),
  "POST /admin/members, inviting a viewer": inviting("viewer"),
  "POST /admin/members, inviting an editor": inviting("editor"),
  "POST /admin/members, inviting an admin": inviting("admin"),
  "POST /admin/members, inviting an owner": inviting("owner"),
  "POST /admin/members/:id, making a viewer an editor": changing("viewer", { role: "editor" }),
  "POST /admin/members/:id, making an editor a viewer": changing("editor", { role: "viewer" }),
  "POST /admin/members/:id, making a viewer an admin": changing("viewer", { role: "admin" }),
  "POST /admin/members/:id, making an editor an owner": changing("editor", { role: "owner" }),
  "POST /admin/members/:id, making an admin a viewer": changing("admin", { role: "viewer" }),
  "POST /admin/members/:id, making an admin an owner": changing("admin", { role: "owner" }),
  "POST /admin/members/:id, making an owner an editor": changing("owner", { role: "editor" }),
  "POST /admin/members/:id, removing a viewer": removing("viewer"),
  "POST /admin/members/:id, removing an editor": removing("editor"),
  "POST /admin/members/:id, removing an admin": removing("admin"),
  "POST /admin/members/:id, removing an owner": removing("owner"),
  "POST /admin/members/:id, taking back a viewer": takingBack("viewer"),
  "POST /admin/members/:id, taking back an editor": takingBack("editor"),
  "POST /admin/members/:id, taking back an admin": takingBack("admin"),
  "POST /admin/members/:id, taking back an owner": takingBack("owner"),
  "POST /admin/members/:id, making oneself an owner": changingOneself({ role: "owner" }),
  "POST /admin/members/:id, making oneself a viewer": changingOneself({ role: "viewer" }),
  "POST /admin/members/:id, removing oneself": changingOneself({ disabled: "true" }),
  "POST /admin/members/:id, of somebody who is not there": () => ({ id: "nobody" }),
  "POST /admin/integrations, a client with schema:read": () => ({
    body: choice("client", "schema:read"),
  }),
  "POST /admin/integrations/:id, one's own token, to write": async (caller) => ({
    id: await issuedBy(caller, "token"),
    body: { permissions: ["schema:read", "records:write"] },
  }),
  "POST /admin/forms/:key/items/:id/reopen, after it was closed": async () => {
    const items = `/forms/${(await world()).form.key}/items`;
    const { id } = (await admin("POST", items, { data: { title: "Closed" } })).body;
    await admin("POST", `${items}/${id}/close`, {});
    return { id, body: {} };
  },
};

export interface Asked {
  method: string;
  path: string;
  body?: object;
}

export async function requestOf(act: string, caller: Member): Promise<Asked> {
  const { id, body, query = "" } = (await preparing[act]?.(caller)) ?? {};
  const right = await rightRequest(routeOf(act), id === undefined ? {} : { id });
  const sent = body ?? right.body;
  const { method, path } = right;
  return { method, path: path + query, ...(sent === undefined ? {} : { body: sent }) };
}
