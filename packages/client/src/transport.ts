import { Bearer, type Credential } from "./access-token.ts";
import { attempt, type Limits, type Reply } from "./attempt.ts";
import { Lanes, type Lane } from "./lanes.ts";
import { EdgeFormsError } from "./problem.ts";
import { didNothing, isDoubtful, sleep, waitBefore } from "./retry.ts";

export type Options = Credential & {
  /** The service's address, without `/api/v1`. */
  url: string;
  /** Tries after a failed one: lost connections, slow answers, 5xx. Default 6. */
  retries?: number;
  /** Milliseconds in which each try has to be answered whole. Default 30,000. */
  timeout?: number;
  /** The longest Retry-After, in milliseconds, that is obeyed instead of thrown. Default 120,000. */
  longestWait?: number;
  /** Requests on their way at once. Default 8. */
  concurrency?: number;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
};

export interface Sent {
  method: string;
  /** Below `/api/v1`. */
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  lane: Lane;
  /** Whether it may be sent again when nobody knows what became of it. */
  safe: boolean;
  signal?: AbortSignal | undefined;
}

/** What came back; `doubtful` where an earlier try may have been carried out. */
export type Received = Reply & { doubtful: boolean };

type Persistence = Pick<Sent, "lane" | "safe" | "signal">;

/** How often one call may be told to wait: other programs of the same credential may be faster each time. */
const mostRefusals = 100;

/** Sends requests until they are answered, as often as is safe. */
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
      const least = name === "timeout" || name === "concurrency" ? 1 : 0;
      if (!(value >= least)) throw new RangeError(`${name} is ${value}; the least is ${least}.`);
    }
    if (!("token" in options ? options.token : options.credentials)) {
      throw new TypeError("Give a token, or the credentials of an API client.");
    }
    this.#url = new URL(url).href.replace(/\/+$/, "");
    // Browsers and Workers refuse a `fetch` that is called as a method of something else.
    this.#fetch = options.fetch ?? ((...args) => fetch(...args));
    this.#lanes = new Lanes(concurrency);
    this.#retries = retries;
    this.#timeout = timeout;
    this.#longestWait = longestWait;
    this.#bearer = new Bearer(options, (init) => this.#exchange(init));
  }

  async send(sent: Sent): Promise<Received> {
    const { url, init } = this.#request(sent);
    let token = await this.#bearer.current(sent.signal);
    const past = { failures: 0, refusals: 0 };
    const once = () => {
      init.headers.set("Authorization", `Bearer ${token}`);
      return this.#inTurn(sent, url, init);
    };
    try {
      return await this.#persist(sent, once, past);
    } catch (error) {
      // Nothing was done for a bearer that is refused; an access token may have expired or been revoked on its way.
      const refused = error instanceof EdgeFormsError && error.status === 401;
      if (!refused || !this.#bearer.renewable(token)) throw error;
      token = await this.#bearer.current(sent.signal);
      return this.#persist(sent, once, past);
    }
  }

  #request({ method, path, query = {}, body, headers }: Sent) {
    const url = new URL(`${this.#url}/api/v1${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const init = { method, headers: new Headers(headers) };
    if (!init.headers.has("Accept")) init.headers.set("Accept", "application/json");
    if (body === undefined) return { url: url.href, init };
    init.headers.set("Content-Type", "application/json");
    return { url: url.href, init: { ...init, body: JSON.stringify(body) } };
  }

  /** Stores nothing, so it may be sent again. */
  #exchange(init: RequestInit): Promise<Reply> {
    const limits = { timeout: this.#timeout };
    return this.#persist({ lane: "read", safe: true }, () =>
      attempt(this.#fetch, `${this.#url}/oauth/token`, init, limits),
    );
  }

  /** Waits for the lane and for room in it, and looks at the lane again once there is room. */
  async #inTurn({ lane, signal }: Sent, url: string, init: RequestInit): Promise<Reply> {
    const limits: Limits = { timeout: this.#timeout, signal };
    const go = async () =>
      this.#lanes.held(lane) > 0 ? undefined : attempt(this.#fetch, url, init, limits);
    for (;;) {
      await this.#lanes.open(lane, signal);
      const reply = await this.#lanes.run(go, signal);
      if (!reply) continue;
      this.#heed(reply.headers.get("RateLimit"));
      return reply;
    }
  }

  /** `"default";r=599;t=12, "write";r=0;t=3`: nothing is left of a limit for `t` seconds. */
  #heed(header: string | null): void {
    for (const [, name, seconds] of (header ?? "").matchAll(/"(\w+)";r=0;t=(\d+)/g)) {
      const wait = Math.min(Number(seconds) * 1000, this.#longestWait);
      this.#lanes.hold("write", wait);
      if (name === "default") this.#lanes.hold("read", wait);
    }
  }

  async #persist(
    sent: Persistence,
    once: () => Promise<Reply>,
    past = { failures: 0, refusals: 0 },
  ): Promise<Received> {
    for (;;) {
      try {
        return { ...(await once()), doubtful: past.failures > 0 };
      } catch (error) {
        if (!(error instanceof EdgeFormsError)) throw error;
        error.doubtful ||= past.failures > 0 || isDoubtful(error);
        await this.#wait(sent, past, error);
      }
    }
  }

  /** Waits until the next try, or throws what cannot be mended by one. */
  async #wait(
    { lane, safe, signal }: Persistence,
    past: { failures: number; refusals: number },
    error: EdgeFormsError,
  ): Promise<void> {
    const wait = waitBefore(error, past.failures);
    if ((error.retryAfter ?? 0) * 1000 > this.#longestWait) throw error;
    if (didNothing(error)) {
      past.refusals += 1;
      if (past.refusals > mostRefusals) throw error;
      if (error.status === 429) this.#lanes.hold(lane, wait);
    } else {
      if (!isDoubtful(error) || !safe || past.failures >= this.#retries) throw error;
      past.failures += 1;
    }
    await sleep(wait, signal);
  }
}
