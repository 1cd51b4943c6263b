import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { History } from "./history.ts";
import type { Storage } from "./storage.ts";
import { Runtime, type Uploaded, type UploadedBinding } from "./runtime.ts";

/** An error response with one of Cloudflare's error codes. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface Script {
  versions: Uploaded[];
  deployments: { id: string; version: string; at: string }[];
  onWorkersDev: boolean;
  domains: string[];
  crons: string[];
  tag: string | undefined;
}

interface Manifest {
  [path: string]: { hash: string; size: number };
}

/** The resources of one account. */
export class Account {
  readonly id = "0123456789abcdef0123456789abcdef";
  plan: "free" | "paid" = "paid";
  readonly runtime = new Runtime();
  readonly storage: Storage;
  readonly databases = new Map<
    string,
    { uuid: string; name: string; jurisdiction: string | undefined; history: History }
  >();
  readonly namespaces = new Map<string, string>();
  /** The jurisdiction of each bucket. */
  readonly buckets = new Map<string, string | undefined>();
  /** The objects of all buckets, by bucket and key. */
  readonly objects = new Map<string, Buffer>();
  maxObjectBytes = 300 * 2 ** 20;
  /** Selects the statements of an export. A test can make exports incomplete. */
  isExported: (statement: string) => boolean = () => true;
  readonly scripts = new Map<string, Script>();
  readonly files = new Map<string, Buffer>();
  readonly sessions = new Map<string, Manifest>();

  /** Without storage of its own, the databases are D1's, and deployed Workers use them. */
  constructor(storage?: Storage) {
    this.storage = storage ?? this.runtime;
  }

  script(name: string): Script {
    const script = this.scripts.get(name);
    if (!script) throw new Refusal(404, 10_007, "This Worker does not exist on your account.");
    return script;
  }

  database(id: string) {
    const entry = this.databases.get(id);
    if (!entry) throw new Refusal(404, 7404, `The database ${id} could not be found`);
    return entry;
  }

  /** Cloudflare finds a database by its ID or its name. */
  findDatabase(idOrName: string) {
    const match = [...this.databases.values()].find(({ name }) => name === idOrName);
    return match ?? this.database(idOrName);
  }

  makeDatabase(name: string, jurisdiction: string | undefined) {
    if ([...this.databases.values()].some((database) => database.name === name)) {
      throw new Refusal(400, 7502, `Database with name '${name}' already exists`);
    }
    const uuid = this.storage.createDatabase();
    this.databases.set(uuid, {
      uuid,
      name,
      jurisdiction,
      history: new History(this.storage, uuid),
    });
    return { uuid, name, created_at: new Date().toISOString(), version: "production" };
  }

  makeNamespace(title: string) {
    if ([...this.namespaces.values()].includes(title)) {
      throw new Refusal(400, 10_014, "A namespace with this account ID and title already exists.");
    }
    const id = createHash("md5").update(randomUUID()).digest("hex");
    this.namespaces.set(id, title);
    return { id, title, supports_url_encoding: true };
  }

  makeBucket(name: string, jurisdiction: string | undefined) {
    if (this.buckets.has(name)) {
      throw new Refusal(
        409,
        10_004,
        "The bucket you tried to create already exists, and you own it.",
      );
    }
    this.buckets.set(name, jurisdiction);
    return this.bucket(name, jurisdiction);
  }

  /** A bucket is visible only in its jurisdiction. */
  bucket(name: string, jurisdiction: string | undefined) {
    if (!this.buckets.has(name) || this.buckets.get(name) !== jurisdiction) {
      throw new Refusal(404, 10_006, "The specified bucket does not exist.");
    }
    return { name, creation_date: new Date().toISOString(), location: "WEUR" };
  }

  /** Creates a Worker without a version, as a build does for the deploy button. */
  makeScript(name: string): Script {
    const script: Script = {
      versions: [],
      deployments: [],
      onWorkersDev: false,
      domains: [],
      crons: [],
      tag: undefined,
    };
    this.scripts.set(name, script);
    return script;
  }

  /** Checks that all bound resources exist, and resolves inherited secrets, which must be set. */
  check(name: string, bindings: UploadedBinding[]): UploadedBinding[] {
    const secrets = this.secretsOf(name);
    return bindings.map((binding) => {
      if (binding.type === "d1") this.database(binding.id);
      if (binding.type === "kv_namespace" && !this.namespaces.has(binding.namespace_id)) {
        throw new Refusal(400, 10_041, `KV namespace '${binding.namespace_id}' not found.`);
      }
      if (binding.type === "r2_bucket") this.bucket(binding.bucket_name, binding.jurisdiction);
      if (binding.type !== "inherit") return binding;
      const text = secrets.get(binding.name);
      if (text === undefined) {
        throw new Refusal(
          400,
          10_056,
          `inherit binding '${binding.name}' is invalid: no such secret.`,
        );
      }
      return { name: binding.name, type: "secret_text", text };
    });
  }

  deploy(name: string, version: string): void {
    const script = this.script(name);
    const live = script.versions.find(({ id }) => id === version);
    if (!live) throw new Refusal(404, 10_092, `There is no version ${version}.`);
    const createdAt = new Date().toISOString();
    script.deployments.unshift({ id: randomUUID(), version, at: createdAt });
    this.publish(name);
  }

  /** Returns the secrets of the latest version. Each version has its own secrets. */
  secretsOf(name: string): Map<string, string> {
    const bindings = this.scripts.get(name)?.versions[0]?.bindings ?? [];
    return new Map(
      bindings.flatMap((binding) =>
        binding.type === "secret_text" ? [[binding.name, binding.text]] : [],
      ),
    );
  }

  publish(name: string): void {
    const script = this.script(name);
    const live = script.versions.find(({ id }) => id === script.deployments[0]?.version);
    if (!live) return;
    const workersDevHosts = script.onWorkersDev ? [`${name}.acme.workers.dev`] : [];
    this.runtime.workers.set(name, { live, hosts: [...workersDevHosts, ...script.domains] });
  }

  emptyFolder(): string {
    return mkdtempSync(join(this.runtime.folder, "assets-"));
  }

  /** The files of an upload session in a folder. */
  folderOf(session: string, headers: string): string {
    const manifest = this.sessions.get(session);
    if (!manifest) throw new Refusal(400, 10_000, "The asset upload session is not known.");
    const folder = this.emptyFolder();
    for (const [path, { hash }] of Object.entries(manifest)) {
      const file = this.files.get(hash);
      if (!file) throw new Refusal(400, 10_000, `The asset ${path} was not uploaded.`);
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), file);
    }
    writeFileSync(join(folder, "_headers"), headers);
    return folder;
  }
}
