import type { Random } from "../soak/random.ts";
import {
  codeOf,
  normalize,
  type CollectionKey,
  type Effect,
  type History,
  type State,
  type Values,
  type Write,
} from "./history.ts";
import type { Step } from "./plan.ts";
import { collections, seatCount } from "./definitions.ts";
import {
  newCredential,
  smallLimits,
  type Answer,
  type Json,
  type Template,
  type World,
} from "./world.ts";

/** The credential of each client. Two of them share one, and the last one has small limits. */
const credentialOf = [0, 0, 1, 1, 0, 3, smallLimits.credential];
const codes = ["x1", "x2", "x3", "x4"];
/** How long an object may believe an old credential when its change could not be pushed, and how far clocks differ. */
const healsAfterMs = 65_000;

/** A create or batch that a client may send again with its key. */
interface Keyed {
  credential: number;
  path: string;
  key: string;
  body: object;
  write: Write;
  /** Shared by all that use the key: what the first response said. */
  first: { result: Json; once: Write["once"] };
}

/** When something began to end, and when it had surely ended. */
interface End {
  endingSince: number;
  endedAt: number;
}

interface Guest extends End {
  id: string;
  tokens: (End & { token: string })[];
  isNarrowedSince: number;
  narrowingSince: number;
  /** Whether a restore has undone what was known of it. */
  isForgotten: boolean;
  /** Changes of one credential do not overlap, so that it is known what each of them ended. */
  isChanging: boolean;
}

interface Walk {
  next: string | null;
  collection: CollectionKey;
  lastNumber: number;
  from: number;
}

interface Reader {
  cursor: string;
  position: number;
  limit: number;
  /** Whether a restore has undone its position. */
  isExpired: boolean;
}

/** All clients, with what each of them knows. Every method plays one step and judges what it observes. */
export class Clients {
  readonly #world: World;
  readonly #history: History;
  readonly #template: Template;
  readonly #keyed: Keyed[] = [];
  readonly #guests: Guest[] = [];
  readonly #walks = new Map<number, Walk>();
  readonly #readers = new Map<string, Reader>();
  /** The newest commit of each credential that it knows of. Its reads must not be older. */
  readonly #own = [0, 0, 0, 0];
  #requests = 0;

  constructor(world: World, history: History, template: Template) {
    this.#world = world;
    this.#history = history;
    this.#template = template;
  }

  async play(step: Step): Promise<void> {
    const random = this.#world.scheduler.activity.random;
    const play = (
      this as unknown as Record<string, (step: Step, random: Random) => Promise<unknown>>
    )[step.kind];
    await play?.call(this, step, random);
  }

  async #send(
    step: Step,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    credential = credentialOf[step.client] ?? 0,
  ) {
    const { random } = this.#world.scheduler.activity;
    const authorization = path.startsWith("/admin")
      ? { Cookie: this.#template.cookie }
      : { Authorization: `Bearer ${this.#template.credentials[credential]?.token}` };
    const started = this.#world.db.version;
    const startedAt = this.#world.scheduler.now;
    const answer = await this.#world.request(
      random.int(0, 3),
      {
        method,
        path: path.startsWith("/") || path.startsWith("https:") ? path : `/api/v1/${path}`,
        body,
        headers: { ...authorization, ...headers },
      },
      step.patienceMs,
    );
    if (answer !== "lost" && (answer.status === 500 || answer.status > 503)) {
      this.#history.wrong(
        `${method} ${path} returned ${answer.status} ${answer.text.slice(0, 300)}`,
      );
    }
    return { answer, started, startedAt, ended: this.#world.db.version };
  }

  /** The database goes back to a commit. What clients know of the time after it is no longer true. */
  restore(commit: number): void {
    this.#history.restore(commit);
    this.#walks.clear();
    for (const [key, reader] of this.#readers) {
      if (reader.cursor === "") this.#readers.delete(key);
      reader.isExpired = true;
    }
    for (const { first } of this.#keyed) if (first.once.commit === null) first.result = undefined;
    for (const [index, own] of this.#own.entries()) this.#own[index] = Math.min(own, commit);
    const { now } = this.#world.scheduler;
    // The database decides what the others may do now.
    const unknown = this.#guests.filter(
      ({ id }) => this.#world.home.select("select 1 from credential where id = ?", id).length === 0,
    );
    for (const guest of this.#guests) guest.isForgotten = !unknown.includes(guest);
    this.#guests.splice(0, Infinity, ...unknown);
    for (const guest of unknown) Object.assign(guest, { endedAt: now, endingSince: 0 });
  }

  #nextRequest(): string {
    this.#requests += 1;
    return `r${this.#requests}`;
  }

  #write(
    step: Step,
    description: string,
    collection: CollectionKey,
    effects: Effect[],
    once: Write["once"] = { commit: null },
    credential = credentialOf[step.client] ?? 0,
  ): Write {
    const actor = `credential:${this.#template.credentials[credential]?.id}`;
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
    this.#history.writes.set(request, write);
    return write;
  }

  /** A refused write must never be committed. 503 and lost responses leave it open. */
  #settle(
    write: Write,
    answer: Answer | "lost",
    allowed: readonly number[],
    credential: number,
  ): boolean {
    if (answer === "lost" || answer.status === 503) return false;
    const isSmall = credential === smallLimits.credential;
    if (answer.status === 429 && isSmall) {
      this.#refuse(write);
      return false;
    }
    if (!allowed.includes(answer.status)) {
      this.#history.wrong(
        `${write.description} returned ${answer.status} ${answer.text.slice(0, 300)}`,
      );
    }
    if (answer.status >= 400) this.#refuse(write);
    return answer.status < 400;
  }

  #refuse(write: Write): void {
    write.isRefused = true;
    if (write.commit !== null)
      this.#history.wrong(`${write.description} was refused, but committed`);
  }

  #acknowledge(credential: number, commit: number | null): void {
    this.#own[credential] = Math.max(this.#own[credential] ?? 0, commit ?? 0);
  }

  #pickCollection(random: Random) {
    return random.pick([...collections, collections[0], collections[1]]);
  }

  #pathOf(key: CollectionKey): string {
    return key === "parcels" ? "apps/parcels/records" : `forms/${key}/submissions`;
  }

  #itemPath(key: CollectionKey, id: string): string {
    return key === "parcels" ? `apps/parcels/records/${id}` : `submissions/${id}`;
  }

  /** One of the newest items, so that clients meet. Sometimes one that is gone. */
  #pickItem(random: Random, key: CollectionKey) {
    const items = random.chance(0.05) ? this.#history.itemsOf(key) : this.#history.live(key);
    const newest = items.slice(-4);
    return newest.length > 0 ? random.pick(random.chance(0.8) ? newest : items) : undefined;
  }

  #newValues(step: Step, random: Random): Values {
    const code = random.chance(0.35) ? { code: random.pick(codes) } : {};
    const n = random.chance(0.8) ? { n: random.int(0, 3) } : {};
    return {
      title: `t${step.number}.${this.#requests}`,
      ...n,
      ...code,
      kind: random.pick(["red", "green", "blue"]),
    };
  }

  async create(step: Step, random: Random): Promise<void> {
    const { key } = this.#pickCollection(random);
    const data = this.#newValues(step, random);
    const isDraft = key !== "parcels" && random.chance(0.15);
    const status = key === "parcels" ? null : isDraft ? "draft" : "submitted";
    const body = { ...(isDraft ? { status } : {}), data };
    const credential = credentialOf[step.client] ?? 0;
    const path = this.#pathOf(key);
    const hasKey = random.chance(0.7);
    const first = this.#firstWith(credential, path, step, hasKey);
    const write = this.#write(
      step,
      `create ${JSON.stringify(data)} in ${key}`,
      key,
      [createEffect(data, status)],
      first.once,
    );
    const keyed: Keyed = { credential, path, key: keyOf(step), body, write, first };
    if (hasKey) this.#keyed.push(keyed);
    await this.#sendCreate(step, keyed, write, hasKey);
  }

  /** What has been known of a key. Neighbouring steps use the same ones, by chance with other contents or callers. */
  #firstWith(credential: number, path: string, step: Step, hasKey: boolean): Keyed["first"] {
    const key = keyOf(step);
    const same = this.#keyed.find(
      (keyed) => keyed.credential === credential && keyed.path === path && keyed.key === key,
    );
    return (hasKey && same?.first) || { result: undefined, once: { commit: null } };
  }

  async #sendCreate(step: Step, keyed: Keyed, write: Write, hasKey: boolean): Promise<void> {
    const { collection } = write;
    const data = (keyed.body as { data?: Values }).data ?? {};
    const headers = {
      "X-Request-Id": write.request,
      ...(hasKey ? { "Idempotency-Key": keyed.key } : {}),
    };
    const { answer, started, ended } = await this.#send(
      step,
      "POST",
      keyed.path,
      keyed.body,
      headers,
      keyed.credential,
    );
    if (answer === "lost") return;
    if (!this.#settle(write, answer, [201, 409], keyed.credential)) {
      if (answer.status === 409) this.#judgeConflict(write, answer, data, started, ended);
      return;
    }
    const { commit } = write.once;
    if (commit === null) {
      this.#history.wrong(`${write.description} was answered 201, but is not stored`);
      return;
    }
    if (keyed.first.result && keyed.first.result.id !== answer.body.id) {
      this.#history.wrong(
        `${write.description} returned ${answer.body.id} and ${keyed.first.result.id} for one key`,
      );
    }
    const isReplay = answer.headers.get("Idempotent-Replayed") === "true";
    if (isReplay === (write.commit !== null))
      this.#history.wrong(`${write.description}: Idempotent-Replayed is ${isReplay}`);
    keyed.first.result = answer.body;
    this.#history.match(answer.body, write.description);
    this.#acknowledge(keyed.credential, commit);
    if (!this.#history.items.has(answer.body.id))
      this.#history.wrong(`${collection} lacks ${answer.body.id}`);
  }

  #judgeConflict(
    write: Write,
    { body }: Answer,
    data: Values,
    from: number,
    until: number,
    except?: string,
  ): void {
    const history = this.#history;
    if (body.code === "duplicate") {
      if (!history.hadCode(write.collection, data["code"], from, until, except)) {
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

  /** Sends a create or a batch again, as a client does that got no answer, or two at once. */
  async retry(step: Step, random: Random): Promise<void> {
    const recent = this.#keyed.slice(-6);
    if (recent.length === 0) return;
    const keyed = random.pick(recent);
    const { write: first } = keyed;
    const again = () =>
      this.#write(
        step,
        `again: ${first.description}`,
        first.collection,
        first.effects,
        first.once,
        keyed.credential,
      );
    const attempts = Array.from({ length: random.chance(0.3) ? 2 : 1 }, again);
    await Promise.all(
      attempts.map((write) =>
        "operations" in keyed.body
          ? this.#sendBatch(step, keyed, write)
          : this.#sendCreate(step, keyed, write, true),
      ),
    );
  }

  async update(step: Step, random: Random): Promise<void> {
    const { key } = this.#pickCollection(random);
    const item = this.#pickItem(random, key);
    if (!item) return;
    const field = step.client % 2 === 0 ? "a" : "b";
    const data: Values = random.chance(0.25)
      ? { code: random.pick([...codes, null]) }
      : { [field]: random.int(0, 9) };
    const known = item.states.at(-1);
    const version = random.chance(0.4) && known ? known.version : null;
    await this.#patch(step, key, item.id, data, undefined, version);
  }

  async #patch(
    step: Step,
    key: CollectionKey,
    id: string,
    data: Values,
    status: string | undefined,
    version: number | null,
  ): Promise<void> {
    const credential = credentialOf[step.client] ?? 0;
    const description = `update ${id} ${JSON.stringify({ data, status, version })}`;
    const write = this.#write(step, description, key, [updateEffect(id, data, status, version)]);
    const headers = {
      "X-Request-Id": write.request,
      ...(version === null ? {} : { "If-Match": `"${version}"` }),
    };
    const body = status === undefined ? { data } : { data, status };
    const { answer, started, ended } = await this.#send(
      step,
      "PATCH",
      this.#itemPath(key, id),
      body,
      headers,
    );
    if (answer === "lost") return;
    const isStored = this.#settle(
      write,
      answer,
      [200, 404, 409, 412, ...(status ? [422] : [])],
      credential,
    );
    const states = this.#history.states(id, started, ended);
    if (isStored) this.#judgeUpdate(write, answer, states, data, credential);
    else if (answer.status === 404 && !isGone(this.#history.items.get(id)?.states, ended)) {
      this.#history.wrong(`${description} returned 404, but the item exists`);
    } else if (answer.status === 412 && !states.some((state) => state.version !== version)) {
      this.#history.wrong(`${description} returned 412, but the version is right`);
    } else if (answer.status === 409 && answer.body.code === "submission_closed") {
      if (!states.some((state) => state.status === "closed"))
        this.#history.wrong(`${description}: it is not closed`);
    } else if (answer.status === 409) this.#judgeConflict(write, answer, data, started, ended, id);
  }

  #judgeUpdate(
    write: Write,
    { body }: Answer,
    states: State[],
    data: Values,
    credential: number,
  ): void {
    this.#history.match(body, write.description);
    if (write.commit === null) {
      const isUnchanged = (state: State) =>
        state.version === body.version &&
        Object.entries(data).every(([name, value]) => (state.values[name] ?? null) === value);
      if (!states.some((state) => isUnchanged(state)))
        this.#history.wrong(`${write.description} was answered 200, but is not stored`);
      return;
    }
    const own = this.#history.items.get(body.id)?.states.find(({ from }) => from === write.commit);
    if (own?.version !== body.version)
      this.#history.wrong(
        `${write.description} returned version ${body.version}, stored ${own?.version}`,
      );
    this.#acknowledge(credential, write.commit);
  }

  async increment(step: Step, random: Random): Promise<void> {
    const { key } = this.#pickCollection(random);
    const item = this.#pickItem(random, key);
    if (!item) return;
    const write = this.#write(step, `increment n of ${item.id}`, key, [incrementEffect(item.id)]);
    const body = { data: { n: { $increment: 1 } } };
    const { answer, ended } = await this.#send(step, "PATCH", this.#itemPath(key, item.id), body, {
      "X-Request-Id": write.request,
    });
    const credential = credentialOf[step.client] ?? 0;
    if (answer === "lost") return;
    if (!this.#settle(write, answer, [200, 404, 409], credential)) {
      if (answer.status === 404 && !isGone(item.states, ended))
        this.#history.wrong(`${write.description} returned 404`);
      return;
    }
    if (write.commit === null)
      this.#history.wrong(`${write.description} was answered 200, but is not stored`);
    this.#history.match(answer.body, write.description);
    this.#acknowledge(credential, write.commit);
  }

  async upsert(step: Step, random: Random): Promise<void> {
    const { key } = random.pick(collections.slice(0, 2));
    const data = { title: `u${step.number}`, code: random.pick(codes), n: random.int(0, 3) };
    const effects = [upsertEffect(data, key === "parcels" ? null : "submitted")];
    await this.#batch(step, random, key, [{ op: "upsert", by: "code", data }], effects);
  }

  async batch(step: Step, random: Random): Promise<void> {
    const { key } = this.#pickCollection(random);
    const operations: object[] = [];
    const effects: Effect[] = [];
    for (const item of random.some(this.#history.live(key).slice(-5), 2, 0)) {
      operations.push({ op: "update", id: item.id, data: { n: { $increment: 1 } } });
      effects.push(incrementEffect(item.id));
    }
    for (let count = random.int(1, 3); count > 0; count -= 1) {
      const data = { ...this.#newValues(step, random), title: `b${step.number}.${count}` };
      operations.push({ op: "create", data });
      effects.push(createEffect(data, key === "parcels" ? null : "submitted"));
    }
    await this.#batch(step, random, key, operations, effects);
  }

  async #batch(
    step: Step,
    random: Random,
    key: CollectionKey,
    operations: object[],
    effects: Effect[],
  ): Promise<void> {
    const credential = credentialOf[step.client] ?? 0;
    const path = `${this.#pathOf(key)}/batch`;
    const hasKey = random.chance(0.7);
    const first = this.#firstWith(credential, path, step, hasKey);
    const write = this.#write(
      step,
      `batch ${JSON.stringify(operations)} in ${key}`,
      key,
      effects,
      first.once,
    );
    const keyed: Keyed = { credential, path, key: keyOf(step), body: { operations }, write, first };
    if (hasKey) this.#keyed.push(keyed);
    await this.#sendBatch(step, keyed, write);
  }

  async #sendBatch(step: Step, keyed: Keyed, write: Write): Promise<void> {
    const headers = {
      "X-Request-Id": write.request,
      ...(this.#keyed.includes(keyed) ? { "Idempotency-Key": keyed.key } : {}),
    };
    const { answer } = await this.#send(
      step,
      "POST",
      keyed.path,
      keyed.body,
      headers,
      keyed.credential,
    );
    if (answer === "lost" || !this.#settle(write, answer, [200, 404, 409], keyed.credential))
      return;
    const outcomes = answer.body.results.map(({ id, outcome }: Json) => [id, outcome]);
    const isChanged = outcomes.some(([, outcome]: Json) => outcome !== "unchanged");
    if (isChanged && write.once.commit === null)
      this.#history.wrong(`${write.description} was answered 200, but is not stored`);
    const { result } = keyed.first;
    if (result && JSON.stringify(result) !== JSON.stringify(outcomes)) {
      this.#history.wrong(
        `${write.description} returned ${JSON.stringify(outcomes)} and ${JSON.stringify(result)} for one key`,
      );
    }
    if (this.#keyed.includes(keyed)) keyed.first.result = outcomes;
    this.#acknowledge(keyed.credential, write.once.commit);
  }

  async remove(step: Step, random: Random): Promise<void> {
    const { key } = random.pick(collections.slice(1));
    const item = this.#pickItem(random, key);
    if (!item) return;
    const { id } = item;
    const write = this.#write(step, `delete ${id}`, key, [
      (before, after) => (after.isDeleted && before ? null : "no deletion"),
    ]);
    const { answer, ended } = await this.#send(step, "DELETE", this.#itemPath(key, id), undefined, {
      "X-Request-Id": write.request,
    });
    const credential = credentialOf[step.client] ?? 0;
    if (answer === "lost") return;
    if (this.#settle(write, answer, [204, 404, 409], credential)) {
      if (write.commit === null)
        this.#history.wrong(`${write.description} was answered 204, but it is there`);
      this.#acknowledge(credential, write.commit);
    } else if (answer.status === 404 && !isGone(item.states, ended)) {
      this.#history.wrong(`${write.description} returned 404, but it exists`);
    }
  }

  async status(step: Step, random: Random): Promise<void> {
    const { key } = random.pick(collections.slice(1));
    const item = this.#pickItem(random, key);
    if (!item) return;
    const now = item.states.at(-1)?.status;
    await this.#patch(step, key, item.id, {}, now === "draft" ? "submitted" : "closed", null);
  }

  async read(step: Step, random: Random): Promise<void> {
    const { key } = this.#pickCollection(random);
    const item = this.#pickItem(random, key);
    if (!item) return;
    const credential = credentialOf[step.client] ?? 0;
    const own = this.#own[credential] ?? 0;
    const isStrong = random.chance(0.4);
    const headers: Record<string, string> = isStrong ? { "Cache-Control": "no-cache" } : {};
    const { answer, started, ended } = await this.#send(
      step,
      "GET",
      this.#itemPath(key, item.id),
      undefined,
      headers,
    );
    if (!this.#isRead(answer, credential, [200, 404], `GET ${item.id}`)) return;
    if (answer.status === 404) {
      if (!isGone(item.states, ended))
        this.#history.wrong(`GET ${item.id} returned 404, but it exists`);
      return;
    }
    const state = this.#history.match(answer.body, `step ${step.number} GET ${item.id}`);
    const oldest = isStrong ? started : own;
    if (state && state.until <= oldest) {
      const whose = isStrong ? "the newest version" : "its own write";
      this.#history.wrong(
        `step ${step.number} GET ${item.id} shows version ${state.version}, which is older than ${whose}`,
      );
    }
  }

  #isRead(
    answer: Answer | "lost",
    credential: number,
    allowed: number[],
    what: string,
  ): answer is Answer {
    if (answer === "lost" || answer.status === 503) return false;
    if (answer.status === 429 && credential === smallLimits.credential) return false;
    if (allowed.includes(answer.status)) return true;
    this.#history.wrong(`${what} returned ${answer.status} ${answer.text.slice(0, 300)}`);
    return false;
  }

  async search(step: Step, random: Random): Promise<void> {
    const { key } = this.#pickCollection(random);
    const credential = credentialOf[step.client] ?? 0;
    const own = this.#own[credential] ?? 0;
    const [field, value] = random.pick([
      ["n", random.int(0, 4)],
      ["code", random.pick(codes)],
      ["kind", "red"],
    ] as const);
    const body = { conditions: [{ field, op: "eq", value }], limit: 200 };
    const what = `step ${step.number} search ${key} for ${field} = ${value}`;
    const { answer, ended } = await this.#send(step, "POST", `${this.#pathOf(key)}/search`, body);
    if (!this.#isRead(answer, credential, [200, 409, 422], what)) return;
    if (answer.status === 200 && answer.body.links.next === null) {
      this.#explain(
        what,
        key,
        answer.body.items,
        own,
        ended,
        (state) => (state.values[field] ?? null) === value,
      );
    } else if (answer.status === 409 && answer.body.code !== "indexing")
      this.#history.wrong(`${what}: ${answer.text}`);
  }

  /** Finds one moment at which exactly these items matched. It is at least as new as `oldest`. */
  #explain(
    what: string,
    key: CollectionKey,
    documents: Json[],
    oldest: number,
    newest: number,
    matches: (state: State, number: number) => boolean,
  ): number {
    let from = oldest;
    let until = newest;
    const shown = new Set<string>();
    for (const document of documents) {
      const state = this.#history.match(document, what);
      if (!state) return from;
      from = Math.max(from, state.from);
      until = Math.min(until, state.until - 1);
      shown.add(document.id);
    }
    if (from > until) {
      this.#history.wrong(
        `${what} shows items of different moments, or older ones than its own writes`,
      );
      return from;
    }
    // Looks at each moment at which something about the missing items changes.
    const others = this.#history.itemsOf(key).filter(({ id }) => !shown.has(id));
    const moments = [
      from,
      ...others.flatMap(({ states }) => states.flatMap((state) => [state.from, state.until])),
    ]
      .filter((moment) => moment >= from && moment <= until)
      .toSorted((a, b) => a - b);
    const isComplete = (moment: number) =>
      !others.some(({ states, number }) =>
        states.some(
          (state) =>
            state.from <= moment &&
            state.until > moment &&
            !state.isDeleted &&
            matches(state, number),
        ),
      );
    const moment = moments.find((candidate) => isComplete(candidate));
    if (moment === undefined) {
      const missing = others.filter(({ states, number }) =>
        states.some(
          (state) =>
            !state.isDeleted && matches(state, number) && state.until > from && state.from <= until,
        ),
      );
      this.#history.wrong(
        `${what} lacks ${missing.map(({ id }) => id).join()} at every moment from ${from} to ${until}`,
      );
    }
    return moment ?? from;
  }

  /** Reads one page of a list, and goes on from there the next time. */
  async walk(step: Step, random: Random): Promise<void> {
    const credential = credentialOf[step.client] ?? 0;
    const { key } = this.#pickCollection(random);
    const started: Walk = {
      next: `${this.#pathOf(key)}?limit=${random.int(1, 6)}`,
      collection: key,
      lastNumber: 0,
      from: 0,
    };
    const walk = this.#walks.get(step.client) ?? started;
    this.#walks.set(step.client, walk);
    if (walk.next === null) return;
    const what = `step ${step.number} list ${walk.next.slice(0, 60)}`;
    const oldest = Math.max(walk.from, this.#own[credential] ?? 0);
    const { answer, ended } = await this.#send(step, "GET", walk.next);
    if (!this.#isRead(answer, credential, [200], what)) return;
    const { items, links } = answer.body;
    const numbers = items.map(
      ({ id }: Json) => this.#history.items.get(id)?.number ?? 0,
    ) as number[];
    const last = links.next === null ? Infinity : (numbers.at(-1) ?? walk.lastNumber);
    if (numbers.some((number, index) => number <= (numbers[index - 1] ?? walk.lastNumber))) {
      this.#history.wrong(`${what} goes back: ${numbers.join()} after ${walk.lastNumber}`);
    }
    const { lastNumber } = walk;
    walk.from = this.#explain(
      what,
      walk.collection,
      items,
      oldest,
      ended,
      (_, number) => number > lastNumber && number <= last,
    );
    walk.lastNumber = numbers.at(-1) ?? lastNumber;
    walk.next = links.next;
    if (links.next === null) this.#walks.delete(step.client);
  }

  /** Reads the next page of a changes feed. */
  async feed(step: Step, random: Random): Promise<void> {
    const { key } = this.#pickCollection(random);
    await this.readFeed(step, key, random.int(1, 8));
  }

  async readFeed(step: Step, key: CollectionKey, firstLimit: number): Promise<boolean> {
    const credential = credentialOf[step.client] ?? 0;
    const readerKey = `${step.client} ${key}`;
    const reader = this.#readers.get(readerKey) ?? {
      cursor: "",
      position: 0,
      limit: firstLimit,
      isExpired: false,
    };
    const { limit } = reader;
    const path = `${key === "parcels" ? "apps" : "forms"}/${key}/changes?all=true&limit=${limit}`;
    const own = this.#own[credential] ?? 0;
    const { answer } = await this.#send(step, "GET", reader.cursor || path);
    const what = `step ${step.number} feed of ${key}`;
    if (!this.#isRead(answer, credential, reader.isExpired ? [410] : [200], what)) return false;
    if (reader.isExpired) {
      this.#readers.delete(readerKey);
      return true;
    }
    const changes = this.#history.changes.get(key) ?? [];
    for (const entry of answer.body.items) {
      const expected = changes[reader.position];
      if (entry.id !== expected?.id || entry.version !== expected?.version) {
        this.#history.wrong(
          `${what} shows ${entry.id} version ${entry.version}, expected ${expected?.id} version ${expected?.version}`,
        );
        return false;
      }
      if (entry.item) this.#history.match(entry.item, what);
      reader.position += 1;
    }
    const missed = changes[reader.position];
    if (answer.body.items.length < limit && missed && missed.commit <= own) {
      this.#history.wrong(
        `${what} ends before ${missed.id} version ${missed.version}, a write of its own credential`,
      );
    }
    reader.cursor = answer.body.links.next;
    this.#readers.set(readerKey, reader);
    return answer.body.items.length === limit;
  }

  /** Sends more than the limits allow, at once. */
  async burst(step: Step, random: Random): Promise<void> {
    const calls = Array.from({ length: smallLimits.requests + 3 }, async () => {
      const { answer } = await this.#send(step, "GET", "me", undefined, {}, smallLimits.credential);
      this.#isRead(answer, smallLimits.credential, [200], "GET /me");
    });
    const data = { title: `w${step.number}`, n: random.int(0, 3) };
    const effect = createEffect(data, "submitted");
    const writes = Array.from({ length: smallLimits.writes + 1 }, async () => {
      const write = this.#write(
        step,
        `burst create`,
        "visits",
        [effect],
        { commit: null },
        smallLimits.credential,
      );
      const { answer } = await this.#send(
        step,
        "POST",
        this.#pathOf("visits"),
        { data },
        { "X-Request-Id": write.request },
        smallLimits.credential,
      );
      if (this.#settle(write, answer, [201], smallLimits.credential))
        this.#acknowledge(smallLimits.credential, write.commit);
    });
    await Promise.all(random.chance(0.5) ? calls : writes);
  }

  async adminUpdate(step: Step, random: Random): Promise<void> {
    const { key, kind } = this.#pickCollection(random);
    const item = this.#pickItem(random, key);
    if (!item) return;
    const data = { a: random.int(10, 19) };
    const write = this.#write(step, `a member updates ${item.id} ${JSON.stringify(data)}`, key, [
      updateEffect(item.id, data, undefined, null),
    ]);
    write.actor = "member:01JMEMBER";
    const { answer } = await this.#send(
      step,
      "POST",
      `/admin/${kind}s/${key}/items/${item.id}`,
      { data },
      { "X-Request-Id": write.request },
    );
    this.#settle(write, answer, [200, 204, 303, 404, 409], 0);
  }

  async issue(step: Step): Promise<void> {
    const { answer } = await this.#send(
      step,
      "POST",
      "/admin/integrations",
      newCredential({ requests: 100_000, writes: 100_000 }),
    );
    if (answer === "lost" || answer.status !== 201) return;
    const { id, token } = answer.body;
    this.#guests.push({
      id,
      tokens: [{ token, endedAt: Infinity, endingSince: Infinity }],
      endedAt: Infinity,
      endingSince: Infinity,
      isNarrowedSince: Infinity,
      narrowingSince: Infinity,
      isForgotten: false,
      isChanging: false,
    });
  }

  /** A credential with a token that may still be in use, and nobody else changes. */
  #pickGuest(random: Random): Guest | undefined {
    const guests = this.#guests.filter(
      ({ tokens, endingSince, isChanging }) =>
        !isChanging && endingSince === Infinity && tokens.at(-1)?.endingSince === Infinity,
    );
    return guests.length > 0 ? random.pick(guests) : undefined;
  }

  async revoke(step: Step, random: Random): Promise<void> {
    const guest = this.#pickGuest(random);
    if (!guest) return;
    await this.#whileInUse(step, random, guest, async () => {
      guest.endingSince = Math.min(guest.endingSince, this.#world.scheduler.now);
      await this.#end(
        step,
        guest,
        "revoke",
        {},
        [guest],
        "select revoked_at as done from credential where id = ?",
      );
    });
  }

  /** Uses a credential before, while and after it changes. Its object may restart in between. */
  async #whileInUse(
    step: Step,
    random: Random,
    guest: Guest,
    change: () => Promise<void>,
  ): Promise<void> {
    guest.isChanging = true;
    const use = () => this.#useGuest(step, random, guest);
    const actor = () => this.#world.objects.actors.get(`CredentialGate:${guest.id}`);
    await use();
    const pause = (from: number, to: number) =>
      this.#world.scheduler.timer(random.int(from, to), () => true).done;
    if (random.chance(0.15)) actor()?.cut(random.int(100, 5000));
    // By then the object reads the credential again, beside the change.
    else if (random.chance(0.4)) await pause(31_000, 62_000);
    const uses = Array.from({ length: random.int(0, 2) }, use);
    await Promise.all([change(), ...uses]);
    guest.isChanging = false;
    if (random.chance(0.4)) actor()?.stop("is killed");
    await use();
    if (random.chance(0.3)) await pause(0, 80_000);
    await use();
  }

  async rotate(step: Step, random: Random): Promise<void> {
    const guest = this.#pickGuest(random);
    if (!guest) return;
    await this.#whileInUse(step, random, guest, async () => {
      const former = [...guest.tokens];
      for (const token of former)
        token.endingSince = Math.min(token.endingSince, this.#world.scheduler.now);
      const answer = await this.#end(step, guest, "rotate", { overlap: "none" }, former, "");
      // Without an answer, it may have happened, or still happen.
      if (!answer) guest.endingSince = 0;
      if (answer?.body?.token)
        guest.tokens.push({ token: answer.body.token, endedAt: Infinity, endingSince: Infinity });
    });
  }

  /** Changes a credential. When the push failed, its object learns of the change within a minute. */
  async #end(
    step: Step,
    guest: Guest,
    action: string,
    body: object,
    ending: readonly End[],
    check: string,
  ) {
    const { answer } = await this.#send(
      step,
      "POST",
      `/admin/integrations/${guest.id}/${action}`,
      body,
    );
    const { now } = this.#world.scheduler;
    const isDone = answer !== "lost" && answer.status < 300;
    const isStored =
      check !== "" &&
      this.#world.home.select<{ done: number | null }>(check, guest.id)[0]?.done != null;
    if (!isDone && !isStored) return undefined;
    for (const end of ending)
      end.endedAt = Math.min(end.endedAt, isDone ? now : now + healsAfterMs);
    return isDone ? answer : undefined;
  }

  /** Takes the right to write from a credential. */
  async narrow(step: Step, random: Random): Promise<void> {
    const guest = this.#pickGuest(random);
    if (!guest) return;
    await this.#whileInUse(step, random, guest, async () => {
      guest.narrowingSince = Math.min(guest.narrowingSince, this.#world.scheduler.now);
      const { answer } = await this.#send(step, "POST", `/admin/integrations/${guest.id}`, {
        permissions: ["records:read"],
      });
      if (answer !== "lost" && answer.status === 200)
        guest.isNarrowedSince = Math.min(guest.isNarrowedSince, this.#world.scheduler.now);
    });
  }

  /** Uses a credential that may have been revoked, rotated or narrowed. */
  async guest(step: Step, random: Random): Promise<void> {
    if (this.#guests.length === 0) return;
    await this.#useGuest(step, random, random.pick(this.#guests.slice(-3)));
  }

  async #useGuest(step: Step, random: Random, guest: Guest): Promise<void> {
    if (guest.isForgotten) return;
    const token = random.pick(guest.tokens);
    const headers = { Authorization: `Bearer ${token.token}` };
    const isWrite = random.chance(0.5);
    const data = { title: `g${step.number}` };
    const write = this.#write(step, `guest create`, "parcels", [createEffect(data, null)]);
    write.actor = `credential:${guest.id}`;
    const { answer, startedAt } = isWrite
      ? await this.#send(
          step,
          "POST",
          this.#pathOf("parcels"),
          { data },
          { ...headers, "X-Request-Id": write.request },
        )
      : await this.#send(step, "GET", "me", undefined, headers);
    if (answer === "lost" || answer.status === 503 || guest.isForgotten) return;
    const what = `step ${step.number}: the token ${guest.tokens.indexOf(token)} of ${guest.id}`;
    if (answer.status === 401) {
      if (Math.min(token.endingSince, guest.endingSince) > this.#world.scheduler.now)
        this.#history.wrong(`${what} is valid, but refused`);
      this.#refuse(write);
    } else if (startedAt >= Math.min(token.endedAt, guest.endedAt)) {
      this.#history.wrong(
        `${what} ended at ${Math.min(token.endedAt, guest.endedAt)}, but works at ${startedAt}: ${answer.status}`,
      );
    } else if (isWrite && answer.status === 403) {
      if (guest.narrowingSince > this.#world.scheduler.now)
        this.#history.wrong(`${what} may write, but is refused`);
      this.#refuse(write);
    } else if (isWrite && startedAt >= guest.isNarrowedSince) {
      this.#history.wrong(
        `${what} lost its right to write at ${guest.isNarrowedSince}, but writes at ${startedAt}: ${answer.status}`,
      );
    } else if (isWrite && answer.status !== 201)
      this.#history.wrong(`${what} got ${answer.status}`);
  }

  /** Changes a definition: its description, and whether there is another field. */
  async define(step: Step, random: Random): Promise<void> {
    const { kind, key } = this.#pickCollection(random);
    const path = `${kind}s/${key}/schema`;
    const { answer } = await this.#send(step, "GET", path, undefined, {
      "Cache-Control": "no-cache",
    });
    if (answer === "lost" || answer.status !== 200) return;
    const { fields, description: _, ...rest } = answer.body;
    const isSearchable = random.chance(0.7);
    const changed = fields
      .filter((field: Json) => field.key !== "extra")
      .map((field: Json) => (field.key === "n" ? { ...field, searchable: isSearchable } : field));
    const extra = random.chance(0.5) ? [{ key: "extra", label: "Extra", type: "text" }] : [];
    const { name, time_zone, receipt_prefix, acceptance } = rest;
    const { accepting: __, ...settings } = acceptance ?? {};
    const body = {
      name,
      time_zone,
      ...(receipt_prefix === undefined ? { acceptance: settings } : { receipt_prefix }),
      description: `d${step.number}`,
      fields: [...changed, ...extra],
    };
    const etag = answer.headers.get("ETag") ?? "";
    const condition: Record<string, string> = random.chance(0.5) ? { "If-Match": etag } : {};
    const put = await this.#send(step, "PUT", path, body, condition);
    this.#isRead(put.answer, credentialOf[step.client] ?? 0, [200, 202, 409, 412], `PUT ${path}`);
  }
}

const keyOf = (step: Step) => `k${Math.ceil(step.number / 3)}`;

const isGone = (states: State[] | undefined, until: number): boolean =>
  !states || states.length === 0 || states.some((state) => state.isDeleted && state.from <= until);

/** Values as the service stores them: with the computed field. */
function withComputed(values: Values): Values {
  const n = values["n"];
  return normalize({ ...values, twice: typeof n === "number" ? n * 2 : null });
}

const isSame = (a: Values, b: Values) => JSON.stringify(a) === JSON.stringify(b);

function createEffect(data: Values, status: string | null): Effect {
  return (before, after) => {
    if (before) return "the item existed before";
    const expected = withComputed(data);
    if (!isSame(after.values, expected))
      return `stored ${JSON.stringify(after.values)}, sent ${JSON.stringify(expected)}`;
    return after.status === status ? null : `its status is ${after.status}`;
  };
}

function updateEffect(
  id: string,
  data: Values,
  status: string | undefined,
  version: number | null,
): Effect {
  return (before, after, change) => {
    if (change.id !== id || !before) return `not ${id}`;
    if (before.status === "closed") return "the item was closed";
    if (version !== null && before.version !== version)
      return `it was at version ${before.version}, not ${version}`;
    const expected = withComputed({ ...before.values, ...data });
    if (!isSame(after.values, expected))
      return `stored ${JSON.stringify(after.values)}, expected ${JSON.stringify(expected)}`;
    return after.status === (status ?? before.status) ? null : `its status is ${after.status}`;
  };
}

function incrementEffect(id: string): Effect {
  return (before, after, change) => {
    if (change.id !== id || !before) return `not ${id}`;
    const expected = Number(before.values["n"] ?? 0) + 1;
    return after.values["n"] === expected
      ? null
      : `n went from ${before.values["n"] as string} to ${after.values["n"] as string}`;
  };
}

function upsertEffect(data: Values, status: string | null): Effect {
  return (before, after, change) => {
    if (!before) return createEffect(data, status)(before, after, change);
    if (codeOf(before) !== data["code"]) return `another item had the code`;
    const expected = withComputed({ ...before.values, ...data });
    return isSame(after.values, expected) ? null : `stored ${JSON.stringify(after.values)}`;
  };
}
