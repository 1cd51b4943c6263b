import type { Random } from "../../soak/random.ts";
import { collections, kindOf, seatCount, type CollectionKey } from "../definitions.ts";
import type { Effect, History, State, Values, Write } from "../history.ts";
import type { Step } from "../plan.ts";
import { smallLimits, type Answer, type Template, type World } from "../world.ts";

/** The credential of each client. Two clients share one, and the last one has small limits. */
const credentialOf = [0, 0, 1, 1, 0, 3, smallLimits.credential];
/** The maximum time before a response at which its request may have tried to reach the object of its credential. */
const longestResponseMs = 5000;
export const codes = ["x1", "x2", "x3", "x4"];

export const credentialOfStep = ({ client }: Step): number => credentialOf[client] ?? 0;

export const pickCollection = (random: Random) =>
  random.pick([...collections, collections[0], collections[1]]);

export const pathOf = (key: CollectionKey): string =>
  kindOf(key) === "app" ? `apps/${key}/records` : `forms/${key}/submissions`;

export const itemPath = (key: CollectionKey, id: string): string =>
  kindOf(key) === "app" ? `${pathOf(key)}/${id}` : `submissions/${id}`;

export const isGone = (states: State[] | undefined, until: number): boolean =>
  !states || states.length === 0 || states.some((state) => state.isDeleted && state.from <= until);

/** The clients of one subject. Each entry of `steps` plays one kind of step and judges the observations. */
export abstract class Subject {
  protected readonly caller: Caller;
  abstract readonly steps: Partial<Record<Step["kind"], PlayStep>>;

  constructor(caller: Caller) {
    this.caller = caller;
  }
}

export type PlayStep = (step: Step, random: Random) => Promise<unknown>;

/** A call that fails may still run this long afterwards, with some time for the responses. */
const lateCallMs = 120_000;

/** Sends requests, and judges the properties that all kinds of requests share. */
export class Caller {
  readonly world: World;
  readonly history: History;
  readonly template: Template;
  /** The newest commit that a credential knows, by database if it is known. Its reads must not be older. */
  readonly #own = new Map<string, number>();
  #requests = 0;

  constructor(world: World, history: History, template: Template) {
    this.world = world;
    this.history = history;
    this.template = template;
  }

  async send(
    step: Step,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    credential = credentialOfStep(step),
  ) {
    const { random } = this.world.scheduler.activity;
    const authorization = path.startsWith("/admin")
      ? { Cookie: this.template.cookie }
      : { Authorization: `Bearer ${this.template.credentials[credential]?.token}` };
    const started = this.world.moment;
    const startedAt = this.world.scheduler.now;
    const answer = await this.world.request(
      random.int(0, 3),
      {
        method,
        path: path.startsWith("/") || path.startsWith("https:") ? path : `/api/v1/${path}`,
        body,
        headers: { ...authorization, ...headers },
      },
      step.patienceMs,
      step.backgroundMs,
    );
    if (answer !== "lost" && (answer.status === 500 || answer.status > 503)) {
      this.history.wrong(
        `${method} ${path} returned ${answer.status} ${answer.text.slice(0, 300)}`,
      );
    }
    // A former version may fail to find a definition that a restore has removed.
    const isUnanswered = answer === "lost" || (answer.status === 503 && !answer.isFormer);
    if (step.isAfterAll && isUnanswered) {
      const outcome = answer === "lost" ? "was not answered" : `returned ${answer.text}`;
      this.history.wrong(`${method} ${path} ${outcome} although nothing disturbs the service`);
    }
    this.#judgeUndisturbed(step, method, path, answer);
    return { answer, started, startedAt, ended: this.world.moment };
  }

  /**
   * Requires that a request without faults succeeds. Moves delay requests, and changes of a credential need its object,
   * which may be cut off.
   */
  #judgeUndisturbed({ faults }: Step, method: string, path: string, answer: Answer | "lost"): void {
    const isExcused =
      faults.length > 0 || this.world.databases.size > 1 || path.startsWith("/admin/integrations");
    if (isExcused || answer === "lost" || answer.isFormer || answer.status !== 503) return;
    this.history.wrong(`${method} ${path} returned ${answer.text} although nothing disturbs it`);
  }

  #nextRequest(): string {
    this.#requests += 1;
    return `r${this.#requests}`;
  }

  write(
    step: Step,
    description: string,
    collection: CollectionKey,
    effects: Effect[],
    once: Write["once"] = { commit: null },
    credential = credentialOfStep(step),
  ): Write {
    const actor = `credential:${this.template.credentials[credential]?.id}`;
    const request = this.#nextRequest();
    const write: Write = {
      request,
      description: `step ${step.number} ${description}`,
      actor,
      collection,
      effects,
      once,
      commit: null,
      isRefused: false,
    };
    this.history.writes.set(request, write);
    return write;
  }

  /**
   * Judges the outcome of a write. A rejected write must never be committed. After 503 or a lost response, it may be.
   */
  settle(
    write: Write,
    answer: Answer | "lost",
    allowed: readonly number[],
    credential: number,
  ): boolean {
    if (answer === "lost" || answer.status === 503) return false;
    const isSmall = credential === smallLimits.credential;
    if (answer.status === 429 && isSmall) {
      this.refuse(write);
      return false;
    }
    if (!allowed.includes(answer.status)) {
      this.history.wrong(
        `${write.description} returned ${answer.status} ${answer.text.slice(0, 300)}`,
      );
    }
    if (answer.status >= 400) this.refuse(write);
    return answer.status < 400;
  }

  refuse(write: Write): void {
    write.isRefused = true;
    if (write.commit !== null)
      this.history.wrong(`${write.description} was refused, but committed`);
  }

  /** Requires the credential's later reads to include a commit. */
  acknowledge(credential: number, { collection, once }: Write): void {
    const id = this.template.credentials[credential]?.id;
    const cutUntil = this.world.objects.actors.get(`CredentialGate:${id}`)?.cutUntil ?? 0;
    // The response need not wait until the object learns about a write that was admitted without the object.
    if (cutUntil > this.world.scheduler.now - longestResponseMs) return;
    const known = this.ownMoment(credential, collection);
    this.#own.set(this.#ownKey(credential, collection), Math.max(known, once.commit ?? 0));
  }

  /** Returns the oldest moment that a credential's reads of a collection may show. */
  ownMoment(credential: number, collection: CollectionKey): number {
    return this.#own.get(this.#ownKey(credential, collection)) ?? 0;
  }

  /**
   * The knowledge of a credential about one database does not apply to another one. Linked collections share a
   * database.
   */
  #ownKey(credential: number, collection: CollectionKey): string {
    if (this.world.databases.size === 1) return `${credential}`;
    return `${credential} ${collection === "customers" ? "orders" : collection}`;
  }

  /** Restores the databases of these collections to a commit. */
  restore(commit: number, keys: ReadonlySet<CollectionKey>): void {
    this.history.restore(commit, keys);
    for (const [key, known] of this.#own) this.#own.set(key, Math.min(known, commit));
  }

  /** Picks one of the newest items, so that clients meet. Sometimes picks one that no longer exists. */
  pickItem(random: Random, key: CollectionKey) {
    const items = random.chance(0.05) ? this.history.itemsOf(key) : this.history.live(key);
    const newest = items.slice(-4);
    return newest.length > 0 ? random.pick(random.chance(0.8) ? newest : items) : undefined;
  }

  /** Whether a late call of the item's create may store it again. Only the former version allows this. */
  mayComeBack({ createdAt }: { createdAt: number }): boolean {
    return this.isMixed() && this.world.scheduler.now - createdAt < lateCallMs;
  }

  /** Whether a former version has run, or may run before a request that starts now has ended. */
  isMixed(): boolean {
    const { bundles, deployTimes, scheduler } = this.world;
    const isNear = (time: number) => time >= scheduler.now && time - scheduler.now < lateCallMs;
    return bundles.size > 1 || deployTimes.some(isNear);
  }

  isRead(
    answer: Answer | "lost",
    credential: number,
    allowed: number[],
    what: string,
  ): answer is Answer {
    if (answer === "lost" || answer.status === 503) return false;
    if (answer.status === 429 && credential === smallLimits.credential) return false;
    if (allowed.includes(answer.status)) return true;
    this.history.wrong(`${what} returned ${answer.status} ${answer.text.slice(0, 300)}`);
    return false;
  }

  newValues(step: Step, random: Random): Values {
    const code = random.chance(0.35) ? { code: random.pick(codes) } : {};
    const n = random.chance(0.8) ? { n: random.int(0, 3) } : {};
    return {
      title: `t${step.number}.${this.#requests}`,
      ...n,
      ...code,
      kind: random.pick(["red", "green", "blue"]),
    };
  }

  judgeConflict(
    write: Write,
    { body }: Answer,
    written: readonly unknown[],
    from: number,
    until: number,
    except?: string,
  ): void {
    const history = this.history;
    if (body.code === "duplicate") {
      if (!written.some((code) => history.hadCode(write.collection, code, from, until, except))) {
        history.wrong(`${write.description} is no duplicate: ${JSON.stringify(body)}`);
      }
    } else if (body.code === "submissions_closed") {
      const counts = history.counts.get(write.collection) ?? [];
      const isFull = counts.some(({ from: since, count }, index) => {
        const next = counts[index + 1]?.from ?? Infinity;
        return count >= seatCount && since <= until && next > from;
      });
      if (write.collection !== "seats" || !isFull)
        history.wrong(`${write.description}: ${write.collection} is not full`);
    } else if (body.code !== "submission_closed") {
      history.wrong(`${write.description} returned ${JSON.stringify(body)}`);
    }
  }
}
