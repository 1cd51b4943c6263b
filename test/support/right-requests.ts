import type { Json } from "./client";
import { announcement, fileContent, pdf } from "./files";
import { account, everything, freshKey } from "./service";
import { data, starts } from "./documents";
import type { OperationId } from "../../src/operations/index.ts";
import { pathWith, routeName, routes, type Route } from "./routes";
import { spend, world, type World } from "./world";

/** Valid path parameters for a route. */
export function parametersOf({ path }: Route, parts: World): Record<string, string> {
  const { key, deleted, ...item } = path.includes("/apps") ? parts.app : parts.form;
  const id = path.includes("/deleted/:id") ? deleted : item.id;
  return {
    key,
    id: path.includes("/integrations")
      ? parts.credential
      : path.includes("/members")
        ? parts.member
        : path.includes("/webhooks")
          ? parts.webhook.id
          : path.includes("/files/")
            ? parts.file.id
            : path.includes("/people/")
              ? parts.search
              : path.includes("/moves/")
                ? "0"
                : id,
    delivery: parts.webhook.delivery,
    path: path.endsWith("/move") ? "lines.qty" : "amount",
    secret: parts.invitation,
    filter: "nothing",
    view: "nothing",
    reset: parts.reset,
    code: "not_found",
    version: "1",
    session: "0123456789abcdef",
  };
}

const create = { data: data() };

const conditions = [
  { field: "title", op: "contains", value: "title" },
  { not: { field: "notes", op: "starts_with", value: "x" } },
  {
    any: [
      { field: "amount", op: "between", value: [-5, 100] },
      { field: "pieces", op: "in", value: [1, 2, 3] },
      { field: "day", op: "gte", value: "2026-11-21" },
      { field: "at", op: "lt", value: "2026-11-21T00:00:00Z" },
      { field: "kind", op: "not_in", value: ["a", "ü"] },
      { field: "tags", op: "has_any", value: ["b"] },
      { field: "$created_at", op: "gt", value: "2026-01-01T00:00:00.5+09:00" },
      { field: "total", op: "is_empty", value: true },
      { field: "large", op: "eq", value: false },
      { field: "$id", op: "ne", value: "x" },
    ],
  },
  { field: "lines", op: "any", value: [{ field: "sku", op: "eq", value: "X1" }] },
  { all: [{ field: "agreed", op: "is_empty", value: false }] },
];
const search = {
  conditions,
  sort: [
    { field: "amount", direction: "desc" },
    { field: "$id", direction: "asc" },
  ],
  fields: ["title", "lines"],
  limit: 10,
  cursor: null,
};
const aggregate = {
  conditions,
  group_by: [{ field: "agreed" }, { field: "$created_at", unit: "week", time_zone: "Asia/Tokyo" }],
  metrics: {
    items: { op: "count" },
    titles: { op: "count_distinct", field: "title" },
    spent: { op: "sum", field: "amount" },
    mean: { op: "avg", field: "amount" },
    last: { op: "max", field: "$updated_at" },
  },
  order_by: [{ metric: "spent", direction: "desc" }, { metric: "last" }],
  limit: 10,
};
const credential = {
  name: "Random",
  permissions: everything,
  resources: ["app:orders", "form:purchase"],
  requests: 600,
  writes: 120,
  expires: "30d",
};

type Kind = "app" | "form";
const definitionOf = (kind: Kind): Json => starts[kind]?.documents.at(-1);

/** Valid bodies for the administration of an app or a form. */
const collectionBodies = (kind: Kind): Record<string, (world: World) => Json> => {
  const base = `POST /admin/${kind}s`;
  return {
    [base]: () => ({ key: freshKey(kind), name: "New" }),
    [`${base}/:key/settings`]: () => ({
      version: 1,
      ...definitionOf(kind),
      fields: undefined,
      acceptance: undefined,
      ...(kind === "form"
        ? { state: "open", opens_at: "2026-01-01T00:00", closes_at: "", max_submissions: "5" }
        : {}),
    }),
    // A script sends the document itself, and a browser sends its text.
    [`${base}/:key/json`]: () =>
      kind === "app"
        ? { ...definitionOf(kind), schema_version: 1, name: "Pasted" }
        : {
            document: JSON.stringify({ ...definitionOf(kind), schema_version: 1, name: "Pasted" }),
          },
    [`${base}/:key/fields`]: () => ({
      version: 1,
      sure: "on",
      "fields[0].type": "select",
      "fields[0].key": freshKey("field"),
      "fields[0].label": "Another",
      "fields[0].options": "Apple | a\nb",
      "fields[0].required": "on",
      "fields[1].type": "line_items",
      "fields[1].fields[0].type": "text",
      "fields[1].fields[0].label": "Within",
    }),
    [`${base}/:key/check-index`]: () => ({}),
    [`${base}/:key/access`]: () => ({ items: "own", fields: ["title"] }),
    [`${base}/:key/delete`]: (current) => ({ confirm: current[kind].key }),
    [`${base}/:key/items`]: () => ({ data: data() }),
    [`${base}/:key/items/import`]: () => ({ csv: "title\nImported", act: "write" }),
    [`${base}/:key/items/selected`]: () => ({ ids: "sub_x", act: "download" }),
    [`${base}/:key/items/columns`]: () => ({ columns: "title" }),
    [`${base}/:key/items/filters`]: () => ({ name: "Mine", search: "q=x" }),
    [`${base}/:key/items/filters/:filter`]: () => ({ name: "Mine" }),
    [`${base}/:key/items/filters/:filter/delete`]: () => ({}),
    [`${base}/:key/items/filters/:filter/share`]: () => ({}),
    [`${base}/:key/items/views`]: () => ({ name: freshKey("View"), search: "sort=title" }),
    [`${base}/:key/items/views/:view`]: () => ({ name: freshKey("View") }),
    [`${base}/:key/items/views/:view/delete`]: () => ({}),
    [`${base}/:key/items/:id`]: () => ({ version: 1, data: { title: "Another" } }),
    [`${base}/:key/items/:id/close`]: () => ({ version: 1 }),
    [`${base}/:key/items/:id/reopen`]: () => ({ version: 1 }),
    [`${base}/:key/items/:id/revert`]: () => ({ version: 1, change: 1 }),
    [`${base}/:key/items/:id/delete`]: () => ({ version: 1 }),
    [`${base}/:key/items/:id/erase`]: () => ({ version: 1 }),
    [`${base}/:key/items/deleted/:id/restore`]: () => ({}),
    [`${base}/:key/items/deleted/:id/erase`]: () => ({}),
  };
};

/** A valid body for each operation that takes one. */
const apiBodies: Partial<Record<OperationId, (world: World) => Json>> = {
  createRecord: () => ({ data: data() }),
  searchRecords: () => search,
  aggregateRecords: () => aggregate,
  batchRecords: ({ app: { id, receipt } }) => ({
    operations: [
      { op: "create", data: data() },
      { op: "update", id, data: { title: "x" }, if_match: '"1"' },
      { op: "update", id: receipt, data: { amount: null } },
      { op: "upsert", by: "code", data: data() },
    ],
  }),
  updateRecord: () => ({ data: data() }),
  putAppDefinition: () => definitionOf("app"),
  createSubmission: () => ({ status: "draft", data: data() }),
  validateSubmission: () => ({ status: "submitted", data: data() }),
  aggregateSubmissions: () => aggregate,
  searchSubmissions: () => ({
    ...search,
    sort: [{ field: "$updated_at" }, { field: "$status", direction: "desc" }],
  }),
  batchSubmissions: ({ form: { id } }) => ({
    operations: [
      { op: "create", status: "draft", data: data() },
      { op: "upsert", by: "code", data: data(), status: "submitted" },
      { op: "update", id, data: { title: "x" }, status: "submitted" },
    ],
  }),
  updateSubmission: () => ({ status: "closed", data: { lines: create.data.lines } }),
  putFormDefinition: () => definitionOf("form"),
  patchAppDefinition: () => ({ name: "Patched", receipt_prefix: null }),
  patchFormDefinition: () => ({
    description: "Patched",
    acceptance: { state: "open", closes_at: null },
  }),
  createWebhook: () => ({
    name: "Stock",
    url: "https://receiver.example/hook",
    types: ["record.created", "submission.closed"],
    collections: "all",
    include: "ids",
  }),
  createFile: ({ file: { key } }) => announcement(`form:${key}`, pdf()),
  putFileContent: () => fileContent,
  createFileLink: () => ({}),
  testWebhook: () => ({}),
  redeliverWebhook: () => ({}),
  updateWebhook: () => ({ name: "Stock", rotate_secret: { overlap_hours: 24 } }),
};

/** A valid body for each route that takes one, by the route's name. A test fails for a route that is missing here. */
export const bodies: Record<string, (world: World) => Json> = {
  ...Object.fromEntries(
    Object.entries(apiBodies).map(([id, body]) => [routeName(id as OperationId), body]),
  ),
  "POST /oauth/token": ({ client: { client_id, client_secret } }) => ({
    grant_type: "client_credentials",
    client_id,
    client_secret,
    scope: "records:read",
  }),
  "POST /mcp": ({ form: { key } }) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "create_submission", arguments: { form: key, data: data() } },
  }),
  "POST /admin/sign-in": () => account,
  "POST /admin/sign-out": () => ({}),
  "POST /admin/setup": () => ({ ...account, secret: "set-up secret of the tests" }),
  "POST /admin/reset/:reset": () => ({ password: account.password }),
  "POST /admin/members/:id/reset": () => ({}),
  "POST /admin/join/:secret": () => ({ password: account.password }),
  "POST /admin/account/sign-out-everywhere": () => ({}),
  "POST /admin/account/password": () => ({
    current: account.password,
    password: account.password,
  }),
  "POST /admin/deleted/:id/restore": () => ({}),
  "POST /admin/settings/databases/move": () => ({ collection: "form:nothing", to: "DATA_77" }),
  "POST /admin/settings/databases/moves/:id/stop": () => ({}),
  "POST /admin/people": () => ({ text: "Akiko Mori" }),
  "POST /admin/people/:id/delete": () => ({}),
  "POST /admin/files": ({ file: { key } }) => announcement(`form:${key}`, pdf()),
  "PUT /admin/files/:id/content": () => fileContent,
  "POST /admin/files/:id/link": () => ({}),
  ...collectionBodies("app"),
  ...collectionBodies("form"),
  "POST /admin/integrations": () => ({ kind: "token", ...credential }),
  "POST /admin/integrations/:id": () => credential,
  "POST /admin/integrations/:id/rotate": () => ({ overlap: "1h" }),
  "POST /admin/integrations/:id/expire": () => ({ secret: 0 }),
  "POST /admin/integrations/:id/revoke": () => ({}),
  "POST /admin/webhooks": () => ({
    name: "Stock",
    url: "https://receiver.example/hook",
    types: ["record.created"],
    collections: "all",
  }),
  "POST /admin/webhooks/:id": () => ({ name: "Stock", state: "paused" }),
  "POST /admin/webhooks/:id/rotate": () => ({ overlap: "1h" }),
  "POST /admin/webhooks/:id/test": () => ({}),
  "POST /admin/webhooks/:id/deliveries/:delivery/redeliver": () => ({}),
  "POST /admin/webhooks/:id/delete": () => ({}),
  "POST /admin/members": () => ({ email: `${freshKey("guest")}@forms.example`, role: "editor" }),
  "POST /admin/members/invitations/withdraw": () => ({ email: "nobody@forms.example" }),
  "POST /admin/account/name": () => ({ name: "Akiko Mori" }),
  "POST /admin/account/sessions/:session/end": () => ({}),
  "POST /admin/account/language": () => ({ language: "ja" }),
  "POST /admin/account/zone": () => ({ zone: "Asia/Tokyo" }),
  "POST /admin/preferences": () => ({ theme: "dark", back: "/admin/forms" }),
  "POST /admin/members/:id": () => ({ role: "viewer", disabled: "false" }),
};

/** Routes that reject their valid body for another reason, for example because an owner already exists. */
export const refused = [
  "GET /admin/setup",
  "POST /admin/setup",
  "POST /admin/apps/:key/items/:id/close",
  "POST /admin/apps/:key/items/:id/reopen",
  "POST /admin/apps/:key/items/:id/revert",
  "POST /admin/forms/:key/items/:id/revert",
  "POST /admin/forms/:key/items/:id/reopen",
  "POST /admin/deleted/:id/restore",
  // Only an installation with several databases has moves.
  "POST /admin/settings/databases/move",
  "POST /admin/settings/databases/moves/:id/stop",
  // The world has no saved filter and no view, and its file belongs to a credential.
  ...["app", "form"].flatMap((kind) => [
    `POST /admin/${kind}s/:key/items/filters/:filter`,
    `POST /admin/${kind}s/:key/items/filters/:filter/delete`,
    `POST /admin/${kind}s/:key/items/filters/:filter/share`,
    `POST /admin/${kind}s/:key/items/views/:view`,
    `POST /admin/${kind}s/:key/items/views/:view/delete`,
  ]),
  "PUT /admin/files/:id/content",
];

/** Builds a valid request for a route. The given parameters replace the valid ones in its path. */
export async function rightRequest(
  name: string,
  parameters: Record<string, string> = {},
): Promise<{ method: string; path: string; body: Json }> {
  const route = routes.get(name);
  if (!route) throw new Error(`There is no route ${name}.`);
  const current = await world();
  const path = pathWith(route.path, { ...parametersOf(route, current), ...parameters });
  return { method: route.method, path, body: bodies[name]?.(current) };
}

/** Discards the part of the world that a request of this route has changed. */
export function spendAfter(route: string): void {
  const { method, path } = routes.get(route) ?? { method: "GET", path: "/" };
  const changes = !/\/(search|aggregate|validate|check|records|submissions|items|import)$/.test(
    path,
  );
  if (method === "GET" || !changes) return;
  if (path.includes("/apps/:key")) spend("app");
  else if (/\/forms\/:key|\/submissions\//.test(path)) spend("form");
  else if (path.includes("/integrations/:id")) spend("credential");
  else if (path.includes("/members/:id")) spend("member");
  else if (path.includes("/webhooks/:id")) spend("webhook");
  else if (path.includes("/people/:id")) spend("search");
  else if (path.includes("/join/")) spend("invitation");
  else if (path.includes("/reset/")) spend("reset");
}
