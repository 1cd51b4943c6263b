import { randomUUID } from "node:crypto";
import { Refusal, type Account } from "./account.ts";
import { dump } from "./storage.ts";
import type { Uploaded, UploadedBinding } from "./runtime.ts";

interface Call {
  params: Record<string, string>;
  query: URLSearchParams;
  path: string;
  body: Buffer;
  type: string | undefined;
  origin: string;
  jurisdiction: string | undefined;
}

type Endpoint = [string, string, (account: Account, call: Call) => unknown];

// oxlint-disable-next-line typescript/no-explicit-any
const json = ({ body }: Call): any => JSON.parse(body.toString());
const form = ({ body, type }: Call) =>
  new Response(new Uint8Array(body), { headers: { "Content-Type": type ?? "" } }).formData();

const accountPath = "/accounts/ours";
const d1 = `${accountPath}/d1/database`;
const kv = `${accountPath}/storage/kv/namespaces`;
const script = `${accountPath}/workers/scripts/:name`;

const databases: Endpoint[] = [
  [
    "GET",
    d1,
    ({ databases: byId }, call) => onPage([...byId.values()].map(databaseDocument), call.query),
  ],
  ["POST", d1, (account, call) => account.makeDatabase(json(call).name, json(call).jurisdiction)],
  [
    "GET",
    `${d1}/:id`,
    (account, { params: { id = "" } }) => databaseDocument(account.findDatabase(id)),
  ],
  [
    "DELETE",
    `${d1}/:id`,
    async (account, { params: { id = "" } }) => {
      account.database(id);
      account.databases.delete(id);
    },
  ],
  ["POST", `${d1}/:id/query`, runQuery],
  [
    "POST",
    `${d1}/:id/export`,
    (account, { params: { id = "" }, origin }) => {
      account.database(id);
      const signed_url = `${origin}/client/v4/exported/${id}`;
      return {
        success: true,
        status: "complete",
        messages: [],
        at_bookmark: "now",
        result: { filename: "export.sql", signed_url },
      };
    },
  ],
  [
    "GET",
    "/exported/:id",
    async ({ storage, isExported }, { params: { id = "" } }) =>
      (await dump(storage, id))
        .filter(isExported)
        .map((statement) => `${statement};\n`)
        .join(""),
  ],
  ["POST", `${d1}/:id/import`, importFile],
  [
    "GET",
    `${d1}/:id/time_travel/bookmark`,
    async (account, { params: { id = "" }, query }) => ({
      bookmark: await inDatabase(account.database(id).history.bookmarkAt(query.get("timestamp"))),
    }),
  ],
  [
    "POST",
    `${d1}/:id/time_travel/restore`,
    async (account, { params: { id = "" }, query }) => {
      const bookmark = query.get("bookmark") ?? "";
      const previous_bookmark = await inDatabase(account.database(id).history.restore(bookmark));
      return { bookmark, previous_bookmark, message: "Database restored" };
    },
  ],
];

/** Imports a file of statements. The client announces its hash, uploads it, and then starts the import. */
async function importFile({ storage, files }: Account, call: Call) {
  const { id = "" } = call.params;
  const { action, etag } = json(call);
  const common = { success: true, messages: [], filename: `${etag}.sql` };
  if (action === "init")
    return { ...common, upload_url: `${call.origin}/client/v4/imported/${etag}` };
  const results = await storage.query(id, files.get(etag)?.toString() ?? "");
  const meta = { duration: 1, rows_read: 0, rows_written: results.length, size_after: 0 };
  const result = { num_queries: results.length, final_bookmark: "now", meta };
  return { ...common, status: "complete", result };
}

function databaseDocument(database: {
  uuid: string;
  name: string;
  jurisdiction?: string | undefined;
}) {
  const { uuid, name, jurisdiction = null } = database;
  return {
    uuid,
    name,
    jurisdiction,
    version: "production",
    num_tables: 0,
    file_size: 0,
    running_in_region: "WEUR",
  };
}

/** Returns one page of the requested size. wrangler requests further pages while a page is full. */
function onPage<T>(entries: T[], query: URLSearchParams): T[] {
  const size = Number(query.get("per_page") ?? 20);
  const page = Number(query.get("page") ?? 1);
  return entries.slice((page - 1) * size, page * size);
}

async function runQuery({ storage, databases: byId }: Account, call: Call) {
  const { id = "" } = call.params;
  if (!byId.has(id)) throw new Refusal(404, 7404, `The database ${id} could not be found`);
  return inDatabase(storage.query(id, json(call).sql));
}

/** Returns the result of a database, or its error as Cloudflare does. */
async function inDatabase<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw new Refusal(400, 7500, (error as Error).message);
  }
}

const accounts: Endpoint[] = [["GET", "/accounts", ({ id }) => [{ id, name: "Acme" }]]];

const namespaces: Endpoint[] = [
  [
    "GET",
    kv,
    ({ namespaces: titles }, call) =>
      onPage(
        [...titles].map(([id, title]) => ({ id, title })),
        call.query,
      ),
  ],
  ["POST", kv, (account, call) => account.makeNamespace(json(call).title)],
  [
    "GET",
    `${kv}/:id`,
    ({ namespaces: titles }, { params: { id = "" } }) => {
      const title = titles.get(id);
      if (title === undefined) throw new Refusal(404, 10_013, "namespace not found");
      return { id, title };
    },
  ],
  [
    "DELETE",
    `${kv}/:id`,
    async (account, { params: { id = "" } }) => {
      const bindings = [...account.runtime.workers.values()].flatMap(({ live }) => live.bindings);
      if (
        bindings.some((binding) => binding.type === "kv_namespace" && binding.namespace_id === id)
      ) {
        throw new Refusal(400, 10_058, "The namespace is in use.");
      }
      if (!account.namespaces.delete(id)) throw new Refusal(404, 10_013, "namespace not found");
    },
  ],
];

const buckets: Endpoint[] = [
  [
    "POST",
    `${accountPath}/r2/buckets`,
    (account, call) => account.makeBucket(json(call).name, call.jurisdiction),
  ],
  [
    "GET",
    `${accountPath}/r2/buckets/:name`,
    (account, { params: { name = "" }, jurisdiction }) => account.bucket(name, jurisdiction),
  ],
  [
    "PUT",
    `${accountPath}/r2/buckets/:name/objects/:key+`,
    (account, { params: { name = "", key = "" }, jurisdiction, body }) => {
      account.bucket(name, jurisdiction);
      if (body.length > account.maxObjectBytes)
        throw new Refusal(413, 10_001, "The object is too large.");
      account.objects.set(`${name}/${key}`, body);
      return { key };
    },
  ],
  [
    "GET",
    `${accountPath}/r2/buckets/:name/objects/:key+`,
    (account, { params: { name = "", key = "" }, jurisdiction }) => {
      account.bucket(name, jurisdiction);
      const object = account.objects.get(`${name}/${key}`);
      if (!object) throw new Refusal(404, 10_007, "The specified key does not exist.");
      return object;
    },
  ],
];

const assets: Endpoint[] = [
  [
    "POST",
    `${script}/assets-upload-session`,
    (account, call) => {
      const { manifest } = json(call);
      const session = randomUUID();
      account.sessions.set(session, manifest);
      const hashes = Object.values<{ hash: string }>(manifest).map(({ hash }) => hash);
      const missing = [...new Set(hashes)].filter((hash) => !account.files.has(hash));
      return { jwt: jwt(session), buckets: missing.length === 0 ? [] : [missing] };
    },
  ],
  [
    "POST",
    `${accountPath}/workers/assets/upload`,
    async (account, call) => {
      for (const [hash, file] of await form(call)) {
        if (typeof file === "string") continue;
        account.files.set(hash, Buffer.from(await file.text(), "base64"));
      }
      return { jwt: jwt("completed") };
    },
  ],
];

/** Builds a token that wrangler decodes. Its subject is the upload session. */
const jwt = (session: string) =>
  ["{}", JSON.stringify({ sub: session }), ""]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".");

const scripts: Endpoint[] = [
  [
    "GET",
    `${accountPath}/workers/services/:name`,
    (account, { params: { name = "" } }) => ({
      default_environment: {
        environment: "production",
        script: { migration_tag: account.script(name).tag, last_deployed_from: "wrangler" },
      },
    }),
  ],
  [
    "GET",
    `${accountPath}/workers/workers/:name`,
    (account, { params: { name = "" } }) => ({
      name,
      subdomain: { enabled: account.script(name).onWorkersDev, previews_enabled: false },
    }),
  ],
  ["PUT", script, upload],
  ["POST", `${script}/versions`, upload],
  [
    "GET",
    `${script}/versions`,
    (account, { params: { name = "" } }) => ({
      items: account.script(name).versions.map((version) => versionDocument(version)),
    }),
  ],
  [
    "GET",
    `${script}/versions/:version`,
    (account, { params: { name = "", version } }) =>
      account
        .script(name)
        .versions.filter(({ id }) => id === version)
        .map(versionDocument)[0],
  ],
  [
    "GET",
    `${script}/deployments`,
    (account, { params: { name = "" } }) => ({
      deployments: account
        .script(name)
        .deployments.slice(0, 10)
        .map(({ id, version, at: when }) => ({
          id,
          created_on: when,
          source: "wrangler",
          author_email: "you@example.com",
          strategy: "percentage",
          versions: [{ version_id: version, percentage: 100 }],
        })),
    }),
  ],
  [
    "POST",
    `${script}/deployments`,
    async (account, call) => {
      const { name = "" } = call.params;
      account.deploy(name, json(call).versions[0].version_id);
      return { id: account.script(name).deployments[0]?.id };
    },
  ],
  [
    "GET",
    `${script}/secrets`,
    (account, { params: { name = "" } }) => {
      account.script(name);
      return [...account.secretsOf(name).keys()].map((secretName) => ({
        name: secretName,
        type: "secret_text",
      }));
    },
  ],
  [
    "GET",
    `${script}/settings`,
    (account, { params: { name = "" } }) => ({
      bindings: account.script(name).versions[0]?.bindings ?? [],
      tags: [],
    }),
  ],
  ["PATCH", `${script}/secrets-bulk`, setSecrets],
  ["GET", `${script}/script-settings`, () => ({ tags: [], observability: { enabled: true } })],
  ["PATCH", `${script}/script-settings`, () => ({})],
  [
    "GET",
    `${script}/subdomain`,
    (account, { params: { name = "" } }) => ({
      enabled: account.script(name).onWorkersDev,
      previews_enabled: false,
    }),
  ],
  [
    "POST",
    `${script}/subdomain`,
    async (account, call) => {
      const { name = "" } = call.params;
      account.script(name).onWorkersDev = json(call).enabled;
      account.publish(name);
      return json(call);
    },
  ],
  [
    "PUT",
    `${script}/schedules`,
    (account, call) => {
      account.script(call.params["name"] ?? "").crons = json(call).map(
        ({ cron }: { cron: string }) => cron,
      );
      return { schedules: json(call) };
    },
  ],
  [
    "PUT",
    `${script}/domains/records`,
    async (account, call) => {
      const { name = "" } = call.params;
      account.script(name).domains = json(call).origins.map(
        ({ hostname }: { hostname: string }) => hostname,
      );
      account.publish(name);
      return json(call).origins;
    },
  ],
  [
    "POST",
    `${script}/domains/changeset`,
    () => ({ added: [], removed: [], updated: [], conflicting: [] }),
  ],
  [
    "DELETE",
    script,
    async (account, { params: { name = "" } }) => {
      account.script(name);
      account.scripts.delete(name);
      account.runtime.workers.delete(name);
    },
  ],
  [
    "GET",
    `${accountPath}/workers/domains`,
    ({ scripts: byName }, { query }) => {
      const service = query.get("service") ?? "";
      return (byName.get(service)?.domains ?? []).map((hostname) => ({ hostname, service }));
    },
  ],
  ["GET", `${accountPath}/workers/subdomain`, () => ({ subdomain: "acme" })],
];

function versionDocument({ id, bindings }: Uploaded) {
  return {
    id,
    number: 1,
    metadata: {
      created_on: new Date().toISOString(),
      source: "wrangler",
      author_email: "you@example.com",
    },
    resources: {
      bindings: bindings.map((binding) =>
        "text" in binding && binding.type === "secret_text"
          ? { name: binding.name, type: binding.type }
          : binding,
      ),
      script: {},
      script_runtime: {},
    },
  };
}

/** Stores a version of a Worker with its bindings. `PUT` also deploys it. */
async function upload(account: Account, call: Call) {
  const { name = "" } = call.params;
  const parts = await form(call);
  const metadata = JSON.parse(await text(parts.get("metadata")));
  if (metadata.limits?.cpu_ms !== undefined && account.plan === "free") {
    throw new Refusal(400, 100_328, "CPU limits are not supported for the Free plan.");
  }
  const bindings = account.check(name, (metadata.bindings ?? []) as UploadedBinding[]);
  const modules = new Map<string, string>();
  for (const [path, part] of parts) {
    if (path !== "metadata" && path.endsWith(".js")) modules.set(path, await text(part));
  }
  const session = [...account.sessions.keys()].at(-1) ?? "";
  const headers = String(metadata.assets?.config?.["_headers"] ?? "");
  const version: Uploaded = {
    id: randomUUID(),
    main: metadata.main_module,
    modules,
    compatibilityDate: metadata.compatibility_date,
    bindings,
    assets: metadata.assets ? account.folderOf(session, headers) : account.emptyFolder(),
    headers,
  };
  const storedScript = account.scripts.get(name) ?? account.makeScript(name);
  storedScript.versions.unshift(version);
  storedScript.tag = metadata.migrations?.new_tag ?? storedScript.tag;
  if (!call.path.endsWith("/versions")) account.deploy(name, version.id);
  return {
    id: version.id,
    deployment_id: version.id,
    startup_time_ms: 20,
    resources: { script: { etag: version.id } },
  };
}

async function text(part: FormDataEntryValue | null): Promise<string> {
  return part === null || typeof part === "string" ? (part ?? "") : part.text();
}

/** Changes secrets. They belong to a version, so this creates and deploys a new version. */
async function setSecrets(account: Account, call: Call) {
  const { name = "" } = call.params;
  const { versions, deployments } = account.script(name);
  const [latest] = versions;
  if (!latest || latest.id !== deployments[0]?.version) {
    throw new Refusal(400, 10_215, "The latest version of your Worker is not deployed.");
  }
  const secrets = json(call).secrets as Record<string, UploadedBinding>;
  const otherBindings = latest.bindings.filter((binding) => !(binding.name in secrets));
  const version = {
    ...latest,
    id: randomUUID(),
    bindings: [...otherBindings, ...Object.values(secrets)],
  };
  versions.unshift(version);
  account.deploy(name, version.id);
  return {};
}

export const endpoints: Endpoint[] = [
  ...accounts,
  ...databases,
  ...namespaces,
  ...buckets,
  ...assets,
  ...scripts,
];
