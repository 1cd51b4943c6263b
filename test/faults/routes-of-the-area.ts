import type { CollectionKind } from "../../src/domain/definition/collection.ts";
import { host, type Answer, type Json } from "../support/client";
import { newMember, newSession } from "../support/members";
import { askSteadily } from "./asking";
import { agree, agreeStatus, areaRows, few, row, type Row } from "./routes";
import { webhookRows } from "./webhooks-of-the-area";
import {
  area,
  canSignIn,
  countOf,
  fields,
  forget,
  hasNewPassword,
  newCollection,
  newCredential,
  newItem,
  nobodyIsThere,
  word,
  type World,
} from "./world";

const form = { "Content-Type": "application/x-www-form-urlencoded" };

const tokenOf = (client: Json) =>
  new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.client_id,
    client_secret: client.client_secret,
  }).toString();

export const oauthRows: Row[] = [
  row("POST /oauth/token", 200, async (world) => {
    const issued = await newCredential(world, "client");
    return {
      path: "/oauth/token",
      headers: form,
      body: tokenOf(issued),
      after: () => forget(issued.name),
    };
  }),
  row(
    "POST /oauth/token",
    401,
    () => ({
      path: "/oauth/token",
      headers: form,
      body: tokenOf({ client_id: "efc_nobody", client_secret: "nothing" }),
    }),
    "of an unknown client",
  ),
  ...["oauth-authorization-server", "oauth-protected-resource/mcp"].map((name) =>
    row(`GET /.well-known/${name}`, 200, () => ({ path: `/.well-known/${name}` })),
  ),
];

export const pageRows: Row[] = [
  row("GET /", 302, () => ({ path: "/", headers: { Accept: "text/html" } })),
  ...["/health", "/openapi.json", "/docs", "/problems"].map((path) =>
    row(`GET ${path}`, 200, () => ({ path })),
  ),
  row("GET /problems/:code", 200, () => ({ path: "/problems/try_again" })),
];

const owner = { email: "first@forms.example", password: "the password of the first owner" };

/** What hashes a password takes a quarter of a second. */
const costlyRows: typeof areaRows = (...sent) =>
  areaRows(...sent)
    .slice(0, 1)
    .map(few);

/** While there is no member. */
export const firstOwner: Row[] = costlyRows(
  "POST /setup",
  201,
  async () => {
    await nobodyIsThere();
    const body = { ...owner, secret: "set-up secret of the tests" };
    const done = async () => agree(await canSignIn(owner.email, owner.password), true);
    return { path: "/setup", body, done, again: [404] };
  },
  { page: 303 },
);

const signInRows: Row[] = [
  row("GET /admin/sign-in", 200, () => ({ path: "/admin/sign-in" })),
  row("GET /admin/setup", 200, () => ({ path: "/admin/setup" })),
  ...areaRows(
    "POST /sign-in",
    200,
    async () => {
      const { email, password, cookie } = await newMember();
      const done = async (answer?: Answer) => {
        const given = answer?.headers.getSetCookie()[0]?.split(";")[0] ?? "";
        agreeStatus(await area({ cookie: given }, "GET", "/account"), 200);
        agreeStatus(await area({ cookie }, "GET", "/account"), 401);
      };
      return { path: "/sign-in", headers: { Cookie: cookie }, body: { email, password }, done };
    },
    { page: 303 },
  ),
  ...areaRows(
    "POST /sign-out",
    204,
    async () => {
      const { cookie } = await newMember();
      const done = async () => agreeStatus(await area({ cookie }, "GET", "/account"), 401);
      return { path: "/sign-out", headers: { Cookie: cookie }, body: {}, done };
    },
    { page: 303 },
  ),
  ...areaRows("GET /join/:secret", 200, async (world) => ({ path: await invited(world, word()) })),
  ...costlyRows(
    "POST /join/:secret",
    201,
    async (world) => {
      const name = word();
      const password = `the password of ${name}`;
      const done = async () => agree(await canSignIn(`${name}@forms.example`, password), true);
      return { path: await invited(world, name), body: { password }, done, again: [404] };
    },
    { page: 303 },
  ),
];

async function invited(world: World, name: string): Promise<string> {
  const email = `${name}@forms.example`;
  const { body } = await area(world, "POST", "/members", { email, role: "viewer" });
  return new URL(body.link).pathname.replace("/admin", "");
}

const accountRows: Row[] = [
  ...areaRows("GET /account", 200, () => ({ path: "/account" })),
  ...areaRows("POST /account/zone", 200, () => ({ path: "/account/zone", body: { zone: "UTC" } }), {
    page: 303,
  }),
  ...areaRows("POST /preferences", 200, () => ({ path: "/preferences", body: { theme: "dark" } }), {
    page: 303,
  }),
  ...areaRows(
    "POST /account/sign-out-everywhere",
    204,
    async () => {
      const { id, cookie } = await newMember();
      const there = await newSession(id);
      const done = async () => {
        agreeStatus(await area({ cookie: there }, "GET", "/account"), 401);
        agreeStatus(await area({ cookie }, "GET", "/account"), 200);
      };
      return { path: "/account/sign-out-everywhere", headers: { Cookie: cookie }, body: {}, done };
    },
    { page: 303 },
  ),
  ...costlyRows(
    "POST /account/password",
    204,
    async () => {
      const { id, password: current, cookie } = await newMember();
      const password = `another than ${current}`;
      const done = async () => agree(await hasNewPassword(id), true);
      const body = { current, password };
      return { path: "/account/password", headers: { Cookie: cookie }, body, done, again: [422] };
    },
    { page: 303 },
  ),
];

/** The link of an invitation, as the page of members gives it out. */
async function linkOf(world: World, email: string): Promise<string> {
  const { body } = await area(world, "GET", "/members");
  return body.invitations.find((each: Json) => each.email === email)?.link ?? "no link";
}

const memberRows: Row[] = [
  ...areaRows("GET /members", 200, () => ({ path: "/members" })),
  ...areaRows(
    "POST /members",
    201,
    async (world) => {
      const email = `${word()}@forms.example`;
      const done = async () => {
        const link = await linkOf(world, email);
        agreeStatus(await askSteadily("GET", link.replace(host, "")), 200);
      };
      return { path: "/members", body: { email, role: "viewer" }, done };
    },
    { page: 303 },
  ),
  ...areaRows(
    "POST /members/invitations/withdraw",
    204,
    async (world) => {
      const name = word();
      const link = await invited(world, name);
      const done = async () => agreeStatus(await askSteadily("GET", `/admin${link}`), 404);
      const body = { email: `${name}@forms.example` };
      return { path: "/members/invitations/withdraw", body, done, again: [404] };
    },
    { page: 303 },
  ),
  ...areaRows(
    "POST /members/:id",
    204,
    async () => {
      const { id, cookie } = await newMember();
      const done = async () => agreeStatus(await area({ cookie }, "GET", "/account"), 401);
      return { path: `/members/${id}`, body: { disabled: "true" }, done };
    },
    { page: 303 },
  ),
];

const me = async (token: string) =>
  askSteadily("GET", "/api/v1/me", { headers: { Authorization: `Bearer ${token}` } });

/** The secret that an answer shows: in JSON, or on the page that it leads to. */
async function shown(world: World, answer: Answer | undefined): Promise<string> {
  const handed = answer?.headers.getSetCookie().map((cookie) => cookie.split(";")[0]) ?? [];
  const page = answer?.headers.get("Location") ?? null;
  const headers = { Cookie: [world.cookie, ...handed].join("; "), Accept: "text/html" };
  const text = page === null ? answer?.text : (await askSteadily("GET", page, { headers })).text;
  return /efp_[\w-]{70,}/.exec(text ?? "")?.[0] ?? "no secret";
}

const integrationRows: Row[] = [
  ...areaRows("GET /integrations", 200, () => ({ path: "/integrations" })),
  ...areaRows(
    "POST /integrations",
    201,
    (world) => {
      const name = word();
      const chosen = { permissions: "submissions:write", resources: "all", expires: "30d" };
      return {
        path: "/integrations",
        body: { kind: "token", name, ...chosen },
        done: async (answer) => agreeStatus(await me(await shown(world, answer)), 200),
        after: () => forget(name),
      };
    },
    { page: 303 },
  ),
  ...areaRows("GET /integrations/new", 200, () => ({ path: "/integrations/new" })),
  ...["/access", "/secrets", "/secret"].flatMap((view) =>
    areaRows(`GET /integrations/:id${view}`, 200, async (world) => {
      const { id, name } = await newCredential(world);
      return { path: `/integrations/${id}${view}`, after: () => forget(name) };
    }),
  ),
  ...areaRows("GET /integrations/:id", 200, async (world) => {
    const { id, name } = await newCredential(world);
    return { path: `/integrations/${id}`, after: () => forget(name) };
  }),
  ...areaRows(
    "POST /integrations/:id",
    200,
    async (world) => {
      const { id, name, token } = await used(world);
      return {
        path: `/integrations/${id}`,
        body: { permissions: ["schema:read"] },
        done: async () => agree((await me(token)).body.permissions, ["schema:read"]),
        after: () => forget(name),
      };
    },
    { page: 303 },
  ),
  ...areaRows(
    "POST /integrations/:id/rotate",
    200,
    async (world) => {
      const { id, name, token } = await used(world);
      return {
        path: `/integrations/${id}/rotate`,
        body: { overlap: "none" },
        done: async (answer) => {
          agreeStatus(await me(await shown(world, answer)), 200);
          agreeStatus(await me(token), 401);
        },
        after: () => forget(name),
      };
    },
    { page: 303 },
  ),
  ...areaRows(
    "POST /integrations/:id/revoke",
    204,
    async (world) => {
      const { id, name, token } = await used(world);
      return {
        path: `/integrations/${id}/revoke`,
        body: {},
        done: async () => agreeStatus(await me(token), 401),
        again: [404],
        after: () => forget(name),
      };
    },
    { page: 303 },
  ),
];

/** A credential that its object knows. */
async function used(world: World): Promise<Json> {
  const issued = await newCredential(world);
  agreeStatus(await me(issued.token), 200);
  return issued;
}

function definitionRows(kind: CollectionKind): Row[] {
  const all = `/${kind}s`;
  const readRows = (rest: string, path = rest, page = 200) =>
    areaRows(`GET ${all}/:key${rest}`, 200, (world) => ({ path: `${all}/${world[kind]}${path}` }), {
      page,
    });
  /** A change of a definition that was made from its first version. */
  const changeRows = (
    rest: string,
    path: string,
    body: object,
    holds: (definition: Json) => void,
    again = [409],
  ) =>
    areaRows(
      `POST ${all}/:key${rest}`,
      200,
      async (world) => {
        const key = await newCollection(kind);
        return {
          path: `${all}/${key}${path}`,
          body: { version: 1, ...body },
          done: async () => holds((await area(world, "GET", `${all}/${key}`)).body),
          again,
        };
      },
      { page: 303 },
    );
  const keys = (definition: Json) => definition.fields.map(({ key }: Json) => key);
  const settings = { name: "Renamed", description: "", time_zone: "UTC" };
  const shorter = JSON.stringify({ ...settings, fields: fields.slice(0, 1) });
  const own = kind === "app" ? { receipt_prefix: "R-" } : { state: "open" };
  return [
    ...areaRows(`GET ${all}`, 200, () => ({ path: all })),
    ...areaRows(
      `POST ${all}`,
      201,
      (world) => {
        const key = word();
        const done = async () => agreeStatus(await area(world, "GET", `${all}/${key}`), 200);
        return { path: all, body: { key, name: "New" }, done, again: [409] };
      },
      { page: 303 },
    ),
    ...readRows(""),
    ...readRows("/openapi.json"),
    ...readRows("/json"),
    ...readRows("/settings"),
    ...readRows("/api"),
    ...changeRows("/settings", "/settings", { ...settings, ...own }, ({ name }) =>
      agree(name, "Renamed"),
    ),
    ...changeRows("/json", "/json", { document: shorter }, (definition) =>
      agree(keys(definition), ["title"]),
    ),
    ...changeRows(
      "/fields",
      "/fields",
      { "fields[0].type": "text", "fields[0].label": "More", sure: "on" },
      (definition) => agree(keys(definition), ["more"]),
    ),
    ...areaRows(
      `POST ${all}/:key/check-index`,
      204,
      async () => ({ path: `${all}/${await newCollection(kind)}/check-index`, body: {} }),
      { page: 303 },
    ),
  ];
}

function itemRows(kind: CollectionKind): Row[] {
  const all = `/${kind}s/:key/items`;
  const pathOf = (world: World) => `/${kind}s/${world[kind]}/items`;
  const first = (world: World) => (kind === "app" ? world.record : world.submission);
  const list = (rest: string) => (world: World) => ({ path: pathOf(world) + rest });
  const query = "?field=title&op=starts_with&value=word&sort=n";
  /** An act on an item, and the statuses that it has then. */
  const actRows = (
    act: string,
    body: object,
    status: number,
    rest: { page?: number; closed?: true; again?: number[]; holds?: (item: Answer) => void },
  ) =>
    areaRows(
      `POST ${all}/:id${act}`,
      status,
      async (world) => {
        const { id } = await newItem(world, kind);
        const path = `${pathOf(world)}/${id}`;
        if (rest.closed && kind === "form") await area(world, "POST", `${path}/close`, {});
        return {
          path: path + act,
          body,
          done: async () => rest.holds?.(await area(world, "GET", path)),
          again: rest.again ?? [],
        };
      },
      { page: rest.page ?? status },
    );
  const isForm = kind === "form";
  return [
    ...areaRows(`GET ${all}`, 200, list("")),
    ...areaRows(`GET ${all}`, 200, list(query), { when: "with a condition" }),
    ...areaRows(`GET ${all}/export`, 200, list(`/export${query}&format=csv`)),
    ...areaRows(`GET ${all}/new`, 200, list("/new")),
    ...areaRows(`GET ${all}/import`, 200, list("/import")),
    ...areaRows(`POST ${all}/import`, 200, (world) => {
      const title = word();
      return {
        path: `${pathOf(world)}/import`,
        body: { csv: `title,code\n${title},${title}\n`, by: "", act: "write" },
        // However often it is sent.
        done: async () => agree(await countOf(title), 1),
        unknown: async () => agree((await countOf(title)) <= 1, true),
      };
    }),
    ...areaRows(`GET ${all}/:id`, 200, (world) => ({
      path: `${pathOf(world)}/${first(world).id}`,
    })),
    ...areaRows(
      `POST ${all}`,
      201,
      (world) => {
        const title = word();
        return {
          path: pathOf(world),
          body: { data: { title, code: title } },
          done: async () => agree(await countOf(title), 1),
          unknown: async () => agree((await countOf(title)) <= 1, true),
        };
      },
      { page: 303 },
    ),
    ...areaRows(`POST ${all}/selected`, 200, (world) => ({
      path: `${pathOf(world)}/selected`,
      body: { ids: first(world).id, act: "download" },
    })),
    ...actRows("", { version: 1, data: { n: 3 } }, 200, {
      page: 303,
      again: [412],
      holds: ({ body }) => agree(body.data.double, 6),
    }),
    ...actRows("/close", {}, isForm ? 200 : 422, {
      page: isForm ? 303 : 422,
      again: [409],
      holds: ({ body }) => agree(body.status, isForm ? "closed" : undefined),
    }),
    ...actRows("/reopen", {}, isForm ? 200 : 409, {
      page: isForm ? 303 : 409,
      closed: true,
      again: [409],
      holds: ({ body }) => agree(body.status, isForm ? "submitted" : undefined),
    }),
    ...actRows("/revert", { change: "1" }, 422, { page: 422 }),
    ...actRows("/delete", {}, isForm ? 204 : 404, {
      page: isForm ? 303 : 404,
      again: [404],
      holds: (answer) => agreeStatus(answer, isForm ? 404 : 200),
    }),
  ];
}

export const areaRowsOfAll: Row[] = [
  ...signInRows,
  ...areaRows("GET /", 200, () => ({ path: "" })),
  ...areaRows("GET /audit", 200, () => ({ path: "/audit?action=record.create" })),
  ...accountRows,
  ...memberRows,
  ...integrationRows,
  ...webhookRows,
  ...definitionRows("form"),
  ...itemRows("form"),
  ...definitionRows("app").map(few),
  ...itemRows("app").map(few),
];
