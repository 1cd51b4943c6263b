import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureCommands } from "../built.ts";
import { Cloud } from "./cloud.ts";
import { npmFunction, project } from "./commands.ts";
import { SqliteStorage } from "./storage.ts";

const standIn = join(project, "test/dev/deployment/stand-in");

/** An operator, whose checkout has commands and a wrangler that start fast, with an own imitation of Cloudflare. */
export class Operator {
  readonly cloud: Cloud;
  readonly checkout = mkdtempSync(join(tmpdir(), "edge-forms-operator-"));
  readonly settingsFile = join(this.checkout, "wrangler.production.json");
  readonly #shell = npmFunction(`--import ${join(standIn, "preload.js")}`).replaceAll(
    /(src\/dev\/\S+)\.ts/g,
    "$1.js",
  );

  /** Databases of D1 also serve code of the service, and reject what D1 rejects. */
  constructor(databases: "SQLite" | "D1" = "SQLite") {
    this.cloud = new Cloud(databases === "D1" ? undefined : new SqliteStorage());
  }

  async start(): Promise<void> {
    for (const name of ["migrations", "package.json", "wrangler.toml"])
      cpSync(join(project, name), join(this.checkout, name), { recursive: true });
    cpSync(ensureCommands(), join(this.checkout, "src/dev"), { recursive: true });
    mkdirSync(join(this.checkout, "node_modules"));
    symlinkSync(standIn, join(this.checkout, "node_modules/wrangler"));
    await this.cloud.start();
  }

  async stop(): Promise<void> {
    await this.cloud.stop();
    rmSync(this.checkout, { recursive: true, force: true });
  }

  settings() {
    return JSON.parse(readFileSync(this.settingsFile, "utf8"));
  }

  save(settings: object): void {
    writeFileSync(this.settingsFile, JSON.stringify(settings));
  }

  /** Removes what only this machine has, so that the next command runs as on another one. */
  changeMachine(): void {
    for (const name of ["wrangler.production.json", ".secrets.production.json", ".wrangler"])
      rmSync(join(this.checkout, name), { recursive: true, force: true });
  }

  /** The ids of the databases by their bindings. */
  get ids(): Map<string, string> {
    const databases = this.settings().d1_databases as { binding: string; database_id: string }[];
    return new Map(databases.map((each) => [each.binding, each.database_id]));
  }

  /** Runs command lines like `npm run restore -- --to …`. Returns their output. */
  async run(lines: string, environment: Record<string, string> = {}): Promise<string> {
    const { code, output } = await this.#spawn(lines, environment, () => undefined);
    if (code !== 0) throw new Error(output);
    return output;
  }

  /**
   * Runs a command line, and kills it with all its processes after the effect of the first call that is not known. Adds that
   * call to the known ones. Of ten migrations, one counts. Returns whether there was such a call.
   */
  async runUntilNewCall(line: string, known: Set<string>): Promise<boolean> {
    let isKilled = false;
    const { code, output } = await this.#spawn(line, {}, (effect, kill) => {
      const call = effect
        .replaceAll(/\d{13}/g, "NOW")
        .replace(/(?<=\/versions\/)[\w-]+/, "ID")
        .replace(/\{"sql".*INTO d1_migrations \(name\) VALUES \('(\d+)\d_.*/s, "migration $1");
      if (isKilled || known.has(call)) return;
      isKilled = true;
      known.add(call);
      kill();
    });
    if (!isKilled && code !== 0) throw new Error(output);
    return isKilled;
  }

  /** Runs a command line, and kills it with all its processes after the effect of the first call that matches. */
  async runUntilCall(line: string, pattern: RegExp): Promise<void> {
    let isKilled = false;
    const { output } = await this.#spawn(line, {}, (effect, kill) => {
      if (isKilled || !pattern.test(effect)) return;
      isKilled = true;
      kill();
    });
    if (!isKilled) throw new Error(output);
  }

  async #spawn(
    lines: string,
    environment: Record<string, string>,
    onEffect: (call: string, kill: () => void) => void,
  ) {
    const child = spawn("bash", ["-euo", "pipefail", "-c", `${this.#shell}\n${lines}`], {
      cwd: this.checkout,
      env: { ...process.env, ...this.cloud.environment, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that wrangler ends with it.
      detached: true,
    });
    const kill = () => process.kill(-Number(child.pid), "SIGKILL");
    this.cloud.onEffect = (call) => onEffect(call, kill);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise((resolve) => child.on("close", resolve));
    this.cloud.onEffect = () => undefined;
    return { code, output };
  }

  async query(binding: string, sql: string): Promise<Record<string, unknown>[]> {
    const [result] = await this.cloud.account.storage.query(this.ids.get(binding) ?? "", sql);
    return result?.results ?? [];
  }

  /** Records the state of all databases, as Time Travel does, and returns the time. */
  async note(): Promise<string> {
    for (const id of this.ids.values()) await this.cloud.account.database(id).history.note();
    await new Promise((resolve) => setTimeout(resolve, 5));
    return new Date().toISOString();
  }

  /** Whether the checkout has a file. */
  has(name: string): boolean {
    return existsSync(join(this.checkout, name));
  }
}
