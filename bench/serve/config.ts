/** A Worker of the configuration. The system assigns the port of its socket. */
export interface Served {
  name: string;
  /** The modules: their import names and their files. The first one is the entry module. */
  modules: readonly { name: string; file: string }[];
  stage?: Stage;
}

/**
 * A Worker that wraps the unchanged bundle. Its entrypoints `Database` and `ObjectDatabase` proxy D1 for the Worker
 * and for its objects. `Cache` proxies KV. A wrapped Worker has its own objects.
 */
export interface Stage {
  /** The value of its binding `STAGE`. */
  says: object;
}

export interface Layout {
  /** The data folder of D1, KV, R2 and the objects. */
  data: string;
  secrets: Record<string, string>;
  compatibilityDate: string;
  /** The names of the D1 bindings. */
  databases: readonly string[];
}

const namespace = (name: string) => `props=(json=${text({ MINIFLARE_NAMESPACE: name })})`;

/** Module files are in the folder `modules` next to the configuration. Paths are relative to the configuration. */
const embedded = (file: string) => `esModule=embed "modules/${file}.js"`;
const text = (value: unknown) => JSON.stringify(JSON.stringify(value));

/**
 * Builds the configuration of a plain `workerd serve`. The Workers share one D1 database, one KV namespace, one bucket
 * and the objects of the first Worker. Each socket leads directly to its Worker.
 */
export function workerdConfig(workers: readonly Served[], layout: Layout): string {
  const [main] = workers;
  if (!main) throw new Error("There is no Worker to serve.");
  const services = [
    ...workers.map((worker) => workerService(worker, main, layout)),
    ...storageServices("d1", "D1DatabaseObject", layout),
    ...storageServices("kv", "KVNamespaceObject", layout),
    ...storageServices("r2", "R2BucketObject", layout),
    disk("objects-disk", `${layout.data}/objects`),
  ];
  const sockets = workers.map(
    ({ name }) => `(name="${name}", address="127.0.0.1:0", http=(), service="${name}")`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services=[
    ${services.join(",\n    ")}
  ],
  sockets=[${sockets.join(", ")}],
  extensions=[
    (modules=[
      (name="miniflare:shared", ${embedded("shared")}),
      (name="miniflare:zod", ${embedded("zod")}),
      (name="bench:never-limits", internal=true,
        esModule="export default () => ({ limit: async () => ({ success: true }) })"),
    ]),
  ],
);
`;
}

function workerService(worker: Served, main: Served, layout: Layout): string {
  const { name, modules, stage } = worker;
  const hasOwnObjects = name === main.name || stage !== undefined;
  const secrets = Object.entries(layout.secrets).map(
    ([key, value]) => `(name="${key}", text=${JSON.stringify(value)})`,
  );
  // The platform enforces limits per address. No measurement reaches them, so they always succeed here.
  const limiters = [
    "FAILURES",
    "FAILURES_WIDE",
    "SIGN_INS",
    "SIGN_INS_WIDE",
    "CHANGES",
    "FALLBACK",
  ].map((key) => `(name="${key}", wrapped=(moduleName="bench:never-limits", innerBindings=[]))`);
  const objectNamespace = hasOwnObjects
    ? (className: string) => `"${className}"`
    : (className: string) => `(className="${className}", serviceName="${main.name}")`;
  return `(name="${name}", worker=(
      modules=[${modules.map((module) => `(name="${module.name}", ${embedded(module.file)})`).join(", ")}],
      compatibilityDate="${layout.compatibilityDate}",
      ${stage ? `compatibilityFlags=["nodejs_als"],` : ""}
      bindings=[
        ${storageBindings(worker, layout.databases)},
        (name="FILES", r2Bucket=(name="r2-entry", ${namespace("files")})),
        (name="GATE", durableObjectNamespace=${objectNamespace("CredentialGate")}),
        (name="HOOKS", durableObjectNamespace=${objectNamespace("WebhookSender")}),
        ${[...limiters, ...secrets].join(",\n        ")}
      ],
      ${hasOwnObjects ? objectsOf(["CredentialGate", "WebhookSender"], "objects-disk", stage ? name : "") : ""}
    ))`;
}

const d1 = (name = "DB") => `(name="d1-entry", ${namespace(name.toLowerCase())})`;
const kv = `(name="kv-entry", ${namespace("kv")})`;
const database = (binding: string, service: string) =>
  `(name="${binding}", wrapped=(moduleName="cloudflare-internal:d1-api",
          innerBindings=[(name="fetcher", service=${service})]))`;

/** Binds D1 and KV. A wrapped Worker gets them through its own entrypoints, which use the bindings `D1` and `KV`. */
function storageBindings({ name, stage }: Served, databases: readonly string[]): string {
  if (!stage) {
    const bound = databases.map((binding) => database(binding, d1(binding)));
    return [...bound, `(name="REPLAYS", kvNamespace=${kv})`].join(", ");
  }
  const entrypoint = (className: string) => `(name="${name}", entrypoint="${className}")`;
  return [
    database("DB", entrypoint("Database")),
    database("OBJECT_DB", entrypoint("ObjectDatabase")),
    `(name="REPLAYS", kvNamespace=${entrypoint("Cache")})`,
    `(name="D1", service=${d1()})`,
    `(name="KV", service=${kv})`,
    `(name="STAGE", json=${text(stage.says)})`,
  ].join(",\n        ");
}

const objectsOf = (classNames: string[], storage: string, worker = "") =>
  `durableObjectNamespaces=[${classNames
    .map((name) => `(className="${name}", uniqueKey="${worker}${name}", enableSql=true)`)
    .join(", ")}],
      durableObjectStorage=(localDisk="${storage}")`;

/** Builds miniflare's two Workers: one that finds the object of a namespace, and the object that stores the data. */
function storageServices(name: string, className: string, { data }: Layout): string[] {
  const compatibility = `compatibilityDate="2026-01-01"`;
  const objectWorker = `(name="${name}", worker=(${compatibility}, compatibilityFlags=["nodejs_compat", "experimental"],
      modules=[(name="w.js", ${embedded(name)})],
      bindings=[(name="MINIFLARE_BLOBS", service="${name}-disk")],
      ${objectsOf([className], `${name}-disk`)}))`;
  const entryWorker = `(name="${name}-entry", worker=(${compatibility},
      modules=[(name="e.js", ${embedded("entry")})],
      bindings=[(name="MINIFLARE_OBJECT",
        durableObjectNamespace=(className="${className}", serviceName="${name}"))]))`;
  return [objectWorker, entryWorker, disk(`${name}-disk`, `${data}/${name}`)];
}

const disk = (name: string, path: string) =>
  `(name="${name}", disk=(path="${path}", writable=true))`;
