import { Bearer, type Credential } from "./access-token.ts";
import { attempt, type Limits, type Reply } from "./attempt.ts";
import { Lanes, type Lane } from "./lanes.ts";
import { EdgeFormsError } from "./problem.ts";
import { didNothing, isDoubtful, sleep, waitBefore } from "./retry.ts";

export type Options = Credential & {
  /** The service's address, without `/api/v1`. */
  url: string;
  /** The maximum number of retries after lost connections, timeouts and 5xx responses. Default 6. */
  retries?: number;
  /** Milliseconds within which the complete response to each attempt must arrive. Default 30,000. Files get more time. */
  timeout?: number;
  /** The longest Retry-After, in milliseconds, to wait for. A longer one throws. Default 120,000. */
  longestWait?: number;
  /** The maximum number of concurrent requests. Default 8. */
  concurrency?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
};

export interface Sent {
  method: string;
  /** Relative to `/api/v1`. */
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  /** Bytes to send in place of a JSON body. */
  content?: Blob;
  /** The bytes that the request or its response carries besides JSON. They extend the timeout. */
  carriedBytes?: number;
  /** Whether the response is a file. */
  isBinary?: boolean;
  headers?: Record<string, string>;
  lane: Lane;
  /** Whether the client may retry the request when its outcome is unknown. */
  safe: boolean;
  signal?: AbortSignal | undefined;
}

/** The response. `doubtful` means that the service may have carried out an earlier attempt. */
export type Received = Reply & { doubtful: boolean };

type RetryPolicy = Pick<Sent, "lane" | "safe" | "signal">;

/** The slowest supported connection, with 400 kilobits a second. It determines the additional time for a file. */
const minBytesPerMs = 50;

/** The maximum number of 429 responses to one call. Other programs with the same credential can use up the limit. */
const maxRefusals = 100;

/** Returns the address without a trailing slash. Throws for addresses that are not the root of a service. */
function serviceAddress(url: string): string {
  const shown = JSON.stringify(url);
  const hint = "Set url to an address like https://forms.example.com.";
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const isBare = typeof url === "string" && !/^[a-z]+:\/\//i.test(url);
    const fault = isBare ? "has no scheme such as https://" : "is not an http or https address";
    throw new TypeError(`The url ${shown} ${fault}. ${hint}`);
  }
  const address = new URL(url);
  if (/\/api\/v1\/*$/.test(address.pathname)) {
    throw new TypeError(`The url ${shown} ends in /api/v1, which the client adds. ${hint}`);
  }
  if (address.search !== "" || address.hash !== "") {
    throw new TypeError(`The url ${shown} has a query or a fragment. ${hint}`);
  }
  return address.href.replace(/\/+$/, "");
}

/** Rejects an empty ETag, for example of an unset variable, because the write would apply to any version. */
export function assertTag(name: string, tag: string | null | undefined): void {
  if (tag === null || tag === undefined || tag.trim() !== "") return;
  throw new TypeError(`${name} is empty. Send an ETag, or omit it to write to any version.`);
}

/** Sends requests and retries them as often as is safe. */
export class Transport {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  readonly #lanes: Lanes;
  readonly #bearer: Bearer;
  readonly #retries: number;
  readonly #timeout: number;
  readonly #longestWait: number;

  constructor(options: Options) {
    const { url, retries = 6, timeout = 30_000, longestWait = 120_000, concurrency = 8 } = options;
    for (const [name, value] of Object.entries({ retries, timeout, longestWait, concurrency })) {
      const minimum = name === "timeout" || name === "concurrency" ? 1 : 0;
      if (!(value >= minimum))
        throw new RangeError(`${name} is ${value}. The minimum is ${minimum}.`);
    }
    if (!("token" in options ? options.token : options.credentials)) {
      throw new TypeError("Set a token, or the credentials of an API client.");
    }
    this.#url = serviceAddress(url);
    // Browsers and Workers reject a `fetch` that is called as a method of another object.
    this.#fetch = options.fetch ?? ((...args) => fetch(...args));
    this.#lanes = new Lanes(concurrency);
    this.#retries = retries;
    this.#timeout = timeout;
    this.#longestWait = longestWait;
    this.#bearer = new Bearer(options, (init) => this.#exchange(init));
  }

  async send(request: Sent): Promise<Received> {
    const { url, init } = this.#request(request);
    let token = await this.#bearer.current(request.signal);
    const history = { failures: 0, refusals: 0 };
    const runOnce = () => {
      init.headers.set("Authorization", `Bearer ${token}`);
      return this.#runInLane(request, url, init);
    };
    try {
      return await this.#retry(request, runOnce, history);
    } catch (error) {
      // The service does nothing for a rejected token. An access token may have expired or been revoked in transit.
      const isUnauthorized = error instanceof EdgeFormsError && error.status === 401;
      if (!isUnauthorized || !this.#bearer.renewable(token)) throw error;
      token = await this.#bearer.current(request.signal);
      return this.#retry(request, runOnce, history);
    }
  }

  #request({ method, path, query = {}, body, content, headers }: Sent) {
    const url = new URL(`${this.#url}/api/v1${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const init = { method, headers: new Headers(headers) };
    assertTag("If-Match", init.headers.get("If-Match"));
    if (!init.headers.has("Accept")) init.headers.set("Accept", "application/json");
    if (content) return { url: url.href, init: { ...init, body: content } };
    if (body === undefined) return { url: url.href, init };
    init.headers.set("Content-Type", "application/json");
    return { url: url.href, init: { ...init, body: JSON.stringify(body) } };
  }

  /** Requests an access token. The request stores nothing, so retries are safe. */
  #exchange(init: RequestInit): Promise<Reply> {
    const limits = { timeout: this.#timeout };
    return this.#retry({ lane: "read", safe: true }, () =>
      attempt(this.#fetch, `${this.#url}/oauth/token`, init, limits),
    );
  }

  /** Waits until the lane is open and a slot is free. Another response may have paused the lane during the wait. */
  async #runInLane(
    { lane, carriedBytes = 0, isBinary, signal }: Sent,
    url: string,
    init: RequestInit,
  ): Promise<Reply> {
    const timeout = this.#timeout + carriedBytes / minBytesPerMs;
    const limits: Limits = { timeout, isBinary, signal };
    const runAttempt = async () =>
      this.#lanes.held(lane) > 0 ? undefined : attempt(this.#fetch, url, init, limits);
    for (;;) {
      await this.#lanes.open(lane, signal);
      const reply = await this.#lanes.run(runAttempt, signal);
      if (!reply) continue;
      this.#applyRateLimit(reply.headers.get("RateLimit"));
      return reply;
    }
  }

  /** Pauses lanes whose limit is used up. In `"default";r=599;t=12, "write";r=0;t=3`, writes are paused for 3 seconds. */
  #applyRateLimit(header: string | null): void {
    for (const [, name, seconds] of (header ?? "").matchAll(/"(\w+)";r=0;t=(\d+)/g)) {
      const wait = Math.min(Number(seconds) * 1000, this.#longestWait);
      this.#lanes.hold("write", wait);
      if (name === "default") this.#lanes.hold("read", wait);
    }
  }

  async #retry(
    policy: RetryPolicy,
    runOnce: () => Promise<Reply>,
    history = { failures: 0, refusals: 0 },
  ): Promise<Received> {
    for (;;) {
      try {
        return { ...(await runOnce()), doubtful: history.failures > 0 };
      } catch (error) {
        if (!(error instanceof EdgeFormsError)) throw error;
        error.doubtful ||= history.failures > 0 || isDoubtful(error);
        await this.#waitOrThrow(policy, history, error);
      }
    }
  }

  /** Waits until the next attempt, or throws an error that a retry cannot fix. */
  async #waitOrThrow(
    { lane, safe, signal }: RetryPolicy,
    history: { failures: number; refusals: number },
    error: EdgeFormsError,
  ): Promise<void> {
    const wait = waitBefore(error, history.failures);
    if ((error.retryAfter ?? 0) * 1000 > this.#longestWait) throw error;
    if (didNothing(error)) {
      history.refusals += 1;
      if (history.refusals > maxRefusals) throw error;
      if (error.status === 429) this.#lanes.hold(lane, wait);
    } else {
      if (!isDoubtful(error) || !safe || history.failures >= this.#retries) throw error;
      history.failures += 1;
    }
    await sleep(wait, signal);
  }
}
