import type { Answer } from "../support/caller.ts";
import { Figures } from "./figures.ts";
import { Difference, type Collection, type Item } from "./model.ts";
import { Random } from "./random.ts";

/** The result of a request: a response, or `lost`. */
export type Sent = Answer | "lost";

/** Stops an actor before its next request while the traffic stops. */
export class Stopped extends Error {}

export interface Credential {
  token: string;
  actor: string;
}

export interface Options {
  method: string;
  path: string;
  body?: object | undefined;
  headers?: Record<string, string>;
  by: Credential;
  /** Milliseconds after which the caller disconnects. */
  leaveAfter?: number | undefined;
}

/** A claim from a response, which the next comparison checks. */
export interface Claim {
  what: string;
  holds: () => boolean;
}

/** The shared state of all actors: the server's address, a clock, the model, and whether traffic runs. */
export class World {
  readonly url: string;
  readonly random: Random;
  readonly figures = new Figures();
  readonly collections: Collection[];
  credentials: Credential[] = [];
  claims: Claim[] = [];
  /** Whether actors must send no new requests. */
  stopping = false;
  /** Whether the server is being killed, so that responses may be missing or wrong. */
  killing = false;
  ended = false;
  #clock = 0;
  #resume: (() => void)[] = [];
  #closed = 0;

  constructor(url: string, seed: number, collections: Collection[]) {
    this.url = url;
    this.random = new Random(seed);
    this.collections = collections;
  }

  /** Advances the logical clock and returns its time. */
  now(): number {
    this.#clock += 1;
    return this.#clock;
  }

  get moment(): number {
    return this.#clock;
  }

  async untilResumed(): Promise<void> {
    while (this.stopping && !this.ended) {
      await new Promise<void>((resolve) => this.#resume.push(resolve));
    }
  }

  resume(): void {
    this.stopping = false;
    for (const resolve of this.#resume.splice(0)) resolve();
  }

  /** Sends a request of the traffic. */
  async send(kind: string, options: Options): Promise<Sent> {
    if (this.stopping) throw new Stopped();
    return this.ask(kind, options);
  }

  /** Sends a request, even while the traffic is stopped. A 500 or an unexplained lost response is a difference. */
  async ask(kind: string, options: Options): Promise<Sent> {
    const { method, path, body, headers, by, leaveAfter } = options;
    const abortSignal = leaveAfter === undefined ? undefined : AbortSignal.timeout(leaveAfter);
    const startedAt = performance.now();
    let response: Answer;
    try {
      const httpResponse = await fetch(
        path.startsWith("http") ? path : `${this.url}/api/v1${path}`,
        {
          method,
          headers: {
            Authorization: `Bearer ${by.token}`,
            ...(body ? { "Content-Type": "application/json" } : {}),
            ...headers,
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
          ...(abortSignal ? { signal: abortSignal } : {}),
        },
      );
      const text = await httpResponse.text();
      response = {
        status: httpResponse.status,
        headers: httpResponse.headers,
        text,
        body: parseJson(text),
      };
    } catch (error) {
      this.figures.count(`answers lost: ${kind}`);
      if (this.killing || abortSignal?.aborted) return "lost";
      if (isClosedAsUsed(error) && this.#closed < maxClosed) {
        this.#closed += 1;
        this.figures.count("connections closed as they were used");
        const isRead = method === "GET" || path.includes("/search");
        return isRead ? this.ask(kind, options) : "lost";
      }
      throw new Difference(`${method} ${path} was not answered: ${reason(error)}`);
    }
    const { status } = response;
    if (status >= 500 && this.killing) {
      this.figures.count(`answers lost: ${kind}`);
      return "lost";
    }
    this.figures.request(kind, performance.now() - startedAt);
    if (status >= 400) this.figures.count(`answered ${status} ${response.body?.code}`);
    if (status === 429 || (status >= 500 && response.body?.code !== "try_again")) {
      throw new Difference(`${method} ${path} ${JSON.stringify(body)}: ${status} ${response.text}`);
    }
    if (status === 503) {
      const seconds = Number(response.headers.get("Retry-After"));
      if (!(seconds > 0)) throw new Difference(`${method} ${path}: 503 without Retry-After`);
      await pause(seconds * 1000);
    }
    return response;
  }

  claim(what: string, item: Item | undefined, holds: () => boolean): void {
    item?.note(`#${this.moment} claim: ${what}`);
    this.claims.push({ what, holds });
  }
}

/** Parses JSON. Returns undefined for other text, such as NDJSON. */
function parseJson(text: string): Answer["body"] {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * On a busy machine, the server may close an idle connection just as a request reuses it (RFC 9112, section 9.5). The
 * result of the request is then unknown, as with any lost response. More such cases than this are an error.
 */
const maxClosed = 5;

function isClosedAsUsed(error: unknown): boolean {
  return error instanceof Error && /other side closed/.test(reason(error));
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message} ${error.cause instanceof Error ? error.cause.message : ""}`;
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export function unexpected(what: string, response: Answer): Difference {
  return new Difference(`${what}: ${response.status} ${response.text}`);
}
