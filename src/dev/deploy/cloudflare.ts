import * as http from "node:http";
import { captureWrangler, stop } from "./wrangler.ts";

/**
 * A client for Cloudflare's API with the credentials of wrangler. Commands call the same endpoints as wrangler, because
 * each start of wrangler takes more than a second of CPU time.
 */

interface ApiError {
  status: number;
  code: number;
  message: string;
}

type Outcome<Result> = { result: Result } | { error: ApiError };

interface CallOptions {
  query?: Record<string, string>;
  /** The body, sent as JSON unless it is a form or a blob. */
  body?: object;
  headers?: Record<string, string>;
}

const pageSize = 100;

/** The API of one account. */
export class Cloudflare {
  readonly accountId: string;
  readonly #api: Api;

  private constructor(api: Api, accountId: string) {
    this.#api = api;
    this.accountId = accountId;
  }

  /** Connects to an account. Without an ID, connects to the only account that the credentials can access. */
  static async connect(accountId: string | undefined): Promise<Cloudflare> {
    const api = new Api();
    return new Cloudflare(api, accountId ?? (await findOnlyAccount(api)));
  }

  /** Calls an endpoint of the account. Stops the command if Cloudflare rejects the call. */
  async call<Result>(method: string, path: string, options?: CallOptions): Promise<Result> {
    const outcome = await this.attempt<Result>(method, path, options);
    return "error" in outcome ? stop(describe(method, path, outcome.error)) : outcome.result;
  }

  /** Calls an endpoint of the account. Returns an error to the caller instead of stopping. */
  async attempt<Result>(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<Outcome<Result>> {
    return parse<Result>(await this.send(method, path, options));
  }

  /** Reads a resource. Returns undefined if it does not exist. */
  async find<Result>(path: string, options?: CallOptions): Promise<Result | undefined> {
    const outcome = await this.attempt<Result>("GET", path, options);
    if (!("error" in outcome)) return outcome.result;
    return outcome.error.status === 404 ? undefined : stop(describe("GET", path, outcome.error));
  }

  /** Returns all entries of a list with pages. */
  async list<Entry>(path: string): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let page = 1; entries.length === (page - 1) * pageSize; page += 1) {
      const query = { page: `${page}`, per_page: `${pageSize}` };
      entries.push(...(await this.call<Entry[]>("GET", path, { query })));
    }
    return entries;
  }

  send(method: string, path: string, options?: CallOptions): Promise<Response> {
    return this.#api.send(method, `/accounts/${this.accountId}${path}`, options);
  }
}

async function findOnlyAccount(api: Api): Promise<string> {
  const outcome = await parse<{ id: string; name: string }[]>(await api.send("GET", "/accounts"));
  if ("error" in outcome) return stop(describe("GET", "/accounts", outcome.error));
  const [only, ...others] = outcome.result;
  if (only !== undefined && others.length === 0) return only.id;
  const lines = outcome.result.map(({ id, name }) => `\n  ${id}  ${name}`);
  return stop(`Choose an account with --account or CLOUDFLARE_ACCOUNT_ID:${lines.join("")}`);
}

const maxAttempts = 3;
const retryMs = 1000;
/** The age at which the token is refreshed. A token of a browser sign-in is valid for an hour. */
const maxTokenAgeMs = 30 * 60 * 1000;

class Api {
  readonly #baseUrl =
    process.env["CLOUDFLARE_API_BASE_URL"] ?? "https://api.cloudflare.com/client/v4";
  #credentials: Record<string, string> = {};
  #readAt = -Infinity;

  constructor() {
    // Uses the proxy of the environment, like wrangler. Node 22 does not support this.
    const { setGlobalProxyFromEnv } = http as { setGlobalProxyFromEnv?: () => void };
    setGlobalProxyFromEnv?.();
  }

  /** Sends a request. Repeats reads after a failed connection or an internal error of Cloudflare. */
  async send(
    method: string,
    path: string,
    { query = {}, body, headers = {} }: CallOptions = {},
  ): Promise<Response> {
    const url = `${this.#baseUrl}${path}?${new URLSearchParams(query)}`;
    const isJson = body !== undefined && !(body instanceof FormData) && !(body instanceof Blob);
    const init: RequestInit = {
      method,
      headers: {
        ...this.#authenticate(),
        ...(isJson ? { "Content-Type": "application/json" } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as Blob) }),
    };
    for (let attempt = 1; ; attempt += 1) {
      const isLast = method !== "GET" || attempt === maxAttempts;
      try {
        const response = await fetch(url, init);
        if (isLast || (response.status < 500 && response.status !== 429)) return response;
      } catch (error) {
        if (isLast)
          stop(`Cloudflare's API does not answer: ${String((error as Error).cause ?? error)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs * attempt));
    }
  }

  #authenticate(): Record<string, string> {
    if (Date.now() - this.#readAt > maxTokenAgeMs) {
      this.#credentials = readCredentials();
      this.#readAt = Date.now();
    }
    return this.#credentials;
  }
}

/** Returns the headers that authenticate calls, from the same variables as wrangler or from its sign-in. */
function readCredentials(): Record<string, string> {
  const variable = process.env["CLOUDFLARE_API_TOKEN"];
  if (variable) return { Authorization: `Bearer ${variable}` };
  const { succeeded, stdout } = captureWrangler(["auth", "token", "--json"]);
  if (!succeeded)
    stop("You are not signed in. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.");
  const { token, key, email } = JSON.parse(stdout) as Record<string, string>;
  return token === undefined
    ? { "X-Auth-Key": key ?? "", "X-Auth-Email": email ?? "" }
    : { Authorization: `Bearer ${token}` };
}

interface Answer<Result> {
  success: boolean;
  result: Result;
  errors?: { code: number; message: string }[];
}

async function parse<Result>(response: Response): Promise<Outcome<Result>> {
  const text = await response.text();
  const { status } = response;
  try {
    const { success, result, errors } = JSON.parse(text) as Answer<Result>;
    if (success) return { result };
    return { error: { status, ...(errors?.[0] ?? { code: 0, message: text }) } };
  } catch {
    return { error: { status, code: 0, message: text.slice(0, 500) } };
  }
}

/** The code of requests whose token lacks a permission. */
const authenticationCode = 10_000;

function describe(method: string, path: string, { status, code, message }: ApiError): string {
  const isForbidden = status === 401 || status === 403 || code === authenticationCode;
  const advice = isForbidden
    ? "\nThe token must be allowed to edit Workers scripts, D1, KV and R2 of this account."
    : "";
  return `Cloudflare rejected ${method} ${path}: ${message} (status ${status}, code ${code})${advice}`;
}
