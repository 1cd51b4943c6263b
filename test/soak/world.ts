import type { Answer } from "../../src/dev/caller.ts";
import { Figures } from "./figures.ts";
import { Difference, type Collection, type Item } from "./model.ts";
import { Random } from "./random.ts";

/** What a request can end with: an answer, or none. */
export type Sent = Answer | "lost";

/** The traffic stops: what was about to be asked is not asked. */
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
  /** Milliseconds after which the caller goes away. */
  leaveAfter?: number | undefined;
}

/** A claim that an answer made, to be proved when everything stands still. */
export interface Claim {
  what: string;
  holds: () => boolean;
}

/** What all actors share: the server's address, a clock, the model, and whether traffic runs. */
export class World {
  readonly url: string;
  readonly random: Random;
  readonly figures = new Figures();
  readonly collections: Collection[];
  credentials: Credential[] = [];
  claims: Claim[] = [];
  /** No new request of the traffic is sent. */
  stopping = false;
  /** The server is being killed: answers may be missing or wrong. */
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

  /** A moment: each is later than the one before. */
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
    for (const each of this.#resume.splice(0)) each();
  }

  /** A request of the traffic. */
  async send(kind: string, options: Options): Promise<Sent> {
    if (this.stopping) throw new Stopped();
    return this.ask(kind, options);
  }

  /** A request, whether the traffic runs or not. A 500 is a difference, and so is a lost answer for no reason. */
  async ask(kind: string, options: Options): Promise<Sent> {
    const { method, path, body, headers, by, leaveAfter } = options;
    const leaving = leaveAfter === undefined ? undefined : AbortSignal.timeout(leaveAfter);
    const started = performance.now();
    let answer: Answer;
    try {
      const response = await fetch(path.startsWith("http") ? path : `${this.url}/api/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${by.token}`,
          ...(body ? { "Content-Type": "application/json" } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        ...(leaving ? { signal: leaving } : {}),
      });
      const text = await response.text();
      answer = { status: response.status, headers: response.headers, text, body: parsed(text) };
    } catch (error) {
      this.figures.count(`answers lost: ${kind}`);
      if (this.killing || leaving?.aborted) return "lost";
      if (isClosedAsUsed(error) && this.#closed < mostClosed) {
        this.#closed += 1;
        this.figures.count("connections closed as they were used");
        const isRead = method === "GET" || path.includes("/search");
        return isRead ? this.ask(kind, options) : "lost";
      }
      throw new Difference(`${method} ${path} was not answered: ${reason(error)}`);
    }
    const { status } = answer;
    if (status >= 500 && this.killing) {
      this.figures.count(`answers lost: ${kind}`);
      return "lost";
    }
    this.figures.request(kind, performance.now() - started);
    if (status >= 400) this.figures.count(`answered ${status} ${answer.body?.code}`);
    if (status === 429 || (status >= 500 && answer.body?.code !== "try_again")) {
      throw new Difference(`${method} ${path} ${JSON.stringify(body)}: ${status} ${answer.text}`);
    }
    if (status === 503) {
      const seconds = Number(answer.headers.get("Retry-After"));
      if (!(seconds > 0)) throw new Difference(`${method} ${path}: 503 without Retry-After`);
      await pause(seconds * 1000);
    }
    return answer;
  }

  claim(what: string, item: Item | undefined, holds: () => boolean): void {
    item?.note(`#${this.moment} claim: ${what}`);
    this.claims.push({ what, holds });
  }
}

/** JSON, or the lines of NDJSON. */
function parsed(text: string): Answer["body"] {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * A connection that was kept open may be closed just as it is used again, where the machine is busy (RFC 9112, section
 * 9.5); whether what was asked was done is not known, as in any lost answer. More of them than that are a fault.
 */
const mostClosed = 5;

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

export function unexpected(what: string, answer: Answer): Difference {
  return new Difference(`${what}: ${answer.status} ${answer.text}`);
}
