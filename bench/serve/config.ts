/** A Worker of the configuration, and the port that it answers at. */
export interface Served {
  name: string;
  port: number;
  /** Its modules: the names that they import each other by, and their files. The first is the entry. */
  modules: readonly { name: string; file: string }[];
  stage?: Stage;
}

/**
 * What stands around the unchanged bundle: a Worker that imports it and whose entrypoints `Database`, `ObjectDatabase`
 * and `Cache` stand before D1, for the Worker and for its objects, and before KV. A staged Worker has objects of its own.
 */
export interface Stage {
  /** What its binding `STAGE` says. */
  says: object;
}

export interface Layout {
  /** The folder of the data of D1, KV and the objects. */
  data: string;
  secrets: Record<string, string>;
  compatibilityDate: string;
}

const namespace = (name: string) => `props=(json=${text({ MINIFLARE_NAMESPACE: name })})`;

/** Modules lie in the folder `modules` beside the configuration, whose paths are relative to itself. */
const embedded = (file: string) => `esModule=embed "modules/${file}.js"`;
const text = (value: unknown) => JSON.stringify(JSON.stringify(value));

/**
 * The configuration of a plain `workerd serve`: the Workers share one D1 database, one KV namespace and the objects
 * of the first of them. Nothing stands between a socket and its Worker.
 */
export function workerdConfig(workers: readonly Served[], layout: Layout): string {
  const [main] = workers;
  if (!main) throw new Error("There is no Worker to serve.");
  const services = [
    ...workers.map((worker) => workerService(worker, main, layout)),
    ...storageServices("d1", "D1DatabaseObject", layout),
    ...storageServices("kv", "KVNamespaceObject", layout),
    disk("objects-disk", `${layout.data}/objects`),
  ];
  const sockets = workers.map(
    ({ name, port }) => `(name="${name}", address="127.0.0.1:${port}", http=(), service="${name}")`,
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
  const own = name === main.name || stage !== undefined;
  const secrets = Object.entries(layout.secrets).map(
    ([key, value]) => `(name="${key}", text=${JSON.stringify(value)})`,
  );
  // The limits per address are the platform's own, and none of what is measured reaches them.
  const limits = ["FAILURES", "SIGN_INS", "CHANGES", "FALLBACK"].map(
    (key) => `(name="${key}", wrapped=(moduleName="bench:never-limits", innerBindings=[]))`,
  );
  const objects = own
    ? (className: string) => `"${className}"`
    : (className: string) => `(className="${className}", serviceName="${main.name}")`;
  return `(name="${name}", worker=(
      modules=[${modules.map((each) => `(name="${each.name}", ${embedded(each.file)})`).join(", ")}],
      compatibilityDate="${layout.compatibilityDate}",
      ${stage ? `compatibilityFlags=["nodejs_als"],` : ""}
      bindings=[
        ${storageBindings(worker)},
        (name="GATE", durableObjectNamespace=${objects("CredentialGate")}),
        (name="HOOKS", durableObjectNamespace=${objects("WebhookSender")}),
        ${[...limits, ...secrets].join(",\n        ")}
      ],
      ${own ? objectsOf(["CredentialGate", "WebhookSender"], "objects-disk", stage ? name : "") : ""}
    ))`;
}

const d1 = `(name="d1-entry", ${namespace("db")})`;
const kv = `(name="kv-entry", ${namespace("kv")})`;
const database = (binding: string, service: string) =>
  `(name="${binding}", wrapped=(moduleName="cloudflare-internal:d1-api",
          innerBindings=[(name="fetcher", service=${service})]))`;

/** D1 and KV; for a staged Worker by its own entrypoints, behind which they are `D1` and `KV`. */
function storageBindings({ name, stage }: Served): string {
  if (!stage) return [database("DB", d1), `(name="REPLAYS", kvNamespace=${kv})`].join(", ");
  const entrypoint = (each: string) => `(name="${name}", entrypoint="${each}")`;
  return [
    database("DB", entrypoint("Database")),
    database("OBJECT_DB", entrypoint("ObjectDatabase")),
    `(name="REPLAYS", kvNamespace=${entrypoint("Cache")})`,
    `(name="D1", service=${d1})`,
    `(name="KV", service=${kv})`,
    `(name="STAGE", json=${text(stage.says)})`,
  ].join(",\n        ");
}

const objectsOf = (classNames: string[], storage: string, worker = "") =>
  `durableObjectNamespaces=[${classNames
    .map((name) => `(className="${name}", uniqueKey="${worker}${name}", enableSql=true)`)
    .join(", ")}],
      durableObjectStorage=(localDisk="${storage}")`;

/** miniflare's wiring: a door that finds the object of a namespace, and the object that keeps the data. */
function storageServices(name: string, className: string, { data }: Layout): string[] {
  const dated = `compatibilityDate="2026-01-01"`;
  const object = `(name="${name}", worker=(${dated}, compatibilityFlags=["nodejs_compat", "experimental"],
      modules=[(name="w.js", ${embedded(name)})],
      bindings=[(name="MINIFLARE_BLOBS", service="${name}-disk")],
      ${objectsOf([className], `${name}-disk`)}))`;
  const door = `(name="${name}-entry", worker=(${dated},
      modules=[(name="e.js", ${embedded("entry")})],
      bindings=[(name="MINIFLARE_OBJECT",
        durableObjectNamespace=(className="${className}", serviceName="${name}"))]))`;
  return [object, door, disk(`${name}-disk`, `${data}/${name}`)];
}

const disk = (name: string, path: string) =>
  `(name="${name}", disk=(path="${path}", writable=true))`;
