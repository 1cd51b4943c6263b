import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";

/** What a Worker is bound to, as wrangler uploads it. */
export type UploadedBinding = { name: string } & (
  | { type: "plain_text" | "secret_text"; text: string }
  | { type: "inherit" }
  | { type: "d1"; id: string }
  | { type: "kv_namespace"; namespace_id: string }
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
  /** The folder of its static files, and the rules of their headers. */
  assets: string;
  headers: string;
}

export interface Statement {
  results: Record<string, unknown>[];
  success: true;
  meta: object;
}

/** Runs what was deployed: every Worker under the hosts that it answers at, with the account's databases. */
export class Runtime {
  readonly folder = mkdtempSync(join(tmpdir(), "edge-forms-cloud-"));
  readonly databases = new Set<string>();
  readonly namespaces = new Set<string>();
  readonly workers = new Map<string, { live: Uploaded; hosts: string[] }>();
  #miniflare: Miniflare | undefined;

  /** The port at which every host is answered, over TLS. */
  async port(): Promise<number> {
    return Number((await this.#running().ready).port);
  }

  async apply(): Promise<void> {
    await this.#running().setOptions(this.#options());
  }

  async query(database: string, sql: string, params: unknown[] = []): Promise<Statement[]> {
    const db = await this.#running().getD1Database(database, "account");
    const prepared = statementsOf(sql).map((each) => db.prepare(each).bind(...params));
    return prepared.length === 0 ? [] : ((await db.batch(prepared)) as unknown as Statement[]);
  }

  async stop(): Promise<void> {
    await this.#miniflare?.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #running(): Miniflare {
    return (this.#miniflare ??= new Miniflare(this.#options()));
  }

  #options() {
    const same = (ids: Set<string>) => Object.fromEntries([...ids].map((id) => [id, id]));
    return convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      https: true,
      defaultPersistRoot: this.folder,
      // The logs of the Workers, among those of the test.
      handleStructuredLogs: () => undefined,
      workers: [
        {
          name: "account",
          modules: true,
          script: `export default { fetch: () => new Response("There is nothing here yet", { status: 404 }) }`,
          compatibilityDate: "2026-10-20",
          d1Databases: same(this.databases),
          kvNamespaces: same(this.namespaces),
        },
        ...[...this.workers].map(([name, { live, hosts }]) => workerOf(name, live, hosts)),
      ],
    });
  }
}

function workerOf(name: string, uploaded: Uploaded, hosts: string[]): V4WorkerOptions {
  const of = <T extends UploadedBinding["type"]>(...types: T[]) =>
    uploaded.bindings.filter((each): each is Extract<UploadedBinding, { type: T }> =>
      (types as string[]).includes(each.type),
    );
  const named = <B extends { name: string }, V>(bindings: B[], value: (binding: B) => V) =>
    Object.fromEntries(bindings.map((each) => [each.name, value(each)]));
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
    bindings: named(of("plain_text", "secret_text"), ({ text }) => text),
    d1Databases: named(of("d1"), ({ id }) => id),
    kvNamespaces: named(of("kv_namespace"), (each) => each.namespace_id),
    durableObjects: named(of("durable_object_namespace"), (each) => ({
      className: each.class_name,
      useSQLite: true,
    })),
    ratelimits: named(of("ratelimit"), ({ namespace_id, simple }) => ({ namespace_id, simple })),
    assets: { directory: uploaded.assets, routerConfig: { has_user_worker: true } },
  };
}

const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|;|[^'"\-/;]+|[^]/g;

/** D1 takes many statements in one text, and runs them as one transaction. */
function statementsOf(sql: string): string[] {
  const statements = [""];
  for (const [token] of sql.matchAll(tokens)) {
    if (token === ";") statements.push("");
    else if (!token.startsWith("--") && !token.startsWith("/*")) {
      statements[statements.length - 1] += token;
    }
  }
  return statements.map((each) => each.trim()).filter(Boolean);
}
