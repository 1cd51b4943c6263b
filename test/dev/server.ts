import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Miniflare } from "miniflare";
import {
  defaultCredential,
  issueCredential,
  Owner,
  type LocalSettings,
} from "../../src/dev/owner.ts";
import { caller, type Answer, type Call } from "../support/caller.ts";
import { freePort } from "../support/free-port.ts";
import { ensureBundle, ensureDemo, linkProject, project, statePaths } from "./built.ts";

/** The response for a new personal token or API client. */
interface IssuedCredential {
  id: string;
  token: string;
  client_id: string;
  client_secret: string;
}

/**
 * How to serve: the bundle with the demo, in this process or in one that a test can kill, or the service as a developer
 * starts it. A process of its own takes half a second of CPU.
 */
type Mode = "in this process" | "killable" | "npm run dev";

/** A server with the project's files and with its own data and secrets. */
export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), "edge-forms-"));
  readonly #mode: Mode;
  readonly #builtFolder: string | undefined;
  #url: string | undefined;
  #miniflare: Miniflare | undefined;
  #process: ChildProcess | undefined;
  #owner: LocalSettings | undefined;
  output = "";

  constructor(mode: Mode = "in this process") {
    this.#mode = mode;
    linkProject(this.folder);
    // A copy, because some commands build the client, which other tests use at the same time.
    cpSync(join(project, "packages"), join(this.folder, "packages"), {
      recursive: true,
      filter: (path) => !path.includes("/node_modules", project.length),
    });
    if (mode === "npm run dev") return;
    this.#builtFolder = ensureBundle();
    for (const path of statePaths) {
      cpSync(join(ensureDemo(), path), join(this.folder, path), { recursive: true });
    }
  }

  /** The address, which stays the same when the server starts again. */
  get url(): string {
    if (this.#url === undefined) throw new Error("The server has not started.");
    return this.#url;
  }

  /** The system assigns the port at the first start, so that test runs do not disturb each other. */
  async #command(): Promise<string[]> {
    const knownPort = this.#url === undefined ? 0 : Number(new URL(this.#url).port);
    if (this.#builtFolder !== undefined) {
      const script = join(project, "test/dev/serve-built.ts");
      return ["node", script, String(knownPort), this.#builtFolder];
    }
    return ["npm", "run", "dev", "--", "--port", String(knownPort || (await freePort()))];
  }

  /** Starts the server and waits until it prints its address. */
  async start(): Promise<void> {
    if (this.#mode === "in this process" && this.#builtFolder !== undefined) {
      // Servers in other processes need no Miniflare in this one.
      const { serviceOf } = await import("./built-service.ts");
      this.#miniflare = serviceOf(this.#builtFolder, this.folder);
      this.#url = (await this.#miniflare.ready).origin;
      return;
    }
    this.output = "";
    const [command = "", ...options] = await this.#command();
    const child = spawn(command, options, {
      cwd: this.folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      const appendOutput = (chunk: Buffer) => {
        this.output += chunk.toString();
        const [, url] = /Edge Forms answers at (http:\/\/[\d.:]+)\s/.exec(this.output) ?? [];
        if (url === undefined) return;
        this.#url = url;
        resolve();
      };
      child.stdout.on("data", appendOutput);
      child.stderr.on("data", appendOutput);
      child.on("exit", () => reject(new Error(`${command} ended:\n${this.output}`)));
    });
  }

  /** Kills the server with all of its processes (SIGKILL). */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined) throw new Error("This server has no process to kill.");
    const exited = new Promise((resolve) => child.on("exit", resolve));
    process.kill(-child.pid, "SIGKILL");
    await exited;
    this.#process = undefined;
    while (await this.#isReachable()) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async remove(): Promise<void> {
    await this.#miniflare?.dispose();
    if (this.#process) await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Issues a credential as the owner, with options of `npm run credential`. */
  async credential(...options: string[]): Promise<IssuedCredential> {
    this.#owner ??= account(this);
    return issueAs(new Owner(this.url, this.#owner, () => undefined), options);
  }

  async #isReachable(): Promise<boolean> {
    return fetch(`${this.url}/health`).then(
      () => true,
      () => false,
    );
  }
}

/** Issues a credential, with options of `npm run credential`. */
export async function issueAs(owner: Owner, options: readonly string[]): Promise<IssuedCredential> {
  const given = optionsOf(options);
  const issued: unknown = await issueCredential(owner, {
    ...defaultCredential,
    ...given,
    requests: Number(given["requests"] ?? defaultCredential.requests),
    writes: Number(given["writes"] ?? defaultCredential.writes),
  });
  return issued as IssuedCredential;
}

/** The values of options such as `--name Shop`, by name. */
const optionsOf = (args: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    args.flatMap((arg, index) => (index % 2 === 0 ? [[arg.slice(2), args[index + 1] ?? ""]] : [])),
  );

/** Reads the email address and password of the server's owner. */
export function account(server: Pick<Server, "folder">): LocalSettings {
  const file = join(server.folder, ".wrangler/edge-forms-local.json");
  return JSON.parse(readFileSync(file, "utf8")) as LocalSettings;
}

export { caller, project, type Answer, type Call };

export async function everyItem(call: Call, path: string): Promise<Answer["body"][]> {
  const items = [];
  for (let next: string | null = path; next !== null;) {
    const page: Answer = await call("GET", next);
    items.push(...page.body.items);
    next = page.body.links.next as string | null;
  }
  return items;
}
