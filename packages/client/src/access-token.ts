import type { Reply } from "./attempt.ts";
import { EdgeFormsError } from "./problem.ts";
import { unlessAborted } from "./retry.ts";

export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
  /** The permissions of the access token. By default it has all permissions of the client. */
  scope?: readonly string[];
}

/** A personal token, a function that returns the current token, or an API client's credentials. */
export type Credential =
  | { token: string | (() => string | Promise<string>) }
  | { credentials: ClientCredentials };

type Exchange = (init: RequestInit) => Promise<Reply>;

/** Supplies the bearer token of each request. All callers share one access token, which is renewed before it expires. */
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

  /** Discards a token that the service rejected. Returns whether `current` can supply another token. */
  renewable(rejectedToken: string): boolean {
    if (this.#access?.token === rejectedToken) this.#access = undefined;
    return "credentials" in this.#credential || typeof this.#credential.token === "function";
  }

  async #renew({ clientId, clientSecret, scope }: ClientCredentials): Promise<string> {
    const parameters = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
    });
    if (scope) parameters.set("scope", scope.join(" "));
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const { body } = await this.#exchange({ method: "POST", headers, body: parameters.toString() });
    const response = body as { access_token?: unknown; expires_in?: unknown } | undefined;
    if (typeof response?.access_token !== "string") {
      const message = "The token endpoint returned no access token.";
      throw new EdgeFormsError(message, { code: "unexpected_answer" });
    }
    const seconds = typeof response.expires_in === "number" ? response.expires_in : 0;
    // Renews a minute early, so that no token expires in transit.
    const renewAt = Date.now() + Math.max(seconds - 60, seconds / 2) * 1000;
    this.#access = { token: response.access_token, renewAt };
    return response.access_token;
  }
}
