import type { CollectionKind } from "../../src/domain/definition/collection.ts";
import { host, type Answer, type Json } from "../support/client";
import { newMember, newSession } from "../support/members";
import { sendReliably } from "./client";
import { assertEqual, assertStatus, adminRows, withFewFaults, row, type Row } from "./routes";
import { webhookRows } from "./admin-webhook-routes";
import { announceFile, announcement, attachedFile, fileBody } from "../support/admin-files";
import {
  callAdmin,
  canSignIn,
  countItems,
  fields,
  revokeCredential,
  hasNewPassword,
  newCollection,
  newCredential,
  newItem,
  deleteMembers,
  newWord,
  type World,
} from "./world";

const formHeaders = { "Content-Type": "application/x-www-form-urlencoded" };

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
      headers: formHeaders,
      body: tokenOf(issued),
      cleanUp: () => revokeCredential(issued.name),
    };
  }),
  row(
    "POST /oauth/token",
    401,
    () => ({
      path: "/oauth/token",
      headers: formHeaders,
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

/** Rows that hash a password, which takes a quarter of a second. Tests only JSON, with few faults. */
const costlyRows: typeof adminRows = (...args) =>
  adminRows(...args)
    .slice(0, 1)
    .map(withFewFaults);

/** Setup, which works only while there is no member. */
export const firstOwner: Row[] = costlyRows(
  "POST /setup",
  201,
  async () => {
    await deleteMembers();
    const body = { ...owner, secret: "set-up secret of the tests" };
    const verifyDone = async () => assertEqual(await canSignIn(owner.email, owner.password), true);
    return { path: "/setup", body, verifyDone, retryStatuses: [404] };
  },
  { page: 303 },
);

const signInRows: Row[] = [
  row("GET /admin/sign-in", 200, () => ({ path: "/admin/sign-in" })),
  row("GET /admin/setup", 404, () => ({ path: "/admin/setup" })),
  ...adminRows(
    "POST /sign-in",
    200,
    async () => {
      const { email, password, cookie } = await newMember();
      const verifyDone = async (answer?: Answer) => {
        const newCookie = answer?.headers.getSetCookie()[0]?.split(";")[0] ?? "";
        assertStatus(await callAdmin({ cookie: newCookie }, "GET", "/account"), 200);
        assertStatus(await callAdmin({ cookie }, "GET", "/account"), 401);
      };
      return {
        path: "/sign-in",
        headers: { Cookie: cookie },
        body: { email, password },
        verifyDone,
      };
    },
    { page: 303 },
  ),
  ...adminRows(
    "POST /sign-out",
    204,
    async () => {
      const { cookie } = await newMember();
      const verifyDone = async () =>
        assertStatus(await callAdmin({ cookie }, "GET", "/account"), 401);
      return { path: "/sign-out", headers: { Cookie: cookie }, body: {}, verifyDone };
    },
    { page: 303 },
  ),
  ...adminRows("GET /join/:secret", 200, async (world) => ({
    path: await invitationPath(world, newWord()),
  })),
  ...costlyRows(
    "POST /join/:secret",
    201,
    async (world) => {
      const name = newWord();
      const password = `the password of ${name}`;
      const verifyDone = async () =>
        assertEqual(await canSignIn(`${name}@forms.example`, password), true);
      return {
        path: await invitationPath(world, name),
        body: { password },
        verifyDone,
        retryStatuses: [404],
      };
    },
    { page: 303 },
  ),
  ...adminRows("GET /reset/:reset", 200, async (world) => ({
    path: await resetPath(world, (await newMember("viewer")).id),
  })),
  ...costlyRows(
    "POST /reset/:reset",
    200,
    async (world) => {
      const { id, email } = await newMember("viewer");
      const password = `the password of ${id}`;
      const verifyDone = async () => assertEqual(await canSignIn(email, password), true);
      return {
        path: await resetPath(world, id),
        body: { password },
        verifyDone,
        retryStatuses: [404],
      };
    },
    { page: 303 },
  ),
];

async function resetPath(world: World, id: string): Promise<string> {
  const { body } = await callAdmin(world, "POST", `/members/${id}/reset`, {});
  return new URL(body.link).pathname.replace("/admin", "");
}

async function invitationPath(world: World, name: string): Promise<string> {
  const email = `${name}@forms.example`;
  const { body } = await callAdmin(world, "POST", "/members", { email, role: "viewer" });
  return new URL(body.link).pathname.replace("/admin", "");
}

const accountRows: Row[] = [
  ...adminRows("GET /account", 200, () => ({ path: "/account" })),
  ...adminRows(
    "POST /account/language",
    200,
    () => ({ path: "/account/language", body: { language: "en" } }),
    {
      page: 303,
    },
  ),
  ...adminRows(
    "POST /account/zone",
    200,
    () => ({ path: "/account/zone", body: { zone: "UTC" } }),
    {
      page: 303,
    },
  ),
  ...adminRows("GET /search", 200, () => ({ path: "/search?q=purchase" })),
  ...adminRows(
    "POST /account/name",
    200,
    () => ({ path: "/account/name", body: { name: "Akiko Mori" } }),
    { page: 303 },
  ),
  ...adminRows(
    "POST /account/sessions/:session/end",
    204,
    async () => {
      const { id, cookie } = await newMember();
      const otherCookie = await newSession(id);
      const { body } = await callAdmin({ cookie }, "GET", "/account");
      const other = body.sessions.find((session: Json) => !session.current);
      const verifyDone = async () => {
        assertStatus(await callAdmin({ cookie: otherCookie }, "GET", "/account"), 401);
        assertStatus(await callAdmin({ cookie }, "GET", "/account"), 200);
      };
      return {
        path: `/account/sessions/${other.id}/end`,
        headers: { Cookie: cookie },
        body: {},
        verifyDone,
      };
    },
    { page: 303 },
  ),
  ...adminRows(
    "POST /preferences",
    200,
    () => ({ path: "/preferences", body: { theme: "dark" } }),
    {
      page: 303,
    },
  ),
  ...adminRows(
    "POST /account/sign-out-everywhere",
    204,
    async () => {
      const { id, cookie } = await newMember();
      const otherCookie = await newSession(id);
      const verifyDone = async () => {
        assertStatus(await callAdmin({ cookie: otherCookie }, "GET", "/account"), 401);
        assertStatus(await callAdmin({ cookie }, "GET", "/account"), 200);
      };
      return {
        path: "/account/sign-out-everywhere",
        headers: { Cookie: cookie },
        body: {},
        verifyDone,
      };
    },
    { page: 303 },
  ),
  ...costlyRows(
    "POST /account/password",
    204,
    async () => {
      const { id, password: current, cookie } = await newMember();
      const password = `another than ${current}`;
      const verifyDone = async () => assertEqual(await hasNewPassword(id), true);
      const body = { current, password };
      return {
        path: "/account/password",
        headers: { Cookie: cookie },
        body,
        verifyDone,
        retryStatuses: [422],
      };
    },
    { page: 303 },
  ),
];

/** The link of an invitation on the page of members. */
async function linkOf(world: World, email: string): Promise<string> {
  const { body } = await callAdmin(world, "GET", "/members");
  return body.invitations.find((invitation: Json) => invitation.email === email)?.link ?? "no link";
}

const memberRows: Row[] = [
  ...adminRows("GET /members", 200, () => ({ path: "/members" })),
  ...adminRows(
    "POST /members",
    201,
    async (world) => {
      const email = `${newWord()}@forms.example`;
      const verifyDone = async () => {
        const link = await linkOf(world, email);
        assertStatus(await sendReliably("GET", link.replace(host, "")), 200);
      };
      return { path: "/members", body: { email, role: "viewer" }, verifyDone };
    },
    { page: 303 },
  ),
  ...adminRows(
    "POST /members/invitations/withdraw",
    204,
    async (world) => {
      const name = newWord();
      const link = await invitationPath(world, name);
      const verifyDone = async () => assertStatus(await sendReliably("GET", `/admin${link}`), 404);
      const body = { email: `${name}@forms.example` };
      return {
        path: "/members/invitations/withdraw",
        body,
        verifyDone,
        retryStatuses: [404],
      };
    },
    { page: 303 },
  ),
  ...adminRows("POST /members/:id/reset", 200, async () => ({
    path: `/members/${(await newMember("viewer")).id}/reset`,
    body: {},
  })),
  ...adminRows(
    "POST /members/:id",
    204,
    async () => {
      const { id, cookie } = await newMember();
      const verifyDone = async () =>
        assertStatus(await callAdmin({ cookie }, "GET", "/account"), 401);
      return { path: `/members/${id}`, body: { disabled: "true" }, verifyDone };
    },
    { page: 303 },
  ),
];

const callMe = async (token: string) =>
  sendReliably("GET", "/api/v1/me", { headers: { Authorization: `Bearer ${token}` } });

/** The secret in a response: in its JSON, or on the page it redirects to. */
async function shownSecret(world: World, answer: Answer | undefined): Promise<string> {
  const cookies = answer?.headers.getSetCookie().map((cookie) => cookie.split(";")[0]) ?? [];
  const location = answer?.headers.get("Location") ?? null;
  const headers = { Cookie: [world.cookie, ...cookies].join("; "), Accept: "text/html" };
  const text =
    location === null ? answer?.text : (await sendReliably("GET", location, { headers })).text;
  return /efp_[\w-]{70,}/.exec(text ?? "")?.[0] ?? "no secret";
}

const integrationRows: Row[] = [
  ...adminRows("GET /integrations", 200, () => ({ path: "/integrations" })),
  ...adminRows(
    "POST /integrations",
    201,
    (world) => {
      const name = newWord();
      const access = { permissions: "submissions:write", resources: "all", expires: "30d" };
      return {
        path: "/integrations",
        body: { kind: "token", name, ...access },
        verifyDone: async (answer) =>
          assertStatus(await callMe(await shownSecret(world, answer)), 200),
        cleanUp: () => revokeCredential(name),
      };
    },
    { page: 303 },
  ),
  ...adminRows("GET /integrations/new", 200, () => ({ path: "/integrations/new" })),
  ...["/access", "/secrets", "/secret"].flatMap((view) =>
    adminRows(`GET /integrations/:id${view}`, 200, async (world) => {
      const { id, name } = await newCredential(world);
      return { path: `/integrations/${id}${view}`, cleanUp: () => revokeCredential(name) };
    }),
  ),
  ...adminRows("GET /integrations/:id", 200, async (world) => {
    const { id, name } = await newCredential(world);
    return { path: `/integrations/${id}`, cleanUp: () => revokeCredential(name) };
  }),
  ...adminRows(
    "POST /integrations/:id",
    200,
    async (world) => {
      const { id, name, token } = await newUsedCredential(world);
      return {
        path: `/integrations/${id}`,
        body: { permissions: ["schema:read"] },
        verifyDone: async () =>
          assertEqual((await callMe(token)).body.permissions, ["schema:read"]),
        cleanUp: () => revokeCredential(name),
      };
    },
    { page: 303 },
  ),
  ...adminRows(
    "POST /integrations/:id/rotate",
    200,
    async (world) => {
      const { id, name, token } = await newUsedCredential(world);
      return {
        path: `/integrations/${id}/rotate`,
        body: { overlap: "none" },
        verifyDone: async (answer) => {
          assertStatus(await callMe(await shownSecret(world, answer)), 200);
          assertStatus(await callMe(token), 401);
        },
        cleanUp: () => revokeCredential(name),
      };
    },
    { page: 303 },
  ),
  ...adminRows(
    "POST /integrations/:id/expire",
    204,
    async (world) => {
      const { id, name, token } = await newUsedCredential(world);
      assertStatus(
        await callAdmin(world, "POST", `/integrations/${id}/rotate`, { overlap: "24h" }),
        200,
      );
      return {
        path: `/integrations/${id}/expire`,
        body: { secret: 1 },
        verifyDone: async () => assertStatus(await callMe(token), 401),
        cleanUp: () => revokeCredential(name),
      };
    },
    { page: 303 },
  ),
  ...adminRows(
    "POST /integrations/:id/revoke",
    204,
    async (world) => {
      const { id, name, token } = await newUsedCredential(world);
      return {
        path: `/integrations/${id}/revoke`,
        body: {},
        verifyDone: async () => assertStatus(await callMe(token), 401),
        retryStatuses: [404],
        cleanUp: () => revokeCredential(name),
      };
    },
    { page: 303 },
  ),
];

/** A credential with one call, so that its object has loaded it. */
async function newUsedCredential(world: World): Promise<Json> {
  const issued = await newCredential(world);
  assertStatus(await callMe(issued.token), 200);
  return issued;
}

function definitionRows(kind: CollectionKind): Row[] {
  const route = `/${kind}s`;
  const readRows = (suffix: string, path = suffix, page = 200) =>
    adminRows(
      `GET ${route}/:key${suffix}`,
      200,
      (world) => ({ path: `${route}/${world[kind]}${path}` }),
      {
        page,
      },
    );
  /** Rows that change version 1 of a definition. */
  const changeRows = (
    suffix: string,
    path: string,
    body: object,
    verify: (definition: Json) => void,
    retryStatuses = [409],
  ) =>
    adminRows(
      `POST ${route}/:key${suffix}`,
      200,
      async (world) => {
        const key = await newCollection(kind);
        return {
          path: `${route}/${key}${path}`,
          body: { version: 1, ...body },
          verifyDone: async () => verify((await callAdmin(world, "GET", `${route}/${key}`)).body),
          retryStatuses,
        };
      },
      { page: 303 },
    );
  const fieldKeys = (definition: Json) => definition.fields.map(({ key }: Json) => key);
  const settings = { name: "Renamed", description: "", time_zone: "UTC" };
  const oneFieldDocument = JSON.stringify({ ...settings, fields: fields.slice(0, 1) });
  const kindSettings = kind === "app" ? { receipt_prefix: "R-" } : { state: "open" };
  return [
    ...adminRows(`GET ${route}`, 200, () => ({ path: route })),
    ...adminRows(
      `POST ${route}`,
      201,
      (world) => {
        const key = newWord();
        const verifyDone = async () =>
          assertStatus(await callAdmin(world, "GET", `${route}/${key}`), 200);
        return { path: route, body: { key, name: "New" }, verifyDone, retryStatuses: [409] };
      },
      { page: 303 },
    ),
    ...readRows(""),
    ...readRows("/openapi.json"),
    ...readRows("/json"),
    ...readRows("/changes"),
    ...readRows("/changes/:version", "/changes/1"),
    ...readRows("/settings"),
    ...readRows("/api"),
    ...readRows("/summary"),
    ...changeRows("/settings", "/settings", { ...settings, ...kindSettings }, ({ name }) =>
      assertEqual(name, "Renamed"),
    ),
    ...changeRows("/json", "/json", { document: oneFieldDocument }, (definition) =>
      assertEqual(fieldKeys(definition), ["title"]),
    ),
    ...changeRows(
      "/fields",
      "/fields",
      { "fields[0].type": "text", "fields[0].label": "More", sure: "on" },
      (definition) => assertEqual(fieldKeys(definition), ["more"]),
    ),
    ...adminRows(
      `POST ${route}/:key/check-index`,
      204,
      async () => ({ path: `${route}/${await newCollection(kind)}/check-index`, body: {} }),
      { page: 303 },
    ),
    ...readRows("/access"),
    ...adminRows(
      `POST ${route}/:key/access`,
      200,
      async () => ({
        path: `${route}/${await newCollection(kind)}/access`,
        body: { items: "own", fields: ["title"] },
      }),
      { page: 303 },
    ),
    ...readRows("/delete"),
    ...adminRows(
      `POST ${route}/:key/delete`,
      204,
      async (world) => {
        const key = await newCollection(kind);
        return {
          path: `${route}/${key}/delete`,
          body: { confirm: key },
          verifyDone: async () =>
            assertStatus(await callAdmin(world, "GET", `${route}/${key}`), 404),
          retryStatuses: [404],
        };
      },
      { page: 303 },
    ),
  ];
}

function itemRows(kind: CollectionKind): Row[] {
  const itemsRoute = `/${kind}s/:key/items`;
  const pathOf = (world: World) => `/${kind}s/${world[kind]}/items`;
  const firstItem = (world: World) => (kind === "app" ? world.record : world.submission);
  const listPath = (suffix: string) => (world: World) => ({ path: pathOf(world) + suffix });
  const query = "?field=title&op=starts_with&value=word&sort=n";
  /** Rows for an action on an item. `verify` checks the item afterwards. */
  const actionRows = (
    action: string,
    body: object,
    status: number,
    settings: {
      page?: number;
      mustBeClosed?: true;
      retryStatuses?: number[];
      verify?: (item: Answer) => void;
    },
  ) =>
    adminRows(
      `POST ${itemsRoute}/:id${action}`,
      status,
      async (world) => {
        const { id } = await newItem(world, kind);
        const path = `${pathOf(world)}/${id}`;
        if (settings.mustBeClosed && kind === "form")
          await callAdmin(world, "POST", `${path}/close`, {});
        return {
          path: path + action,
          body,
          verifyDone: async () => settings.verify?.(await callAdmin(world, "GET", path)),
          retryStatuses: settings.retryStatuses ?? [],
        };
      },
      { page: settings.page ?? status },
    );
  const newDeletedItem = async (world: World) => {
    const title = newWord();
    const path = pathOf(world);
    const { body } = await callAdmin(world, "POST", path, { data: { title, code: title } });
    await callAdmin(world, "POST", `${path}/${body.id}/delete`, {});
    return { path, id: body.id as string };
  };
  const deletedItemRows = (step: "restore" | "erase", status: number, statusAfter: number) => [
    ...(step === "erase"
      ? adminRows(`GET ${itemsRoute}/deleted/:id/erase`, 200, async (world) => {
          const { path, id } = await newDeletedItem(world);
          return { path: `${path}/deleted/${id}/erase` };
        })
      : []),
    ...adminRows(
      `POST ${itemsRoute}/deleted/:id/${step}`,
      status,
      async (world) => {
        const { path, id } = await newDeletedItem(world);
        return {
          path: `${path}/deleted/${id}/${step}`,
          body: {},
          verifyDone: async () =>
            assertStatus(await callAdmin(world, "GET", `${path}/${id}`), statusAfter),
          retryStatuses: step === "erase" ? [404] : [],
        };
      },
      { page: 303 },
    ),
  ];
  const isForm = kind === "form";
  return [
    ...adminRows(`GET ${itemsRoute}`, 200, listPath("")),
    ...adminRows(`GET ${itemsRoute}`, 200, listPath(query), { when: "with a condition" }),
    ...adminRows(`GET ${itemsRoute}/export`, 200, listPath(`/export${query}&format=csv`)),
    ...(isForm ? [] : adminRows(`GET ${itemsRoute}/choices`, 200, listPath("/choices?q=title"))),
    ...adminRows(`GET ${itemsRoute}/new`, 200, listPath("/new")),
    ...adminRows(`GET ${itemsRoute}/import`, 200, listPath("/import")),
    ...adminRows(`POST ${itemsRoute}/import`, 200, (world) => {
      const title = newWord();
      return {
        path: `${pathOf(world)}/import`,
        body: { csv: `title,code\n${title},${title}\n`, by: "", act: "write" },
        // A retry skips rows that exist.
        verifyDone: async () => assertEqual(await countItems(title), 1),
        verifyAfter503: async () => assertEqual((await countItems(title)) <= 1, true),
      };
    }),
    ...adminRows(`GET ${itemsRoute}/:id`, 200, (world) => ({
      path: `${pathOf(world)}/${firstItem(world).id}`,
    })),
    ...adminRows(
      `POST ${itemsRoute}`,
      201,
      (world) => {
        const title = newWord();
        return {
          path: pathOf(world),
          body: { data: { title, code: title } },
          verifyDone: async () => assertEqual(await countItems(title), 1),
          verifyAfter503: async () => assertEqual((await countItems(title)) <= 1, true),
        };
      },
      { page: 303 },
    ),
    ...adminRows(`POST ${itemsRoute}/selected`, 200, (world) => ({
      path: `${pathOf(world)}/selected`,
      body: { ids: firstItem(world).id, act: "download" },
    })),
    ...adminRows(
      `POST ${itemsRoute}/columns`,
      200,
      (world) => ({ path: `${pathOf(world)}/columns`, body: { columns: ["title"] } }),
      { page: 303 },
    ),
    ...adminRows(
      `POST ${itemsRoute}/filters`,
      201,
      (world) => ({ path: `${pathOf(world)}/filters`, body: { name: "Mine", search: "q=x" } }),
      { page: 303 },
    ),
    ...adminRows(`POST ${itemsRoute}/filters/:filter`, 404, (world) => ({
      path: `${pathOf(world)}/filters/nothing`,
      body: { name: "Mine" },
    })),
    ...adminRows(`POST ${itemsRoute}/filters/:filter/delete`, 404, (world) => ({
      path: `${pathOf(world)}/filters/nothing/delete`,
      body: {},
    })),
    ...adminRows(`POST ${itemsRoute}/filters/:filter/share`, 404, (world) => ({
      path: `${pathOf(world)}/filters/nothing/share`,
      body: {},
    })),
    ...adminRows(
      `POST ${itemsRoute}/views`,
      201,
      async () => ({
        path: `/${kind}s/${await newCollection(kind)}/items/views`,
        body: { name: newWord(), search: "sort=%24updated_at" },
      }),
      { page: 303 },
    ),
    ...adminRows(`POST ${itemsRoute}/views/:view`, 404, (world) => ({
      path: `${pathOf(world)}/views/nothing`,
      body: { name: "Any" },
    })),
    ...adminRows(`POST ${itemsRoute}/views/:view/delete`, 404, (world) => ({
      path: `${pathOf(world)}/views/nothing/delete`,
      body: {},
    })),
    ...actionRows("", { version: 1, data: { n: 3 } }, 200, {
      page: 303,
      retryStatuses: [412],
      verify: ({ body }) => assertEqual(body.data.double, 6),
    }),
    ...actionRows("/close", {}, isForm ? 200 : 422, {
      page: isForm ? 303 : 422,
      retryStatuses: [409],
      verify: ({ body }) => assertEqual(body.status, isForm ? "closed" : undefined),
    }),
    ...actionRows("/reopen", {}, isForm ? 200 : 409, {
      page: isForm ? 303 : 409,
      mustBeClosed: true,
      retryStatuses: [409],
      verify: ({ body }) => assertEqual(body.status, isForm ? "submitted" : undefined),
    }),
    ...actionRows("/revert", { change: "1" }, 422, { page: 422 }),
    ...actionRows("/delete", {}, 204, {
      page: 303,
      retryStatuses: [404],
      verify: (answer) => assertStatus(answer, 404),
    }),
    ...adminRows(`GET ${itemsRoute}/deleted`, 200, listPath("/deleted")),
    ...deletedItemRows("restore", 200, 200),
    ...deletedItemRows("erase", 204, 404),
    ...adminRows(`GET ${itemsRoute}/:id/erase`, 200, (world) => ({
      path: `${pathOf(world)}/${firstItem(world).id}/erase`,
    })),
    ...actionRows("/erase", {}, 204, {
      page: 303,
      retryStatuses: [404],
      verify: (answer) => assertStatus(answer, 404),
    }),
  ];
}

const deletedRows: Row[] = [
  ...adminRows("GET /deleted", 200, () => ({ path: "/deleted" })),
  ...adminRows(
    "POST /deleted/:id/restore",
    204,
    async (world) => {
      const key = await newCollection("form");
      await callAdmin(world, "POST", `/forms/${key}/delete`, { confirm: key });
      const { body } = await callAdmin(world, "GET", "/deleted");
      const { id } = body.items.find((item: Json) => item.key === key);
      return {
        path: `/deleted/${id}/restore`,
        body: {},
        verifyDone: async () => assertStatus(await callAdmin(world, "GET", `/forms/${key}`), 200),
        retryStatuses: [404],
      };
    },
    { page: 303 },
  ),
];

/** A text to search for, and the deletion of its searches, of which only 20 are kept. */
function newPerson(world: World) {
  const text = newWord();
  const cleanUp = async () => {
    const { items } = (await callAdmin(world, "GET", "/people")).body;
    for (const { id } of items.filter((search: Json) => search.text === text))
      await callAdmin(world, "POST", `/people/${id}/delete`, {});
  };
  const start = async () => {
    const { body } = await callAdmin(world, "POST", "/people", { text });
    return `/people/${body.id}`;
  };
  return { body: { text }, start, cleanUp };
}

const personRows: Row[] = [
  ...adminRows("GET /people", 200, () => ({ path: "/people" })),
  ...adminRows(
    "POST /people",
    201,
    (world) => {
      const { body, cleanUp } = newPerson(world);
      return { path: "/people", body, cleanUp };
    },
    { page: 303 },
  ),
  ...adminRows("GET /people/:id", 200, async (world) => {
    const { start, cleanUp } = newPerson(world);
    return { path: await start(), cleanUp };
  }),
  ...adminRows(
    "POST /people/:id/delete",
    204,
    async (world) => {
      const { start, cleanUp } = newPerson(world);
      const path = await start();
      const verifyDone = async () => assertStatus(await callAdmin(world, "GET", path), 404);
      return { path: `${path}/delete`, body: {}, verifyDone, cleanUp };
    },
    { page: 303 },
  ),
];

/** What an item shows of its files. */
const fileRows: Row[] = [
  ...adminRows("POST /files", 201, async ({ cookie }) => {
    // The isolate knows the definition then, so that every call of the route has the same queries.
    await announceFile(cookie);
    return { path: "/files", body: await announcement() };
  }),
  ...adminRows("PUT /files/:id/content", 200, async ({ cookie }) => ({
    path: `/files/${await announceFile(cookie)}/content`,
    body: fileBody,
  })).map(withFewFaults),
  ...adminRows("GET /files/:id/content", 200, async () => ({
    path: `/files/${await attachedFile()}/content`,
  })),
  ...adminRows("POST /files/:id/link", 200, async () => ({
    path: `/files/${await attachedFile()}/link`,
    body: {},
  })),
];

/** A single database has no moves. `test/databases` starts some. */
const databaseRows: Row[] = [
  ...adminRows("GET /settings", 200, () => ({ path: "/settings" })),
  ...adminRows("GET /settings/databases", 200, () => ({ path: "/settings/databases" })),
  ...adminRows("GET /settings/databases/move", 200, () => ({ path: "/settings/databases/move" })),
  ...adminRows("POST /settings/databases/move", 422, () => ({
    path: "/settings/databases/move",
    body: { collection: "form:nothing", to: "DATA_77" },
  })),
  ...adminRows("POST /settings/databases/moves/:id/stop", 404, () => ({
    path: "/settings/databases/moves/0/stop",
    body: {},
  })),
];

export const allAdminRows: Row[] = [
  ...signInRows,
  ...adminRows("GET /", 200, () => ({ path: "" })),
  ...adminRows("GET /audit", 200, () => ({ path: "/audit?action=record.create" })),
  ...databaseRows,
  ...accountRows,
  ...memberRows,
  ...integrationRows,
  ...deletedRows,
  ...personRows,
  ...fileRows,
  ...webhookRows,
  ...definitionRows("form"),
  ...itemRows("form"),
  ...definitionRows("app").map(withFewFaults),
  ...itemRows("app").map(withFewFaults),
];
