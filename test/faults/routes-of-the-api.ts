import type { CollectionKind } from "../../src/domain/definition/collection.ts";
import type { Json } from "../support/client";
import {
  agree,
  agreeStatus,
  asIntegrator,
  few,
  row,
  sameRow,
  type Prepared,
  type Row,
} from "./routes";
import {
  api,
  area,
  bearerOf,
  countOf,
  fields,
  forget,
  itemsOf,
  newCollection,
  newCredential,
  newItem,
  word,
  type World,
} from "./world";
import { forgetWebhook, newWebhookBody, posted } from "./webhooks";

const base = "/api/v1";

/** The routes that both kinds of collections have. */
function collectionRows(kind: CollectionKind): Row[] {
  const items = itemsOf(kind);
  const all = `${base}/${kind}s/:key/${items}`;
  const pathOf = (key: string) => `/${kind}s/${key}/${items}`;
  const one = kind === "app" ? `${all}/:id` : `${base}/submissions/:id`;
  const itemPath = (world: World, { id }: Json) =>
    kind === "app" ? `${pathOf(world.app)}/${id}` : `/submissions/${id}`;
  const first = (world: World) => (kind === "app" ? world.record : world.submission);
  const prefix = kind === "app" ? "rec" : "sub";
  const read = (path: (world: World) => string) => asIntegrator((world) => ({ path: path(world) }));
  const post = (path: (world: World) => string, body: object | ((world: World) => object)) =>
    asIntegrator((world) => ({
      path: path(world),
      body: typeof body === "function" ? body(world) : body,
    }));
  const searched = {
    conditions: [
      { field: "title", op: "starts_with", value: "word" },
      { field: "n", op: "gt", value: 0 },
    ],
    sort: [{ field: "n" }, { field: "title", direction: "desc" }],
  };

  const creating = (key: string, headers: Record<string, string>): Prepared => {
    const title = word();
    return {
      path: pathOf(key),
      body: { data: { title, code: title, n: 2 } },
      headers,
      done: async () => agree(await countOf(title), 1),
      ...(headers["Idempotency-Key"]
        ? {}
        : { unknown: async () => agree((await countOf(title)) <= 1, true) }),
    };
  };
  const keyed = () => ({ "Idempotency-Key": word() });

  const changing = async (world: World, body: object, rest: Partial<Prepared> = {}) => {
    const item = await newItem(world, kind);
    const path = itemPath(world, item);
    const done = async () => agree((await api(world, "GET", path)).body.data.double, 6);
    return { path, body, done, ...rest };
  };

  const key = (world: World) => world[kind];
  return [
    sameRow(
      `GET ${all}`,
      read((world) => `${pathOf(key(world))}?limit=2`),
    ),
    row(
      `GET ${all}`,
      200,
      asIntegrator(async () => ({ path: pathOf(await newCollection(kind)) })),
      "in one that this isolate does not know",
    ),
    sameRow(
      `GET ${one}`,
      read((world) => itemPath(world, first(world))),
    ),
    row(
      `GET ${one}`,
      404,
      read((world) => itemPath(world, { id: `${prefix}_01ARZ3NDEKTSV4RRFFQ69G5FAV` })),
      "of nothing",
    ),
    row(
      `POST ${all}`,
      201,
      asIntegrator((world) => creating(key(world), {})),
    ),
    row(
      `POST ${all}`,
      201,
      asIntegrator((world) => creating(key(world), keyed())),
      "with a key",
    ),
    row(
      `POST ${all}`,
      201,
      asIntegrator(async () => creating(await newCollection(kind), keyed())),
      "with a key, in one that this isolate does not know",
    ),
    row(
      `POST ${all}`,
      422,
      asIntegrator((world) => ({
        path: pathOf(key(world)),
        body: { data: { strange: 1 } },
        headers: keyed(),
      })),
      "of what is wrong, with a key",
    ),
    row(
      `POST ${all}`,
      409,
      asIntegrator(async (world) => {
        const code = word();
        await newItem(world, kind, { code });
        return { path: pathOf(key(world)), body: { data: { code } } };
      }),
      "of a duplicate",
    ),
    row(
      `POST ${all}/batch`,
      200,
      asIntegrator((world) => {
        const title = word();
        const data = { title, code: title, n: 2 };
        return {
          path: `${pathOf(key(world))}/batch`,
          body: {
            operations: [
              { op: "create", data: { title } },
              { op: "upsert", by: "code", data },
            ],
          },
          headers: keyed(),
          done: async () => agree(await countOf(title), 2),
          unknown: async () => agree([0, 2].includes(await countOf(title)), true),
        };
      }),
      "with a key",
    ),
    row(
      `POST ${all}/search`,
      200,
      post((world) => `${pathOf(key(world))}/search`, {}),
    ),
    row(
      `POST ${all}/search`,
      200,
      post((world) => `${pathOf(key(world))}/search`, searched),
      "with conditions",
    ),
    row(
      `POST ${all}/search`,
      200,
      asIntegrator((world) => ({
        path: `${pathOf(key(world))}/search`,
        body: searched,
        headers: { Accept: "text/csv" },
      })),
      "as a download",
    ),
    row(
      `PATCH ${one}`,
      200,
      asIntegrator((world) => changing(world, { data: { n: 3 } })),
    ),
    row(
      `PATCH ${one}`,
      200,
      asIntegrator((world) =>
        changing(world, { data: { n: 3 } }, { headers: { "If-Match": '"1"' }, again: [412] }),
      ),
      "of a version",
    ),
    row(
      `PATCH ${one}`,
      409,
      asIntegrator(async (world) => {
        const [{ code }, other] = [{ code: word() }, await newItem(world, kind)];
        await newItem(world, kind, { code });
        return { path: itemPath(world, other), body: { data: { code } } };
      }),
      "to a duplicate",
    ),
    ...definitionRows(kind),
  ];
}

function definitionRows(kind: CollectionKind): Row[] {
  const all = `${base}/${kind}s`;
  const read = (rest: string) =>
    asIntegrator((world) => ({ path: `/${kind}s/${world[kind]}${rest}` }));
  const isStored = async (world: World, path: string, title: string) =>
    agree((await api(world, "GET", path)).body.name, title);
  return [
    sameRow(
      `GET ${all}`,
      asIntegrator(() => ({ path: `/${kind}s?limit=1` })),
    ),
    sameRow(`GET ${all}/:key`, read("")),
    row(`GET ${all}/:key/changes`, 200, read("/changes?limit=3&all=true")),
    sameRow(`GET ${all}/:key/openapi.json`, read("/openapi.json")),
    row(`GET ${all}/:key/schema`, 200, read("/schema")),
    row(
      `PUT ${all}/:key/schema`,
      201,
      asIntegrator((world) => {
        const [path, name] = [`/${kind}s/${word()}/schema`, word()];
        return {
          path,
          body: { name, fields },
          again: [200],
          done: () => isStored(world, path, name),
        };
      }),
      "that creates",
    ),
    row(
      `PUT ${all}/:key/schema`,
      200,
      asIntegrator(async (world) => {
        const key = await newCollection(kind);
        await newItem(world, kind, { title: "x", n: 1 }, key);
        const [path, name] = [`/${kind}s/${key}/schema`, word()];
        const changed = fields.map((field) =>
          field.key === "double" ? { ...field, formula: "n * 3" } : field,
        );
        return { path, body: { name, fields: changed }, done: () => isStored(world, path, name) };
      }),
      "that has its items calculated anew",
    ),
    row(
      `PUT ${all}/:key/schema`,
      409,
      asIntegrator(async (world) => {
        const key = await newCollection(kind);
        for (const n of [1, 1]) await newItem(world, kind, { n }, key);
        const changed = fields.map((field) =>
          field.key === "n" ? { ...field, unique: true } : field,
        );
        return { path: `/${kind}s/${key}/schema`, body: { fields: changed } };
      }),
      "that duplicates stand against",
    ),
  ];
}

const submissionRows = [
  row(
    `POST ${base}/forms/:key/submissions/validate`,
    200,
    asIntegrator((world) => ({
      path: `/forms/${world.form}/submissions/validate`,
      body: { data: { code: word(), n: 1 } },
    })),
  ),
  row(
    `POST ${base}/forms/:key/submissions`,
    409,
    asIntegrator(async () => {
      const key = await newCollection("form", "closed");
      return { path: `/forms/${key}/submissions`, body: { data: {} } };
    }),
    "to a closed form",
  ),
  row(
    `DELETE ${base}/submissions/:id`,
    204,
    asIntegrator(async (world) => {
      const { id } = await newItem(world, "form", { title: word(), code: word() });
      const path = `/submissions/${id}`;
      const done = async () => agreeStatus(await api(world, "GET", path), 404);
      return { path, done, again: [404] };
    }),
  ),
];

const credentialRows = [
  sameRow(
    `GET ${base}/me`,
    asIntegrator(({ bearers: [first] }) => ({
      path: "/me",
      headers: { Authorization: `Bearer ${first}` },
    })),
  ),
  row(
    `GET ${base}/me`,
    401,
    asIntegrator(() => ({ path: "/me", headers: { Authorization: "Bearer letmein" } })),
    "with no credential",
  ),
  row(
    `GET ${base}/me`,
    401,
    asIntegrator(async (world) => {
      const { id, name, token } = await newCredential(world);
      await area(world, "POST", `/integrations/${id}/revoke`, {});
      const after = () => forget(name);
      return { path: "/me", headers: { Authorization: `Bearer ${token}` }, after };
    }),
    "with a revoked credential",
  ),
];

/** As an assistant, which the newest version of the protocol is not asked of. */
const asAssistant =
  (method: string, prepare: (world: World) => Partial<Prepared> & { sent: object }) =>
  async (world: World) => {
    const { sent: params, ...rest } = prepare(world);
    const body = { jsonrpc: "2.0", id: 1, method, params };
    return { path: "/mcp", headers: bearerOf(world), body, ...rest };
  };

const assistantRows = [
  row(
    "POST /mcp",
    200,
    asAssistant("tools/list", () => ({ sent: {} })),
    "for the tools",
  ),
  row(
    "POST /mcp",
    200,
    asAssistant("tools/call", ({ form }) => {
      const title = word();
      const sent = { form, data: { title, code: title }, idempotency_key: title };
      const done = async () => agree(await countOf(title), 1);
      return { sent: { name: "create_submission", arguments: sent }, done };
    }),
    "for a create with a key",
  ),
  row(
    "POST /mcp",
    200,
    asAssistant("tools/call", ({ app }) => {
      const sent = { app, conditions: [{ field: "n", op: "gt", value: 0 }] };
      return { sent: { name: "search_records", arguments: sent } };
    }),
    "for a search",
  ),
];

async function newWebhook(world: World) {
  const { body } = await api(world, "POST", "/webhooks", await newWebhookBody());
  return { path: `/webhooks/${body.id}`, after: () => forgetWebhook(body.name) };
}

const webhooks = `${base}/webhooks`;
const ofWebhook = (rest: (path: string, world: World) => Partial<Prepared> = () => ({})) =>
  asIntegrator(async (world) => {
    const hook = await newWebhook(world);
    return { ...hook, ...rest(hook.path, world) };
  });

const webhookRows = [
  row(
    `GET ${webhooks}`,
    200,
    asIntegrator(() => ({ path: "/webhooks?limit=1" })),
  ),
  row(`POST ${webhooks}`, 201, asIntegrator(posted)),
  row(`GET ${webhooks}/:id`, 200, ofWebhook()),
  row(
    `PATCH ${webhooks}/:id`,
    200,
    ofWebhook((path, world) => ({
      body: { state: "paused" },
      done: async () => agree((await api(world, "GET", path)).body.state, "paused"),
    })),
  ),
  row(
    `DELETE ${webhooks}/:id`,
    204,
    ofWebhook((path, world) => ({
      done: async () => agreeStatus(await api(world, "GET", path), 404),
      again: [404],
    })),
  ),
  row(
    `GET ${webhooks}/:id/deliveries`,
    200,
    ofWebhook((path) => ({ path: `${path}/deliveries?limit=2` })),
  ),
  row(
    `POST ${webhooks}/:id/test`,
    200,
    ofWebhook((path) => ({ path: `${path}/test` })),
  ),
  row(
    `POST ${webhooks}/:id/deliveries/:delivery/redeliver`,
    200,
    asIntegrator(async (world) => {
      const { path, after } = await newWebhook(world);
      const { body } = await api(world, "POST", `${path}/test`);
      return { path: `${path}/deliveries/${body.id}/redeliver`, after };
    }),
  ),
];

/** Documents of chosen forms, joined. */
const documentRows: Row[] = [
  row(
    `GET ${base}/openapi.json`,
    200,
    asIntegrator((world) => ({ path: `/openapi.json?forms=${world.form}` })),
  ),
];

export const apiRows = [
  ...documentRows,
  ...webhookRows,
  ...credentialRows,
  ...assistantRows,
  ...collectionRows("form"),
  // One engine serves both kinds: what is particular is tried with forms.
  ...collectionRows("app").map((each) => (each.when === "" ? each : few(each))),
  ...submissionRows,
];
