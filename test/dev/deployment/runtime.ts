import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";
import {
  dump,
  statementsOf,
  tablesOf,
  type Image,
  type Statement,
  type Storage,
} from "./storage.ts";

/** A binding of a Worker, as wrangler uploads it. */
export type UploadedBinding = { name: string } & (
  | { type: "plain_text" | "secret_text"; text: string }
  | { type: "inherit" }
  | { type: "d1"; id: string }
  | { type: "kv_namespace"; namespace_id: string }
  | { type: "r2_bucket"; bucket_name: string; jurisdiction?: string }
  | { type: "durable_object_namespace"; class_name: string }
  | { type: "ratelimit"; namespace_id: string; simple: { limit: number; period: 10 | 60 } }
);

/** One version of a Worker. */
export interface Uploaded {
  id: string;
  main: string;
  modules: Map<string, string>;
  compatibilityDate: string;
  bindings: UploadedBinding[];
  /** The folder of its static files. `headers` holds the header rules of these files. */
  assets: string;
  headers: string;
}

/** The databases that an account can create. The runtime has them all from its start, so that no new one restarts it. */
const maxDatabases = 16;

/** Runs the deployed Worker whose host is called, with the account's databases. */
export class Runtime implements Storage {
  readonly folder = mkdtempSync(join(tmpdir(), "edge-forms-cloud-"));
  readonly workers = new Map<string, { live: Uploaded; hosts: string[] }>();
  readonly #databases = Array.from({ length: maxDatabases }, () => randomUUID() as string);
  #createdCount = 0;
  #served: { live: Uploaded; hosts: string[] } | undefined;
  #miniflare: Miniflare | undefined;

  /** The ID of a new, empty database. */
  createDatabase(): string {
    const id = this.#databases[this.#createdCount++];
    if (id === undefined) throw new Error(`An account has at most ${maxDatabases} databases.`);
    return id;
  }

  /** The TLS port of a host. Restarts the runtime if that host's Worker is another one, or has changed. */
  async portOf(host: string): Promise<number> {
    const called = [...this.workers].find(([, { hosts }]) => hosts.includes(host));
    if (called && this.#served !== called[1]) {
      await this.#instance().setOptions(this.#options(workerOf(...called)));
    }
    this.#served = called?.[1] ?? this.#served;
    return Number((await this.#instance().ready).port);
  }

  /** A database, for code of the service that a test runs itself. */
  async binding(database: string): Promise<object> {
    return this.#instance().getD1Database(database, "account");
  }

  async query(database: string, sql: string): Promise<Statement[]> {
    const db = await this.#instance().getD1Database(database, "account");
    const statements = statementsOf(sql).map((statement) => db.prepare(statement));
    return statements.length === 0 ? [] : ((await db.batch(statements)) as unknown as Statement[]);
  }

  image(database: string): Promise<Image> {
    return dump(this, database);
  }

  async restore(database: string, image: Image): Promise<void> {
    const tables = await tablesOf(this, database);
    const drops = Array.from(tables.keys(), (name) => `DROP TABLE "${name}"`);
    const statements = ["PRAGMA defer_foreign_keys = on", ...drops, ...(image as string[])];
    await this.query(database, statements.join(";\n"));
  }

  async stop(): Promise<void> {
    await this.#miniflare?.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #instance(): Miniflare {
    return (this.#miniflare ??= new Miniflare(this.#options()));
  }

  #options(...deployed: V4WorkerOptions[]) {
    return convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      https: true,
      defaultPersistRoot: this.folder,
      // Keeps the Workers' logs out of the test's output.
      handleStructuredLogs: () => undefined,
      workers: [
        {
          name: "account",
          modules: true,
          script: `export default { fetch: () => new Response("There is nothing here yet", { status: 404 }) }`,
          compatibilityDate: "2026-10-20",
          d1Databases: Object.fromEntries(this.#databases.map((id) => [id, id])),
        },
        ...deployed,
      ],
    });
  }
}

function workerOf(
  name: string,
  { live: uploaded, hosts }: { live: Uploaded; hosts: string[] },
): V4WorkerOptions {
  const bindingsOf = <T extends UploadedBinding["type"]>(...types: T[]) =>
    uploaded.bindings.filter((binding): binding is Extract<UploadedBinding, { type: T }> =>
      (types as string[]).includes(binding.type),
    );
  const byName = <B extends { name: string }, V>(bindings: B[], value: (binding: B) => V) =>
    Object.fromEntries(bindings.map((binding) => [binding.name, value(binding)]));
  return {
    name,
    routes: hosts.map((host) => `${host}/*`),
    modulesRoot: "/",
    modules: [...uploaded.modules].map(([path, contents]) => ({
      type: "ESModule" as const,
      path: `/${path}`,
      contents,
    })),
    compatibilityDate: uploaded.compatibilityDate,
    bindings: byName(bindingsOf("plain_text", "secret_text"), ({ text }) => text),
    d1Databases: byName(bindingsOf("d1"), ({ id }) => id),
    kvNamespaces: byName(bindingsOf("kv_namespace"), (binding) => binding.namespace_id),
    r2Buckets: byName(bindingsOf("r2_bucket"), (binding) => binding.bucket_name),
    durableObjects: byName(bindingsOf("durable_object_namespace"), (binding) => ({
      className: binding.class_name,
      useSQLite: true,
    })),
    ratelimits: byName(bindingsOf("ratelimit"), ({ namespace_id, simple }) => ({
      namespace_id,
      simple,
    })),
    assets: { directory: uploaded.assets, routerConfig: { has_user_worker: true } },
  };
}
