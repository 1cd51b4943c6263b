import type { CollectionKind } from "../../src/domain/definition/collection.ts";
import type { Json } from "../support/client";
import {
  assertEqual,
  assertStatus,
  withFewFaults,
  row,
  constantRow,
  apiRow,
  type PreparedCall,
  type Row,
} from "./routes";
import {
  callApi,
  callAdmin,
  bearerOf,
  countItems,
  fields,
  revokeCredential,
  itemsOf,
  newCollection,
  newCredential,
  newItem,
  newWord,
  type World,
} from "./world";
import { announcement, pdf, upload } from "../support/files";
import { client, makeForm } from "../support/service";
import { deleteWebhook, newWebhookBody, webhookToPost } from "./webhooks";

/** What the IDs of the operations call apps and forms. */
const nouns = {
  app: { Collection: "App", Item: "Record" },
  form: { Collection: "Form", Item: "Submission" },
} as const;

/** The routes that apps and forms share. */
function collectionRows(kind: CollectionKind): Row[] {
  const items = itemsOf(kind);
  const { Item } = nouns[kind];
  const pathOf = (key: string) => `/${kind}s/${key}/${items}`;
  const itemPath = (world: World, { id }: Json) =>
    kind === "app" ? `${pathOf(world.app)}/${id}` : `/submissions/${id}`;
  const firstItem = (world: World) => (kind === "app" ? world.record : world.submission);
  const prefix = kind === "app" ? "rec" : "sub";
  const read = (path: (world: World) => string) => (world: World) => ({ path: path(world) });
  const post =
    (path: (world: World) => string, body: object | ((world: World) => object)) =>
    (world: World) => ({
      path: path(world),
      body: typeof body === "function" ? body(world) : body,
    });
  const searchBody = {
    conditions: [
      { field: "title", op: "starts_with", value: "word" },
      { field: "n", op: "gt", value: 0 },
    ],
    sort: [{ field: "n" }, { field: "title", direction: "desc" }],
  };

  const aggregateBody = {
    conditions: [{ field: "title", op: "starts_with", value: "word" }],
    group_by: [{ field: "$created_at", unit: "week", time_zone: "Europe/Berlin" }],
    metrics: { count: { op: "count" }, n: { op: "sum", field: "n" } },
  };

  const createCall = (key: string, headers: Record<string, string>): PreparedCall => {
    const title = newWord();
    return {
      path: pathOf(key),
      body: { data: { title, code: title, n: 2 } },
      headers,
      verifyDone: async () => assertEqual(await countItems(title), 1),
      ...(headers["Idempotency-Key"]
        ? {}
        : { verifyAfter503: async () => assertEqual((await countItems(title)) <= 1, true) }),
    };
  };
  const newKeyHeader = () => ({ "Idempotency-Key": newWord() });

  const changeCall = async (world: World, body: object, settings: Partial<PreparedCall> = {}) => {
    const item = await newItem(world, kind);
    const path = itemPath(world, item);
    const verifyDone = async () =>
      assertEqual((await callApi(world, "GET", path)).body.data.double, 6);
    return { path, body, verifyDone, ...settings };
  };

  const keyOf = (world: World) => world[kind];
  return [
    constantRow(
      `list${Item}s`,
      read((world) => `${pathOf(keyOf(world))}?limit=2`),
    ),
    apiRow(
      `list${Item}s`,
      200,
      async () => ({ path: pathOf(await newCollection(kind)) }),
      "with an uncached definition",
    ),
    constantRow(
      `get${Item}`,
      read((world) => itemPath(world, firstItem(world))),
    ),
    apiRow(
      `get${Item}`,
      404,
      read((world) => itemPath(world, { id: `${prefix}_01ARZ3NDEKTSV4RRFFQ69G5FAV` })),
      "of an unknown id",
    ),
    apiRow(`create${Item}`, 201, (world) => createCall(keyOf(world), {})),
    apiRow(`create${Item}`, 201, (world) => createCall(keyOf(world), newKeyHeader()), "with a key"),
    apiRow(
      `create${Item}`,
      201,
      async () => createCall(await newCollection(kind), newKeyHeader()),
      "with a key and an uncached definition",
    ),
    apiRow(
      `create${Item}`,
      422,
      (world) => ({
        path: pathOf(keyOf(world)),
        body: { data: { strange: 1 } },
        headers: newKeyHeader(),
      }),
      "invalid, with a key",
    ),
    apiRow(
      `create${Item}`,
      409,
      async (world) => {
        const code = newWord();
        await newItem(world, kind, { code });
        return { path: pathOf(keyOf(world)), body: { data: { code } } };
      },
      "of a duplicate",
    ),
    apiRow(
      `batch${Item}s`,
      200,
      (world) => {
        const title = newWord();
        const data = { title, code: title, n: 2 };
        return {
          path: `${pathOf(keyOf(world))}/batch`,
          body: {
            operations: [
              { op: "create", data: { title } },
              { op: "upsert", by: "code", data },
            ],
          },
          headers: newKeyHeader(),
          verifyDone: async () => assertEqual(await countItems(title), 2),
          verifyAfter503: async () => assertEqual([0, 2].includes(await countItems(title)), true),
        };
      },
      "with a key",
    ),
    apiRow(
      `search${Item}s`,
      200,
      post((world) => `${pathOf(keyOf(world))}/search`, {}),
    ),
    apiRow(
      `search${Item}s`,
      200,
      post((world) => `${pathOf(keyOf(world))}/search`, searchBody),
      "with conditions",
    ),
    apiRow(
      `aggregate${Item}s`,
      200,
      post((world) => `${pathOf(keyOf(world))}/aggregate`, aggregateBody),
    ),
    apiRow(
      `search${Item}s`,
      200,
      (world) => ({
        path: `${pathOf(keyOf(world))}/search`,
        body: searchBody,
        headers: { Accept: "text/csv" },
      }),
      "as a download",
    ),
    apiRow(`update${Item}`, 200, (world) => changeCall(world, { data: { n: 3 } })),
    apiRow(
      `update${Item}`,
      200,
      (world) =>
        changeCall(
          world,
          { data: { n: 3 } },
          { headers: { "If-Match": '"1"' }, retryStatuses: [412] },
        ),
      "with If-Match",
    ),
    apiRow(
      `update${Item}`,
      409,
      async (world) => {
        const [{ code }, item] = [{ code: newWord() }, await newItem(world, kind)];
        await newItem(world, kind, { code });
        return { path: itemPath(world, item), body: { data: { code } } };
      },
      "to a duplicate",
    ),
    ...definitionRows(kind),
  ];
}

function definitionRows(kind: CollectionKind): Row[] {
  const { Collection, Item } = nouns[kind];
  const read = (suffix: string) => (world: World) => ({
    path: `/${kind}s/${world[kind]}${suffix}`,
  });
  const isStored = async (world: World, path: string, title: string) =>
    assertEqual((await callApi(world, "GET", path)).body.name, title);
  return [
    constantRow(`list${Collection}s`, () => ({ path: `/${kind}s?limit=1` })),
    constantRow(`get${Collection}`, read("")),
    apiRow(`list${Item}Changes`, 200, read("/changes?limit=3&all=true")),
    constantRow(`get${Collection}Document`, read("/openapi.json")),
    apiRow(`get${Collection}Definition`, 200, read("/schema")),
    apiRow(
      `put${Collection}Definition`,
      201,
      (world) => {
        const [path, name] = [`/${kind}s/${newWord()}/schema`, newWord()];
        return {
          path,
          body: { name, fields },
          retryStatuses: [200],
          verifyDone: () => isStored(world, path, name),
        };
      },
      "that creates",
    ),
    apiRow(
      `put${Collection}Definition`,
      200,
      async (world) => {
        const key = await newCollection(kind);
        await newItem(world, kind, { title: "x", n: 1 }, key);
        const [path, name] = [`/${kind}s/${key}/schema`, newWord()];
        const changedFields = fields.map((field) =>
          field.key === "double" ? { ...field, formula: "n * 3" } : field,
        );
        return {
          path,
          body: { name, fields: changedFields },
          verifyDone: () => isStored(world, path, name),
        };
      },
      "that recalculates items",
    ),
    apiRow(
      `put${Collection}Definition`,
      409,
      async (world) => {
        const key = await newCollection(kind);
        for (const n of [1, 1]) await newItem(world, kind, { n }, key);
        const changedFields = fields.map((field) =>
          field.key === "n" ? { ...field, unique: true } : field,
        );
        return { path: `/${kind}s/${key}/schema`, body: { fields: changedFields } };
      },
      "that duplicates prevent",
    ),
    apiRow(`patch${Collection}Definition`, 200, async (world) => {
      const [path, name] = [`/${kind}s/${await newCollection(kind)}/schema`, newWord()];
      return { path, body: { name }, verifyDone: () => isStored(world, path, name) };
    }),
    constantRow(
      `put${Collection}Definition`,
      (world) => ({
        path: `/${kind}s/${world[kind]}/schema?dry_run=true`,
        body: { fields },
      }),
      "in a dry run",
    ),
  ];
}

const submissionRows = [
  apiRow("validateSubmission", 200, (world) => ({
    path: `/forms/${world.form}/submissions/validate`,
    body: { data: { code: newWord(), n: 1 } },
  })),
  apiRow(
    "createSubmission",
    409,
    async () => {
      const key = await newCollection("form", "closed");
      return { path: `/forms/${key}/submissions`, body: { data: {} } };
    },
    "to a closed form",
  ),
  apiRow("deleteSubmission", 204, async (world) => {
    const { id } = await newItem(world, "form", { title: newWord(), code: newWord() });
    const path = `/submissions/${id}`;
    const verifyDone = async () => assertStatus(await callApi(world, "GET", path), 404);
    return { path, verifyDone, retryStatuses: [404] };
  }),
];

const credentialRows = [
  constantRow("getMe", ({ bearers: [bearer] }) => ({
    path: "/me",
    headers: { Authorization: `Bearer ${bearer}` },
  })),
  apiRow(
    "getMe",
    401,
    () => ({ path: "/me", headers: { Authorization: "Bearer letmein" } }),
    "with an invalid token",
  ),
  apiRow(
    "getMe",
    401,
    async (world) => {
      const { id, name, token } = await newCredential(world);
      await callAdmin(world, "POST", `/integrations/${id}/revoke`, {});
      const cleanUp = () => revokeCredential(name);
      return { path: "/me", headers: { Authorization: `Bearer ${token}` }, cleanUp };
    },
    "with a revoked credential",
  ),
];

/** Sends the call as an MCP client, without a protocol version header. */
const asAssistant =
  (method: string, prepare: (world: World) => Partial<PreparedCall> & { params: object }) =>
  async (world: World) => {
    const { params, ...settings } = prepare(world);
    const body = { jsonrpc: "2.0", id: 1, method, params };
    return { path: "/mcp", headers: bearerOf(world), body, ...settings };
  };

const assistantRows = [
  row(
    "POST /mcp",
    200,
    asAssistant("tools/list", () => ({ params: {} })),
    "for the tools",
  ),
  row(
    "POST /mcp",
    200,
    asAssistant("tools/call", ({ form }) => {
      const title = newWord();
      const args = { form, data: { title, code: title }, idempotency_key: title };
      const verifyDone = async () => assertEqual(await countItems(title), 1);
      return { params: { name: "create_submission", arguments: args }, verifyDone };
    }),
    "for a create with a key",
  ),
  row(
    "POST /mcp",
    200,
    asAssistant("tools/call", ({ app }) => {
      const args = { app, conditions: [{ field: "n", op: "gt", value: 0 }] };
      return { params: { name: "search_records", arguments: args } };
    }),
    "for a search",
  ),
];

async function newWebhook(world: World) {
  const { body } = await callApi(world, "POST", "/webhooks", await newWebhookBody());
  return { path: `/webhooks/${body.id}`, cleanUp: () => deleteWebhook(body.name) };
}

const forWebhook =
  (prepare: (path: string, world: World) => Partial<PreparedCall> = () => ({})) =>
  async (world: World) => {
    const webhook = await newWebhook(world);
    return { ...webhook, ...prepare(webhook.path, world) };
  };

const webhookRows = [
  apiRow("listWebhooks", 200, () => ({ path: "/webhooks?limit=1" })),
  apiRow("createWebhook", 201, webhookToPost),
  apiRow("getWebhook", 200, forWebhook()),
  apiRow(
    "updateWebhook",
    200,
    forWebhook((path, world) => ({
      body: { state: "paused" },
      verifyDone: async () => assertEqual((await callApi(world, "GET", path)).body.state, "paused"),
    })),
  ),
  apiRow(
    "deleteWebhook",
    204,
    forWebhook((path, world) => ({
      verifyDone: async () => assertStatus(await callApi(world, "GET", path), 404),
      retryStatuses: [404],
    })),
  ),
  apiRow(
    "listWebhookDeliveries",
    200,
    forWebhook((path) => ({ path: `${path}/deliveries?limit=2` })),
  ),
  apiRow(
    "testWebhook",
    200,
    forWebhook((path) => ({ path: `${path}/test` })),
  ),
  apiRow("redeliverWebhook", 200, async (world) => {
    const { path, cleanUp } = await newWebhook(world);
    const { body } = await callApi(world, "POST", `${path}/test`);
    return { path: `${path}/deliveries/${body.id}/redeliver`, cleanUp };
  }),
];

const invoices = [{ key: "invoices", type: "files" }];

let cachedUploader: ReturnType<typeof client> | undefined;
/** A member has at most 100 valid credentials, so all rows share one. */
const getUploader = () => (cachedUploader ??= client());

/** A file of one token, which all calls of a row must use, because only the uploader can attach it. */
async function newFile(isAttached: boolean) {
  const owner = await getUploader();
  const key = await makeForm(owner, invoices);
  const id = await upload(owner, `form:${key}`);
  if (isAttached) await owner.post(`/forms/${key}/submissions`, { data: { invoices: [id] } });
  return { owner, key, id, headers: { Authorization: `Bearer ${owner.bearer}` } };
}

const fileRows = [
  apiRow("createFile", 201, async () => {
    const { key, headers } = await newFile(false);
    return { path: "/files", headers, body: announcement(`form:${key}`, pdf()) };
  }),
  apiRow("putFileContent", 200, async () => {
    const { id, headers } = await newFile(false);
    return { path: `/files/${id}/content`, headers, body: new TextDecoder().decode(pdf()) };
  }),
  apiRow("deleteFile", 204, async () => {
    const { owner, id, headers } = await newFile(false);
    const verifyDone = async () => assertStatus(await owner.get(`/files/${id}`), 404);
    return { path: `/files/${id}`, headers, verifyDone, retryStatuses: [404] };
  }),
  ...(["getFile", "getFileContent", "createFileLink"] as const).map((operation) =>
    apiRow(operation, 200, async () => {
      const { id, headers } = await newFile(true);
      const ends = { getFile: "", getFileContent: "/content", createFileLink: "/link" };
      return { path: `/files/${id}${ends[operation]}`, headers };
    }),
  ),
];

/** The joined document of selected forms. */
const documentRows: Row[] = [
  apiRow("getDocument", 200, (world) => ({ path: `/openapi.json?forms=${world.form}` })),
];

export const apiRows = [
  ...documentRows,
  ...fileRows,
  ...webhookRows,
  ...credentialRows,
  ...assistantRows,
  ...collectionRows("form"),
  // Apps and forms share their code, so the variants try all faults with forms only.
  ...collectionRows("app").map((appRow) => (appRow.when === "" ? appRow : withFewFaults(appRow))),
  ...submissionRows,
];
