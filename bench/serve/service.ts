import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defaultCredential, issueCredential, Owner } from "../../src/dev/owner.ts";
import { maxValidCredentials, type RateLimits } from "../../src/domain/credential/credential.ts";
import type * as Filling from "../fill.ts";
import { copyStorage, project } from "./bundle.ts";
import { workerdConfig, type Served, type Stage } from "./config.ts";
import { startWorkerd, type Workerd } from "./workerd.ts";

const secrets = {
  CONTACT_EMAIL: "bench@example.com",
  ORIGIN: "",
  TOKEN_SECRET: "a secret of the bench",
  SETUP_SECRET: "set-up secret of the bench",
};
const password = "a password of the bench";
const itemsPerStep = 10_000;

/** A bundle and the Worker that wraps it. Each of the `copies` of the bundle starts without cached state. */
interface Staged extends Stage {
  file: string;
  service: string;
  copies?: number;
}

/** The bundles by name: the measured Worker `main`, and other Workers that use the same storage. */
export type Bundles = { main: string | Staged } & Record<string, string | Staged>;

/** Runs the service in a plain `workerd serve` with its own data. */
export class Service {
  readonly #folder: string;
  readonly #bundles: Bundles;
  readonly #root: string;
  readonly #databases: readonly string[];
  #workerd: Workerd | undefined;

  /**
   * `folder` holds the data, on disk or in memory (tmpfs), which decides what a benchmark measures. `root` is the
   * folder of the project that the bundles were built from. `databases` are the names of the D1 bindings.
   */
  constructor(
    folder: string,
    bundles: Bundles,
    root = project,
    databases: readonly string[] = ["DB"],
  ) {
    process.on("exit", () => this.#workerd?.process.kill("SIGKILL"));
    this.#folder = folder;
    this.#bundles = bundles;
    this.#root = root;
    this.#databases = databases;
    for (const folderName of ["d1", "kv", "r2", "objects"])
      mkdirSync(join(folder, folderName), { recursive: true });
  }

  /** Returns the address of a Worker or of the inspector. Each start assigns new ports. */
  url(name = "main"): string {
    return `http://127.0.0.1:${this.#workerd?.ports[name]}`;
  }

  get pid(): number {
    const pid = this.#workerd?.process.pid;
    if (pid === undefined) throw new Error("The service does not run.");
    return pid;
  }

  /** Starts the service. Returns the seconds until the first response. */
  async start(options: string[] = []): Promise<number> {
    const config = this.#configure();
    const startedAt = performance.now();
    this.#workerd = await startWorkerd(config, Object.keys(this.#bundles), options);
    const response = await fetch(`${this.url()}/health`);
    if (!response.ok) throw new Error(`The service is not healthy: ${await response.text()}`);
    return (performance.now() - startedAt) / 1000;
  }

  #configure(): string {
    const modules = join(this.#folder, "modules");
    copyStorage(modules);
    const served = Object.entries(this.#bundles).map(([name, bundle]): Served => {
      if (typeof bundle === "string") {
        cpSync(bundle, join(modules, `${name}.js`));
        return { name, modules: [{ name: "worker.js", file: name }] };
      }
      const { file, service, copies = 0, ...stage } = bundle;
      cpSync(file, join(modules, `${name}.js`));
      cpSync(service, join(modules, `${name}-service.js`));
      const suffixes = ["", ...Array.from({ length: copies }, (_, i) => `-${i}`)];
      const copiedModules = suffixes.map((suffix) => ({
        name: `src/index${suffix}`,
        file: `${name}-service`,
      }));
      return {
        name,
        modules: [{ name: "bench/workers/stage", file: name }, ...copiedModules],
        stage,
      };
    });
    const config = join(this.#folder, "workerd.capnp");
    const layout = {
      data: this.#folder,
      secrets,
      compatibilityDate: compatibilityDate(this.#root),
      databases: this.#databases,
    };
    writeFileSync(config, workerdConfig(served, layout));
    return config;
  }

  async stop(): Promise<void> {
    const child = this.#workerd?.process;
    if (!child || child.exitCode !== null) return;
    const exited = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGKILL");
    await exited;
    this.#workerd = undefined;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Creates the tables of the databases and starts the service. */
  async begin(): Promise<void> {
    await this.start();
    // Any query creates the file of a database. The query itself fails, because there are no tables yet.
    await fetch(`${this.url()}/health?deep`);
    await this.stop();
    this.#migrate();
    await this.start();
  }

  #migrate(): void {
    this.#withEach((db) => {
      const folder = join(this.#root, "migrations");
      for (const name of readdirSync(folder).toSorted()) {
        db.exec(readFileSync(join(folder, name), "utf8"));
      }
      return false;
    });
  }

  /** Stores `scale` submissions of a form directly in the database. The service must not run. */
  async fill(form: string, scale: number): Promise<void> {
    // The versions of the project store rows differently, so each one fills its own database.
    const fillModule = (await import(join(this.#root, "bench/fill.ts"))) as typeof Filling;
    const { fieldIdsOf, fillStatements, tallyStatement } = fillModule;
    const isFilled = this.#withEach((db) => {
      const row = db.prepare("select id, fields from collection where key = ?").get(form);
      if (!row) return false;
      const definition = JSON.parse(String(row["fields"])) as {
        fields: Parameters<typeof Filling.fieldIdsOf>[0];
      };
      const target: Filling.Target = {
        collectionId: Number(row["id"]),
        fieldIds: fieldIdsOf(definition.fields),
      };
      db.exec("pragma synchronous = off; begin");
      for (let from = 1; from <= scale; from += itemsPerStep) {
        const to = Math.min(from + itemsPerStep - 1, scale);
        for (const sql of fillStatements(target, from, to)) db.exec(sql);
      }
      db.exec(tallyStatement(target, scale));
      db.exec("commit; pragma wal_checkpoint(truncate)");
      return true;
    });
    if (!isFilled) throw new Error(`There is no form ${form}.`);
  }

  /** Calls the callback with the open file of the only D1 database. */
  withDatabase(callback: (db: DatabaseSync) => void): void {
    this.#withEach((db) => {
      callback(db);
      return true;
    });
  }

  /** Opens the files of the D1 databases one after the other, until the callback returns true. Returns whether it did. */
  #withEach(callback: (db: DatabaseSync) => boolean): boolean {
    const folder = join(this.#folder, "d1/D1DatabaseObject");
    const files = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
    if (files.length < this.#databases.length) throw new Error("A database has no file yet.");
    return files.some((file) => {
      const db = new DatabaseSync(join(folder, file));
      const isDone = callback(db);
      db.close();
      return isDone;
    });
  }

  /** Creates the first owner and `count` tokens. Without `limits`, the tokens have the default limits. */
  async tokens(count: number, limits: Partial<RateLimits> = {}): Promise<string[]> {
    const owner = this.#owner("owner");
    await owner.setUp(secrets.SETUP_SECRET);
    const tokens: string[] = [];
    let issuer = owner;
    for (let i = 0; i < count; i += 1) {
      if (i > 0 && i % maxValidCredentials === 0)
        issuer = await this.#addOwner(owner, `owner-${i}`);
      const credential = await issueCredential(issuer, {
        ...defaultCredential,
        ...limits,
        name: `Bench ${i}`,
      });
      if ("token" in credential) tokens.push(credential.token);
    }
    return tokens;
  }

  #owner(name: string): Owner {
    return new Owner(this.url(), { email: `${name}@example.com`, password }, () => undefined);
  }

  /** Adds another owner, because each owner can have only a limited number of credentials. */
  async #addOwner(owner: Owner, name: string): Promise<Owner> {
    const invitation = await owner.send("POST", "/admin/members", {
      email: `${name}@example.com`,
      role: "owner",
    });
    const { link } = (await invitation.json()) as { link: string };
    await owner.send("POST", new URL(link).pathname, { password });
    return this.#owner(name);
  }

  async define(form: string, token: string, fields: object[]): Promise<void> {
    const response = await fetch(`${this.url()}/api/v1/forms/${form}/schema`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: form, fields }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
}

function compatibilityDate(root: string): string {
  const toml = readFileSync(join(root, "wrangler.toml"), "utf8");
  return /^compatibility_date = "(.+)"$/m.exec(toml)?.[1] ?? "";
}
