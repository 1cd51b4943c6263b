import { execFile, fork, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import { ensureBundle, ensureDemo, project } from "../../dev/built.ts";

/** What the parent of `serve.ts` asks: rows of a database, or a run of the schedule. */
export type Question = { database: Binding; sql: string } | { scheduledAt: number };
export type Binding = "DB" | "DATA_01";

type Message = { url: string } | { id: number; result?: unknown; error?: string };

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** An answer that a kill has prevented. */
export class KilledError extends Error {}

/** The deployed bundle in workerd, with a home database and a data database on disk. */
export class MovingService {
  readonly folder: string;
  url = "";
  #process: ChildProcess | undefined;
  #waiting = new Map<number, Waiting>();
  #asked = 0;

  /** The data goes into a new folder of this one. */
  constructor(parent: string) {
    this.folder = mkdtempSync(join(parent, "edge-forms-move-"));
    process.on("exit", () => this.#signal());
  }

  /** Builds the service and adds an empty data database. */
  async build(): Promise<void> {
    for (const built of [ensureBundle(), ensureDemo()])
      cpSync(built, this.folder, { recursive: true });
    const file = join(this.folder, "options.json");
    const options = JSON.parse(readFileSync(file, "utf8")) as { d1Databases: object };
    const d1Databases = { ...options.d1Databases, DATA_01: { id: "data-01" } };
    writeFileSync(file, JSON.stringify({ ...options, d1Databases }));
    this.#bundle();
    await this.start();
    await this.query("DATA_01", "select 1");
    await this.kill();
    const db = new DatabaseSync(this.fileOf("DATA_01"));
    for (const name of readdirSync(join(project, "migrations")).toSorted())
      db.exec(readFileSync(join(project, "migrations", name), "utf8"));
    db.close();
  }

  /** Wraps the bundle, which stays as it is deployed. */
  #bundle(): void {
    const outfile = join(this.folder, "index.js");
    const contents = `import service from "./index.js";
      import { atADistance } from "${join(import.meta.dirname, "distant.ts")}";
      export * from "./index.js";
      export default atADistance(service);`;
    buildSync({
      stdin: { contents, resolveDir: this.folder },
      outfile,
      allowOverwrite: true,
      bundle: true,
      format: "esm",
      target: "es2024",
      external: ["cloudflare:*", "node:*"],
    });
  }

  async start(): Promise<void> {
    const script = join(import.meta.dirname, "serve.ts");
    const child = fork(script, [this.folder], { cwd: this.folder, detached: true });
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      child.on("exit", () => {
        reject(new Error("The service ended."));
        for (const waiting of this.#waiting.values()) waiting.reject(new KilledError());
        this.#waiting.clear();
      });
      child.on("message", (message: Message) => {
        if ("url" in message) {
          this.url = message.url;
          resolve();
          return;
        }
        const waiting = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        if (message.error === undefined) waiting?.resolve(message.result);
        else waiting?.reject(new Error(message.error));
      });
    });
  }

  #signal(): void {
    if (this.#process?.pid === undefined) return;
    process.kill(-this.#process.pid, "SIGKILL");
    this.#process = undefined;
  }

  /** Kills the service with all of its processes (SIGKILL). */
  async kill(): Promise<void> {
    const child = this.#process;
    if (!child) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    this.#signal();
    await exited;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #ask(question: Question): Promise<unknown> {
    const id = (this.#asked += 1);
    return new Promise((resolve, reject) => {
      if (!this.#process) return reject(new KilledError());
      this.#waiting.set(id, { resolve, reject });
      this.#process.send({ id, question });
    });
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what it asked for
  async query<Row>(database: Binding, sql: string): Promise<Row[]> {
    return (await this.#ask({ database, sql })) as Row[];
  }

  async runSchedule(scheduledAt: number): Promise<void> {
    await this.#ask({ scheduledAt });
  }

  async token(): Promise<string> {
    const script = join(project, "src/dev/credential.ts");
    const limits = ["--requests", "100000", "--writes", "100000"];
    const args = [script, "--bare", "--url", this.url, ...limits];
    const { stdout } = await promisify(execFile)("node", args, { cwd: this.folder });
    return stdout.trim();
  }

  /** The file of a database. Only the home database has members. */
  fileOf(binding: Binding): string {
    const folder = join(this.folder, ".wrangler/state/v3/d1/miniflare-D1DatabaseObject");
    const files = readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
    const isHome = (name: string) => {
      const db = new DatabaseSync(join(folder, name));
      const [table] = db.prepare("select 1 from sqlite_schema where name = 'member'").all();
      const isUsed = table !== undefined && db.prepare("select 1 from member").all().length > 0;
      db.close();
      return isUsed;
    };
    const found = files.find((name) => isHome(name) === (binding === "DB"));
    if (!found) throw new Error(`${binding} has no file.`);
    return join(folder, found);
  }
}
