import { permissions } from "../domain/credential/permissions.ts";
import { keepLocal, readLocal, type Local } from "./local.ts";

/** Asks the administration area's own routes, signed in as the local owner. Signs in when the session has ended. */
export class Owner {
  readonly #url: string;
  readonly #local: Local;
  readonly #keep: (local: Local) => void;

  /** `local` is who the owner is, and `keep` remembers it: by default in the folder of the local database. */
  constructor(url: string, local = readLocal(), keep = keepLocal) {
    this.#url = url.replace(/\/$/, "");
    this.#local = local;
    this.#keep = keep;
  }

  get local(): Local {
    return this.#local;
  }

  async send(method: string, path: string, body?: object): Promise<Response> {
    if (this.#local.cookie) {
      const answer = await this.#fetch(method, path, body);
      if (answer.status !== 401) return answer;
    }
    await this.#signIn();
    return this.#fetch(method, path, body);
  }

  /** Makes the local owner of an empty database; does nothing where there is one. */
  async setUp(secret: string): Promise<void> {
    const { email, password } = this.#local;
    const answer = await this.#fetch("POST", "/admin/setup", { secret, email, password });
    if (answer.ok) this.#keep(this.#local);
  }

  async #signIn(): Promise<void> {
    const { email, password } = this.#local;
    const answer = await this.#fetch("POST", "/admin/sign-in", { email, password });
    const cookie = answer.headers.getSetCookie()[0]?.split(";")[0];
    if (!answer.ok || !cookie) {
      throw new Error(
        `The local owner cannot sign in at ${this.#url} (${answer.status}). ` +
          "Stop the server, delete the folder .wrangler and run `npm run dev` to start afresh.",
      );
    }
    this.#local.cookie = cookie;
    this.#keep(this.#local);
  }

  async #fetch(method: string, path: string, body?: object): Promise<Response> {
    for (;;) {
      const answer = await this.#reached(path, {
        method,
        headers: {
          Accept: "application/json",
          Origin: new URL(this.#url).origin,
          ...(body ? { "Content-Type": "application/json" } : {}),
          ...(this.#local.cookie ? { Cookie: this.#local.cookie } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (answer.status !== 429) return answer;
      const seconds = Number(answer.headers.get("Retry-After") ?? 1);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }

  async #reached(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(this.#url + path, init);
    } catch (error) {
      throw new Error(
        `Nothing answers at ${this.#url}. Start the service in another terminal with \`npm run dev\`, ` +
          "or name another address with --url.",
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
  /** With spaces between. */
  origins: string;
}

export const defaultCredential: CredentialOptions = {
  kind: "token",
  name: "Local development",
  permissions: permissions.join(","),
  resources: "all",
  requests: 600,
  writes: 120,
  expires: "30d",
  origins: "",
};

export type IssuedCredential = { id: string; kind: string } & (
  | { token: string }
  | { client_id: string; client_secret: string }
);

export async function issue(owner: Owner, options: CredentialOptions): Promise<IssuedCredential> {
  const answer = await owner.send("POST", "/admin/integrations", options);
  if (answer.status !== 201) throw new Error(await answer.text());
  const issued = (await answer.json()) as IssuedCredential;
  const { id, kind } = issued;
  if ("token" in issued) return { id, kind, token: issued.token };
  return { id, kind, client_id: issued.client_id, client_secret: issued.client_secret };
}
