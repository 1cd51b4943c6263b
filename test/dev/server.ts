import { execFile, spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { caller, type Answer, type Call } from "../../src/dev/caller.ts";

const project = new URL("../..", import.meta.url).pathname;
const parts = [
  "src",
  "migrations",
  "examples",
  "packages",
  "node_modules",
  "package.json",
  "wrangler.toml",
  "tsconfig.json",
];

/** What a service keeps beside the project: its data, who its owner is, and its secrets. */
export const kept = [".wrangler", ".dev.vars"];

/** A personal token, or an API client. */
interface Issued {
  id: string;
  token: string;
  client_id: string;
  client_secret: string;
}

/** A server of its own: the project's files, with data and secrets that nobody else uses. */
export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), "edge-forms-"));
  readonly url: string;
  readonly #command: string[];
  #process: ChildProcess | undefined;
  output = "";

  /** Of what `built.ts` has left, where a run of tests has it; or as a developer starts it. */
  constructor(port: number, by: "built" | "npm run dev" = "built") {
    this.url = `http://127.0.0.1:${port}`;
    for (const part of parts) symlinkSync(join(project, part), join(this.folder, part));
    const built = by === "built" ? process.env["EDGE_FORMS_BUILT"] : undefined;
    if (built === undefined) {
      this.#command = ["npm", "run", "dev", "--", "--port", String(port)];
      return;
    }
    this.#command = ["node", join(project, "test/dev/serve-built.ts"), String(port), built];
    for (const part of kept) {
      cpSync(join(built, part), join(this.folder, part), { recursive: true });
    }
  }

  /** Until it says where it answers. */
  async start(): Promise<void> {
    this.output = "";
    const [command = "", ...options] = this.#command;
    const started = spawn(command, options, {
      cwd: this.folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = started;
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        this.output += chunk.toString();
        if (this.output.includes("Edge Forms answers at")) resolve();
      };
      started.stdout.on("data", read);
      started.stderr.on("data", read);
      started.on("exit", () => reject(new Error(`${command} ended:\n${this.output}`)));
    });
  }

  /** `kill -9` of everything that `npm run dev` started. */
  async kill(): Promise<void> {
    const ended = this.#process;
    if (ended?.pid === undefined) return;
    const gone = new Promise((resolve) => ended.on("exit", resolve));
    process.kill(-ended.pid, "SIGKILL");
    await gone;
    this.#process = undefined;
    while (await this.#answers()) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What `npm run credential` calls. */
  async credential(...options: string[]): Promise<Issued> {
    const args = ["src/dev/credential.ts", "--json", "--url", this.url, ...options];
    const { stdout } = await promisify(execFile)("node", args, { cwd: this.folder });
    return JSON.parse(stdout) as Issued;
  }

  async #answers(): Promise<boolean> {
    return fetch(`${this.url}/health`).then(
      () => true,
      () => false,
    );
  }
}

/** Who signs in to the administration area of this server. */
export function account(server: Server): { email: string; password: string } {
  const file = join(server.folder, ".wrangler/edge-forms-local.json");
  return JSON.parse(readFileSync(file, "utf8")) as { email: string; password: string };
}

export { caller, type Answer, type Call };

export async function everyItem(call: Call, path: string): Promise<Answer["body"][]> {
  const items = [];
  for (let next: string | null = path; next !== null;) {
    const page: Answer = await call("GET", next);
    items.push(...page.body.items);
    next = page.body.links.next as string | null;
  }
  return items;
}
