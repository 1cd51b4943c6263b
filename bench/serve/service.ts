import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defaultCredential, issue, Owner } from "../../src/dev/owner.ts";
import { mostLiveCredentials, type Limits } from "../../src/domain/credential/credential.ts";
import type * as Filling from "../fill.ts";
import { copyStorage, project } from "./bundle.ts";
import { workerdConfig, type Served, type Stage } from "./config.ts";

/** The runtime that wrangler itself uses. */
const require = createRequire(join(project, "node_modules/wrangler/package.json"));
const { default: workerd } = require("workerd") as { default: string };
const secrets = {
  CONTACT_EMAIL: "bench@example.com",
  ORIGIN: "",
  TOKEN_SECRET: "a secret of the bench",
  SETUP_SECRET: "set-up secret of the bench",
};
const password = "a password of the bench";
const placesPerStep = 10_000;

/** A bundle, and what stands around it; of `copies` each is as new to everything as an isolate that has just started. */
interface Staged extends Stage {
  file: string;
  service: string;
  copies?: number;
}

/** The Worker that is measured, and those that stand beside it on the same storage; their bundles by name. */
export type Bundles = { main: string | Staged } & Record<string, string | Staged>;

/** The service under a plain `workerd serve`, with data of its own. */
export class Service {
  readonly #folder: string;
  readonly #ports: Record<string, number>;
  readonly #bundles: Bundles;
  readonly #root: string;
  #process: ChildProcess | undefined;

  /**
   * `folder` is on the disk or on tmpfs: what is measured there is what its data lies on. `root` is where the project
   * lies whose bundles these are.
   */
  constructor(folder: string, bundles: Bundles, firstPort: number, root = project) {
    process.on("exit", () => this.#process?.kill("SIGKILL"));
    this.#folder = folder;
    this.#bundles = bundles;
    this.#root = root;
    this.#ports = Object.fromEntries(Object.keys(bundles).map((name, i) => [name, firstPort + i]));
    for (const part of ["d1", "kv", "objects"]) mkdirSync(join(folder, part), { recursive: true });
  }

  url(name = "main"): string {
    return `http://127.0.0.1:${this.#ports[name]}`;
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error("The service does not run.");
    return pid;
  }

  /** Starts, and gives the seconds until the first answer. */
  async start(options: string[] = []): Promise<number> {
    const config = this.#configure();
    const started = performance.now();
    const child = spawn(workerd, ["serve", "--experimental", ...options, config], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4000)));
    while (child.exitCode === null) {
      const answer = await fetch(`${this.url()}/health`).catch(() => undefined);
      if (answer?.ok) return (performance.now() - started) / 1000;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`workerd ended:\n${errors}`);
  }

  #configure(): string {
    const modules = join(this.#folder, "modules");
    copyStorage(modules);
    const served = Object.entries(this.#bundles).map(([name, bundle]): Served => {
      const port = this.#ports[name] ?? 0;
      if (typeof bundle === "string") {
        cpSync(bundle, join(modules, `${name}.js`));
        return { name, port, modules: [{ name: "worker.js", file: name }] };
      }
      const { file, service, copies = 0, ...stage } = bundle;
      cpSync(file, join(modules, `${name}.js`));
      cpSync(service, join(modules, `${name}-service.js`));
      const all = ["", ...Array.from({ length: copies }, (_, i) => `-${i}`)];
      const copied = all.map((each) => ({ name: `src/index${each}`, file: `${name}-service` }));
      return {
        name,
        port,
        modules: [{ name: "bench/workers/stage", file: name }, ...copied],
        stage,
      };
    });
    const config = join(this.#folder, "workerd.capnp");
    const layout = {
      data: this.#folder,
      secrets,
      compatibilityDate: compatibilityDate(this.#root),
    };
    writeFileSync(config, workerdConfig(served, layout));
    return config;
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    this.#process = undefined;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Makes the database's tables, and starts. */
  async begin(): Promise<void> {
    await this.start();
    // Any question to the database makes its file; without tables it has no answer.
    await this.tokens(1).catch(() => undefined);
    await this.stop();
    this.#migrate();
    await this.start();
  }

  #migrate(): void {
    this.withDatabase((db) => {
      const folder = join(this.#root, "migrations");
      for (const name of readdirSync(folder).toSorted()) {
        db.exec(readFileSync(join(folder, name), "utf8"));
      }
    });
  }

  /** Fills a form with `scale` submissions, straight in the database; the service must not run. */
  async fill(form: string, scale: number): Promise<void> {
    // Each version stores rows in its own way.
    const filling = (await import(join(this.#root, "bench/fill.ts"))) as typeof Filling;
    const { fieldIdsOf, fillStatements, tallyStatement } = filling;
    this.withDatabase((db) => {
      const row = db.prepare("select id, fields from collection where key = ?").get(form);
      if (!row) throw new Error(`There is no form ${form}.`);
      const stored = JSON.parse(String(row["fields"])) as {
        fields: Parameters<typeof Filling.fieldIdsOf>[0];
      };
      const target: Filling.Target = {
        collectionId: Number(row["id"]),
        fieldIds: fieldIdsOf(stored.fields),
      };
      db.exec("pragma synchronous = off; begin");
      for (let from = 1; from <= scale; from += placesPerStep) {
        const to = Math.min(from + placesPerStep - 1, scale);
        for (const sql of fillStatements(target, from, to)) db.exec(sql);
      }
      db.exec(tallyStatement(target, scale));
      db.exec("commit; pragma wal_checkpoint(truncate)");
    });
  }

  /** Opens the file of the D1 database. */
  withDatabase(use: (db: DatabaseSync) => void): void {
    const folder = join(this.#folder, "d1/D1DatabaseObject");
    const file = readdirSync(folder).find((name) => /^[0-9a-f]+\.sqlite$/.test(name));
    if (!file) throw new Error("The database has no file yet.");
    const db = new DatabaseSync(join(folder, file));
    use(db);
    db.close();
  }

  /** The first owner, and tokens, of the default limits if no others: as many as the load needs to stay within them. */
  async tokens(count: number, limits: Partial<Limits> = {}): Promise<string[]> {
    const owner = this.#owner("owner");
    await owner.setUp(secrets.SETUP_SECRET);
    const tokens: string[] = [];
    let issuer = owner;
    for (let i = 0; i < count; i += 1) {
      if (i > 0 && i % mostLiveCredentials === 0) issuer = await this.#joined(owner, `owner-${i}`);
      const issued = await issue(issuer, { ...defaultCredential, ...limits, name: `Bench ${i}` });
      if ("token" in issued) tokens.push(issued.token);
    }
    return tokens;
  }

  #owner(name: string): Owner {
    return new Owner(this.url(), { email: `${name}@example.com`, password }, () => undefined);
  }

  /** Another owner, as one has so many credentials only. */
  async #joined(owner: Owner, name: string): Promise<Owner> {
    const invited = await owner.send("POST", "/admin/members", {
      email: `${name}@example.com`,
      role: "owner",
    });
    const { link } = (await invited.json()) as { link: string };
    await owner.send("POST", new URL(link).pathname, { password });
    return this.#owner(name);
  }

  async define(form: string, token: string, fields: object[]): Promise<void> {
    const answer = await fetch(`${this.url()}/api/v1/forms/${form}/schema`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: form, fields }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
}

function compatibilityDate(root: string): string {
  const toml = readFileSync(join(root, "wrangler.toml"), "utf8");
  return /^compatibility_date = "(.+)"$/m.exec(toml)?.[1] ?? "";
}
