import { randomUUID } from "node:crypto";
import { Refusal, type Account, type Script } from "./account.ts";
import { dump } from "./history.ts";
import type { Uploaded, UploadedBinding } from "./runtime.ts";

interface Call {
  params: Record<string, string>;
  query: URLSearchParams;
  path: string;
  body: Buffer;
  type: string | undefined;
  origin: string;
}

type Endpoint = [string, string, (account: Account, call: Call) => unknown];

// oxlint-disable-next-line typescript/no-explicit-any
const json = ({ body }: Call): any => JSON.parse(body.toString());
const form = ({ body, type }: Call) =>
  new Response(new Uint8Array(body), { headers: { "Content-Type": type ?? "" } }).formData();

const at = "/accounts/ours";
const d1 = `${at}/d1/database`;
const kv = `${at}/storage/kv/namespaces`;
const script = `${at}/workers/scripts/:name`;

const databases: Endpoint[] = [
  ["GET", d1, ({ databases: all }, call) => onPage([...all.values()].map(told), call.query)],
  ["POST", d1, (account, call) => account.makeDatabase(json(call).name)],
  ["GET", `${d1}/:id`, (account, { params: { id = "" } }) => told(account.database(id))],
  ["POST", `${d1}/:id/query`, ask],
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
    async ({ runtime }, { params: { id = "" } }) =>
      (await dump(runtime, id)).map((each) => `${each};\n`).join(""),
  ],
  ["POST", `${d1}/:id/import`, importFile],
  [
    "GET",
    `${d1}/:id/time_travel/bookmark`,
    async (account, { params: { id = "" }, query: asked }) => ({
      bookmark: await account.database(id).history.bookmarkAt(asked.get("timestamp")),
    }),
  ],
  [
    "POST",
    `${d1}/:id/time_travel/restore`,
    async (account, { params: { id = "" }, query: asked }) => {
      const bookmark = asked.get("bookmark") ?? "";
      const previous_bookmark = await account.database(id).history.restore(bookmark);
      return { bookmark, previous_bookmark, message: "Database restored" };
    },
  ],
];

/** A file of statements: it is announced with its hash, uploaded, then run. */
async function importFile({ runtime, files }: Account, call: Call) {
  const { id = "" } = call.params;
  const { action, etag } = json(call);
  const known = { success: true, messages: [], filename: `${etag}.sql` };
  if (action === "init")
    return { ...known, upload_url: `${call.origin}/client/v4/imported/${etag}` };
  const ran = await runtime.query(id, files.get(etag)?.toString() ?? "");
  const meta = { duration: 1, rows_read: 0, rows_written: ran.length, size_after: 0 };
  const result = { num_queries: ran.length, final_bookmark: "now", meta };
  return { ...known, status: "complete", result };
}

function told({ uuid, name }: { uuid: string; name: string }) {
  return {
    uuid,
    name,
    version: "production",
    num_tables: 0,
    file_size: 0,
    running_in_region: "WEUR",
  };
}

/** As many as were asked for: wrangler goes on while a page is full. */
function onPage<T>(all: T[], asked: URLSearchParams): T[] {
  const size = Number(asked.get("per_page") ?? 20);
  const page = Number(asked.get("page") ?? 1);
  return all.slice((page - 1) * size, page * size);
}

async function ask({ runtime, ...account }: Account, call: Call) {
  const { id = "" } = call.params;
  if (!account.databases.has(id))
    throw new Refusal(404, 7404, `The database ${id} could not be found`);
  const { sql, params } = json(call);
  try {
    return await runtime.query(id, sql, params ?? []);
  } catch (error) {
    throw new Refusal(400, 7500, (error as Error).message);
  }
}

const namespaces: Endpoint[] = [
  [
    "GET",
    kv,
    ({ namespaces: all }, call) =>
      onPage(
        [...all].map(([id, title]) => ({ id, title })),
        call.query,
      ),
  ],
  ["POST", kv, (account, call) => account.makeNamespace(json(call).title)],
  [
    "DELETE",
    `${kv}/:id`,
    async (account, { params: { id = "" } }) => {
      const bound = [...account.runtime.workers.values()].flatMap(({ live }) => live.bindings);
      if (bound.some((each) => each.type === "kv_namespace" && each.namespace_id === id)) {
        throw new Refusal(400, 10_058, "The namespace is in use.");
      }
      if (!account.namespaces.delete(id)) throw new Refusal(404, 10_013, "namespace not found");
      account.runtime.namespaces.delete(id);
      await account.runtime.apply();
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
      const wanted = [...new Set(hashes)].filter((hash) => !account.files.has(hash));
      return { jwt: jwt(session), buckets: wanted.length === 0 ? [] : [wanted] };
    },
  ],
  [
    "POST",
    `${at}/workers/assets/upload`,
    async (account, call) => {
      for (const [hash, file] of await form(call)) {
        if (typeof file === "string") continue;
        account.files.set(hash, Buffer.from(await file.text(), "base64"));
      }
      return { jwt: jwt("completed") };
    },
  ],
];

/** wrangler looks into the token; a session is its subject. */
const jwt = (session: string) =>
  ["{}", JSON.stringify({ sub: session }), ""]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".");

const scripts: Endpoint[] = [
  [
    "GET",
    `${at}/workers/services/:name`,
    (account, { params: { name = "" } }) => ({
      default_environment: {
        environment: "production",
        script: { migration_tag: account.script(name).tag, last_deployed_from: "wrangler" },
      },
    }),
  ],
  [
    "GET",
    `${at}/workers/workers/:name`,
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
      items: account.script(name).versions.map((version) => toldVersion(version)),
    }),
  ],
  [
    "GET",
    `${script}/versions/:version`,
    (account, { params: { name = "", version } }) =>
      account
        .script(name)
        .versions.filter(({ id }) => id === version)
        .map(toldVersion)[0],
  ],
  [
    "GET",
    `${script}/deployments`,
    (account, { params: { name = "" } }) => ({
      deployments: account.script(name).deployments.map(({ id, version, at: when }) => ({
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
      await account.deploy(name, json(call).versions[0].version_id);
      return { id: account.script(name).deployments[0]?.id };
    },
  ],
  [
    "GET",
    `${script}/secrets`,
    (account, { params: { name = "" } }) =>
      [...account.secretsOf(name).keys()].map((each) => ({ name: each, type: "secret_text" })),
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
      await account.publish(name);
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
      await account.publish(name);
      return json(call).origins;
    },
  ],
  [
    "POST",
    `${script}/domains/changeset`,
    () => ({ added: [], removed: [], updated: [], conflicting: [] }),
  ],
  ["GET", `${at}/workers/subdomain`, () => ({ subdomain: "acme" })],
];

function toldVersion({ id, bindings }: Uploaded) {
  return {
    id,
    number: 1,
    metadata: {
      created_on: new Date().toISOString(),
      source: "wrangler",
      author_email: "you@example.com",
    },
    resources: {
      bindings: bindings.map((each) =>
        "text" in each && each.type === "secret_text" ? { name: each.name, type: each.type } : each,
      ),
      script: {},
      script_runtime: {},
    },
  };
}

/** A version of a Worker, with what it is bound to; `PUT` has it serve at once. */
async function upload(account: Account, call: Call) {
  const { name = "" } = call.params;
  const parts = await form(call);
  const metadata = JSON.parse(await text(parts.get("metadata")));
  const known = account.scripts.get(name);
  const bindings = account.check(name, metadata.bindings as UploadedBinding[]);
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
    assets: account.folderOf(session, headers),
    headers,
  };
  const fresh: Script = {
    versions: [],
    deployments: [],
    onWorkersDev: false,
    domains: [],
    crons: [],
    tag: undefined,
  };
  const kept = known ?? fresh;
  kept.versions.unshift(version);
  kept.tag = metadata.migrations?.new_tag ?? kept.tag;
  account.scripts.set(name, kept);
  if (!call.path.endsWith("/versions")) await account.deploy(name, version.id);
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

/** Secrets belong to a version: to set some makes another one, which serves at once. */
async function setSecrets(account: Account, call: Call) {
  const { name = "" } = call.params;
  const { versions, deployments } = account.script(name);
  const [latest] = versions;
  if (!latest || latest.id !== deployments[0]?.version) {
    throw new Refusal(400, 10_215, "The latest version of your Worker is not deployed.");
  }
  const sent = json(call).secrets as Record<string, UploadedBinding>;
  const others = latest.bindings.filter((each) => !(each.name in sent));
  const version = { ...latest, id: randomUUID(), bindings: [...others, ...Object.values(sent)] };
  versions.unshift(version);
  await account.deploy(name, version.id);
  return {};
}

export const endpoints: Endpoint[] = [...databases, ...namespaces, ...assets, ...scripts];
