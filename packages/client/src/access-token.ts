import type { Reply } from "./attempt.ts";
import { EdgeFormsError } from "./problem.ts";
import { unlessAborted } from "./retry.ts";

export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
  /** Permissions to narrow the access token to; all of the client's where it is left out. */
  scope?: readonly string[];
}

/** A personal token, or a function that knows the present one, or an API client's credentials. */
export type Credential =
  | { token: string | (() => string | Promise<string>) }
  | { credentials: ClientCredentials };

type Exchange = (init: RequestInit) => Promise<Reply>;

/** The bearer of each request. Access tokens are fetched once for all callers, and renewed before they expire. */
export class Bearer {
  readonly #credential: Credential;
  readonly #exchange: Exchange;
  #access: { token: string; renewAt: number } | undefined;
  #renewal: Promise<string> | undefined;

  constructor(credential: Credential, exchange: Exchange) {
    this.#credential = credential;
    this.#exchange = exchange;
  }

  async current(signal?: AbortSignal): Promise<string> {
    const credential = this.#credential;
    if ("token" in credential) {
      return typeof credential.token === "string" ? credential.token : credential.token();
    }
    if (this.#access && Date.now() < this.#access.renewAt) return this.#access.token;
    this.#renewal ??= this.#renew(credential.credentials).finally(
      () => (this.#renewal = undefined),
    );
    return unlessAborted(this.#renewal, signal);
  }

  /** Forgets a bearer that was refused; whether there may be another one. */
  renewable(refused: string): boolean {
    if (this.#access?.token === refused) this.#access = undefined;
    return "credentials" in this.#credential || typeof this.#credential.token === "function";
  }

  async #renew({ clientId, clientSecret, scope }: ClientCredentials): Promise<string> {
    const asked = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
    });
    if (scope) asked.set("scope", scope.join(" "));
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const { body } = await this.#exchange({ method: "POST", headers, body: asked.toString() });
    const told = body as { access_token?: unknown; expires_in?: unknown } | undefined;
    if (typeof told?.access_token !== "string") {
      const message = "The token endpoint answered without an access token.";
      throw new EdgeFormsError(message, { code: "unexpected_answer" });
    }
    const seconds = typeof told.expires_in === "number" ? told.expires_in : 0;
    // A minute early, so that none expires on its way.
    const renewAt = Date.now() + Math.max(seconds - 60, seconds / 2) * 1000;
    this.#access = { token: told.access_token, renewAt };
    return told.access_token;
  }
}
