import { spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cloud } from "./cloud.ts";

export const project = new URL("../../..", import.meta.url).pathname;
const standIn = join(project, "test/dev/deployment/stand-in");

/** The commands of a section of a guide, in their order. */
export function commandsOf(guide: string, heading: string): string[] {
  const text = readFileSync(join(project, guide), "utf8");
  const section = text.split(`# ${heading}\n`)[1]?.split(/^##/m)[0] ?? "";
  return [...section.matchAll(/^npm run .*$/gm)].map(([line]) => line);
}

/** An operator, whose checkout has a wrangler that starts fast, with an own imitation of Cloudflare. */
export class Operator {
  readonly cloud = new Cloud();
  readonly checkout = mkdtempSync(join(tmpdir(), "edge-forms-databases-"));
  readonly #settingsFile = join(this.checkout, "wrangler.production.json");

  /** Begins with these databases, which have no tables. */
  async start(names: Readonly<Record<string, string>>): Promise<void> {
    for (const name of ["src", "migrations", "package.json", "wrangler.toml"])
      cpSync(join(project, name), join(this.checkout, name), { recursive: true });
    const packages = join(this.checkout, "node_modules");
    mkdirSync(packages);
    for (const name of readdirSync(join(project, "node_modules")))
      if (name !== "wrangler")
        symlinkSync(join(project, "node_modules", name), join(packages, name));
    symlinkSync(standIn, join(packages, "wrangler"));
    await this.cloud.start();
    const { account } = this.cloud;
    const databases = Object.entries(names).map(([binding, database_name]) => {
      const { uuid } = account.makeDatabase(database_name, undefined);
      return { binding, database_name, database_id: uuid };
    });
    const { id } = account.makeNamespace("edge-forms-replays");
    const saved = {
      d1_databases: databases,
      kv_namespaces: [{ binding: "REPLAYS", id }],
      r2_buckets: [{ binding: "FILES", bucket_name: "edge-forms-files" }],
      vars: { ORIGIN: "" },
    };
    writeFileSync(this.#settingsFile, JSON.stringify(saved));
  }

  async stop(): Promise<void> {
    await this.cloud.stop();
    rmSync(this.checkout, { recursive: true, force: true });
  }

  settings() {
    return JSON.parse(readFileSync(this.#settingsFile, "utf8"));
  }

  /** The ids of the databases by their bindings. */
  get ids(): Map<string, string> {
    const databases = this.settings().d1_databases as { binding: string; database_id: string }[];
    return new Map(databases.map((each) => [each.binding, each.database_id]));
  }

  /** Runs a command line like `npm run restore -- --to …`. Returns its output. */
  async run(line: string): Promise<string> {
    const { code, output } = await this.#spawn(line, () => undefined);
    if (code !== 0) throw new Error(output);
    return output;
  }

  /**
   * Runs a command line, and kills it with all its processes after the effect of the first call that is not known. Adds that
   * call to the known ones. Returns whether there was one.
   */
  async runUntilNewCall(line: string, known: Set<string>): Promise<boolean> {
    let isKilled = false;
    const { code, output } = await this.#spawn(line, (sent, kill) => {
      const call = sent.replaceAll(/\d{13}/g, "NOW");
      if (isKilled || known.has(call)) return;
      isKilled = true;
      known.add(call);
      kill();
    });
    if (!isKilled && code !== 0) throw new Error(output);
    return isKilled;
  }

  async #spawn(line: string, onEffect: (call: string, kill: () => void) => void) {
    const [, script = "", options = ""] = /^npm run (\w+) -- (.*)$/.exec(line) ?? [];
    const preload = join(standIn, "preload.js");
    const command = ["--import", preload, `src/dev/${script}.ts`, ...options.split(" ")];
    const child = spawn(process.execPath, command, {
      cwd: this.checkout,
      env: { ...process.env, ...this.cloud.environment },
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
    const [result] = await this.cloud.account.runtime.query(this.ids.get(binding) ?? "", sql);
    return result?.results ?? [];
  }

  /** Records the state of all databases, as Time Travel does, and returns the time. */
  async note(): Promise<string> {
    for (const id of this.ids.values()) await this.cloud.account.database(id).history.note();
    await new Promise((resolve) => setTimeout(resolve, 5));
    return new Date().toISOString();
  }
}
