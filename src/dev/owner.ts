import { permissions } from "../domain/credential/permissions.ts";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";

/** Calls the routes of the administration as the local owner. Signs in again when the session has ended. */
export class Owner {
  readonly #url: string;
  readonly #local: LocalSettings;
  readonly #save: (local: LocalSettings) => void;

  /** `save` stores the owner's settings, by default in the folder of the local database. */
  constructor(url: string, local = readLocal(), save = saveLocal) {
    this.#url = url.replace(/\/$/, "");
    this.#local = local;
    this.#save = save;
  }

  get local(): LocalSettings {
    return this.#local;
  }

  async send(method: string, path: string, body?: object): Promise<Response> {
    if (this.#local.cookie) {
      const response = await this.#fetch(method, path, body);
      if (response.status !== 401) return response;
    }
    await this.#signIn();
    return this.#fetch(method, path, body);
  }

  /** Creates the local owner in an empty database. Does nothing if an owner exists. */
  async setUp(secret: string): Promise<void> {
    const { email, password } = this.#local;
    const response = await this.#fetch("POST", "/admin/setup", { secret, email, password });
    if (response.ok) this.#save(this.#local);
  }

  async #signIn(): Promise<void> {
    const { email, password } = this.#local;
    const response = await this.#fetch("POST", "/admin/sign-in", { email, password });
    const cookie = response.headers.getSetCookie()[0]?.split(";")[0];
    if (response.status >= 500) throw new Error(describeProblem(await response.text()));
    if (!response.ok || !cookie) {
      throw new Error(
        `The local owner cannot sign in at ${this.#url} (${response.status}). ` +
          "Stop the server, delete the folder .wrangler and run `npm run dev` to start over.",
      );
    }
    this.#local.cookie = cookie;
    this.#save(this.#local);
  }

  async #fetch(method: string, path: string, body?: object): Promise<Response> {
    for (;;) {
      const response = await this.#request(path, {
        method,
        headers: {
          Accept: "application/json",
          Origin: new URL(this.#url).origin,
          ...(body ? { "Content-Type": "application/json" } : {}),
          ...(this.#local.cookie ? { Cookie: this.#local.cookie } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (response.status !== 429) return response;
      const seconds = Number(response.headers.get("Retry-After") ?? 1);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }

  async #request(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(this.#url + path, init);
    } catch (error) {
      throw new Error(
        `No service responds at ${this.#url}. Start it in another terminal with \`npm run dev\`, ` +
          "or choose another URL with --url.",
        { cause: error },
      );
    }
  }
}

export interface CredentialOptions {
  kind: string;
  name: string;
  permissions: string;
  resources: string;
  requests: number;
  writes: number;
  expires: string;
  /** A list of origins, separated by commas. */
  origins: string;
}

/** The name of the credential in the curl line that `npm run dev` prints. */
export const localCredentialName = "Local development";

export const defaultCredential: CredentialOptions = {
  kind: "token",
  name: "Command line",
  permissions: permissions.join(","),
  resources: "all",
  requests: 600,
  writes: 120,
  expires: "30d",
  origins: "",
};

export type IssuedCredential = {
  id: string;
  kind: string;
  name: string;
  permissions: string[];
  resources: "all" | string[];
  /** Null if the credential never expires. */
  expires_at: string | null;
} & ({ token: string } | { client_id: string; client_secret: string });

export async function issueCredential(
  owner: Owner,
  options: CredentialOptions,
): Promise<IssuedCredential> {
  const response = await owner.send("POST", "/admin/integrations", options);
  if (response.status !== 201) throw new Error(describeProblem(await response.text()));
  const issued = (await response.json()) as IssuedCredential;
  const { id, kind, name, permissions: granted, resources, expires_at } = issued;
  const access = { id, kind, name, permissions: granted, resources, expires_at };
  if ("token" in issued) return { ...access, token: issued.token };
  return { ...access, client_id: issued.client_id, client_secret: issued.client_secret };
}

/** Describes the problem with one line for each invalid option. */
function describeProblem(text: string): string {
  let problem: { detail?: string; errors?: { field: string; reason: string }[] };
  try {
    problem = JSON.parse(text) as typeof problem;
  } catch {
    return text;
  }
  const lines = (problem.errors ?? []).map(({ field, reason }) => `--${field}: ${reason}`);
  return lines.length > 0 ? [...new Set(lines)].join("\n") : (problem.detail ?? text);
}

/** Returns the listed resources that do not exist. A credential may be issued before its apps and forms exist. */
export async function findMissingResources(owner: Owner, resources: string): Promise<string[]> {
  const missingNames: string[] = [];
  for (const name of resources.split(/[\s,]+/).filter((each) => each !== "" && each !== "all")) {
    const [, kind = "", key = ""] = /^(app|form):([^/]*)/.exec(name) ?? [];
    const { status } = await owner.send("GET", `/admin/${kind}s/${encodeURIComponent(key)}/json`);
    if (status === 404) missingNames.push(name);
  }
  return missingNames;
}

/** Local settings of a developer. They are in the folder of the local database and are deleted with it. */
export interface LocalSettings {
  email: string;
  password: string;
  /** The owner's session in the administration area. */
  cookie?: string;
  /** A personal token for the curl line that `npm run dev` prints. */
  token?: string;
}

const folder = ".wrangler";
const settingsFile = `${folder}/edge-forms-local.json`;
const secretsFile = ".dev.vars";

function readLocal(): LocalSettings {
  if (existsSync(settingsFile))
    return JSON.parse(readFileSync(settingsFile, "utf8")) as LocalSettings;
  return { email: "owner@example.com", password: randomBytes(12).toString("base64url") };
}

export function saveLocal(local: LocalSettings): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(settingsFile, `${JSON.stringify(local, null, 2)}\n`, { mode: 0o600 });
}

/** Creates missing and empty secrets for local development. Returns the set-up secret. */
export function ensureSecrets(): string {
  let text = existsSync(secretsFile) ? readFileSync(secretsFile, "utf8") : "";
  for (const name of ["TOKEN_SECRET", "SETUP_SECRET"]) {
    if (parseEnv(text)[name]) continue;
    const line = `${name}="${randomBytes(32).toString("base64url")}"`;
    const emptyLine = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=.*$`, "m");
    text = emptyLine.test(text)
      ? text.replace(emptyLine, line)
      : `${endWithNewline(text)}${line}\n`;
    writeFileSync(secretsFile, text, { mode: 0o600 });
  }
  return parseEnv(text)["SETUP_SECRET"] ?? "";
}

const endWithNewline = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
