import { caller, type Answer } from "../../support/caller.ts";
import { sentData } from "../../../bench/fill.ts";
import type { Random } from "../random.ts";
import { appKey, filledCode, filledId, formKey, type Form } from "./filling.ts";
import type { MovingService } from "./server.ts";

/** A response that nothing explains. */
export class Fault extends Error {}

/** What an item must be, by the acknowledged writes. */
export interface Expected {
  id: string;
  /** Items that were there before the move. */
  place?: number;
  key?: string;
  version: number;
  /** What was sent, or what differs from the filled data. */
  data: Record<string, unknown>;
  updatedAt: string;
  isDeleted: boolean;
  /** The actions of its changes. */
  changes: string[];
}

const path = `/forms/${formKey}/submissions`;
/** Writers change every fifth filled item. Readers expect the others as they were. */
const placesPerWritten = 5;
const pauseMs = 20;

export const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

interface Sent extends Answer {
  /** Whether a kill may have lost the answer of an earlier attempt. */
  isRepeated: boolean;
}

/** Clients that write, read and follow the app, and what they know of it. */
export class Traffic {
  readonly #service: MovingService;
  readonly #form: Form;
  readonly #tokens: readonly string[];
  readonly #filled: number;
  readonly items = new Map<string, Expected>();
  /** The records of the linked app: their IDs by receipt number. */
  readonly records = new Map<string, string>();
  /** The changes of each item, as the feed told them. */
  readonly fed = new Map<string, string[]>();
  /** Resolves when the service runs. */
  isUp: Promise<void> = Promise.resolve();
  #isOver = false;
  readonly counts: Record<string, number> = {};
  longestWriteMs = 0;
  longestReadMs = 0;
  #nextChanges = `/forms/${formKey}/changes?all=true&limit=100`;

  constructor(service: MovingService, form: Form, tokens: readonly string[], filled: number) {
    this.#service = service;
    this.#form = form;
    this.#tokens = tokens;
    this.#filled = filled;
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  /** Sends a request until it is answered. */
  async #send(
    client: number,
    method: string,
    url: string,
    options: { body?: object; headers?: Record<string, string> } = {},
  ): Promise<Sent> {
    const token = this.#tokens[client % this.#tokens.length] ?? "";
    let isRepeated = false;
    const isRead = method === "GET" || url.endsWith("/search");
    let startedAt = performance.now();
    for (;;) {
      const before = this.isUp;
      await before;
      if (before !== this.isUp) continue;
      try {
        const call = caller(this.#service.url, token);
        const answer = await call(method, url, options.body, options.headers);
        const isBusy = answer.status === 503 && answer.body.code === "try_again";
        if (isBusy) {
          this.#count("503 try_again");
          await pause(Number(answer.headers.get("Retry-After")) * 1000);
          continue;
        }
        if (answer.status >= 500 && before === this.isUp)
          throw new Fault(`${method} ${url}: ${answer.status} ${answer.text}`);
        if (answer.status < 500) {
          const took = performance.now() - startedAt;
          this.#count(isRead ? "reads" : "writes");
          if (isRead) this.longestReadMs = Math.max(this.longestReadMs, took);
          else this.longestWriteMs = Math.max(this.longestWriteMs, took);
          return { ...answer, isRepeated };
        }
      } catch (error) {
        if (error instanceof Fault || before === this.isUp) throw error;
      }
      this.#count("answers lost in a kill");
      isRepeated = true;
      await this.isUp;
      startedAt = performance.now();
    }
  }

  async write(writer: number, writers: number, random: Random): Promise<void> {
    const own: Expected[] = [];
    for (let round = 0; !this.#isOver; round += 1) {
      const action = random.int(0, 9);
      if (own.length < 3 || action < 4) own.push(await this.#create(writer, round));
      else if (action < 6) await this.#patch(writer, this.#pickFilled(writer, writers, random));
      else if (action < 8) await this.#patch(writer, random.pick(own));
      else if (action === 8)
        await this.#delete(writer, own.splice(random.int(0, own.length - 1), 1)[0]);
      else await this.#delete(writer, this.#pickFilled(writer, writers, random));
      if (round % 10 === 0) await this.#createRecord(writer, round);
      await pause(pauseMs);
    }
  }

  async #createRecord(writer: number, round: number): Promise<void> {
    const options = {
      body: { data: { code: `w${writer}-${round}` } },
      headers: { "Idempotency-Key": `record-${writer}-${round}` },
    };
    const { status, body, text } = await this.#send(
      writer,
      "POST",
      `/apps/${appKey}/records`,
      options,
    );
    if (status !== 201 || this.records.has(body.receipt_number))
      throw new Fault(`Create a record: ${status} ${text}`);
    this.records.set(body.receipt_number, body.id);
  }

  /** A filled item that belongs to this writer. */
  #pickFilled(writer: number, writers: number, random: Random): Expected {
    const step = placesPerWritten * writers;
    const place =
      placesPerWritten * (writer + 1) + step * random.int(0, Math.floor(this.#filled / step) - 1);
    const id = filledId(this.#form, place);
    const known = this.items.get(id);
    if (known) return known;
    const item: Expected = {
      id,
      place,
      version: 1,
      data: {},
      updatedAt: "",
      isDeleted: false,
      changes: [],
    };
    this.items.set(id, item);
    return item;
  }

  async #create(writer: number, round: number): Promise<Expected> {
    const key = `key-${writer}-${round}`;
    const data = { ...sentData(round), code: `w${writer}-${round}` };
    const options = { body: { data }, headers: { "Idempotency-Key": key } };
    const { status, body, text } = await this.#send(writer, "POST", path, options);
    if (status !== 201) throw new Fault(`Create ${key}: ${status} ${text}`);
    if (this.items.has(body.id)) throw new Fault(`Create ${key} returned the known ${body.id}`);
    const item: Expected = {
      id: body.id,
      key,
      version: 1,
      data,
      updatedAt: body.updated_at,
      isDeleted: false,
      changes: ["created"],
    };
    this.items.set(item.id, item);
    return item;
  }

  async #patch(writer: number, item: Expected): Promise<void> {
    if (item.isDeleted) return;
    const turn = item.version + 1;
    const data = { city: `Town ${turn}`, score: turn, code: `${item.id.slice(-12)}-${turn}` };
    const url = `/submissions/${item.id}`;
    const headers = { "If-Match": `"${item.version}"` };
    let answer = await this.#send(writer, "PATCH", url, { body: { data }, headers });
    if (answer.status === 412 && answer.isRepeated) answer = await this.#send(writer, "GET", url);
    const { status, body, text } = answer;
    if (status !== 200 || body.version !== turn || body.data.code !== data.code)
      throw new Fault(`Patch ${item.id} to version ${turn}: ${status} ${text}`);
    Object.assign(item.data, data);
    item.version = turn;
    item.updatedAt = body.updated_at;
    item.changes.push("updated");
  }

  async #delete(writer: number, item: Expected | undefined): Promise<void> {
    if (!item || item.isDeleted) return;
    const headers = { "If-Match": `"${item.version}"` };
    const answer = await this.#send(writer, "DELETE", `/submissions/${item.id}`, { headers });
    if (answer.status !== 204 && !(answer.status === 404 && answer.isRepeated))
      throw new Fault(`Delete ${item.id}: ${answer.status} ${answer.text}`);
    item.isDeleted = true;
    item.changes.push("deleted");
  }

  async read(reader: number, random: Random): Promise<void> {
    for (let round = 0; !this.#isOver; round += 1) {
      const place = placesPerWritten * random.int(1, this.#filled / placesPerWritten - 1) + 1;
      const code = filledCode(place);
      if (round % 3 === 2) {
        const conditions = [{ field: "code", op: "eq", value: code }];
        const found = await this.#send(reader, "POST", `${path}/search`, { body: { conditions } });
        if (found.body.items?.length !== 1 || found.body.items[0].data.code !== code)
          throw new Fault(`Search for ${code}: ${found.status} ${found.text}`);
      } else {
        const { status, body, text } = await this.#send(
          reader,
          "GET",
          `/submissions/${filledId(this.#form, place)}`,
        );
        if (status !== 200 || body.version !== 1 || body.data.code !== code)
          throw new Fault(`Get ${code}: ${status} ${text}`);
      }
      await pause(pauseMs);
    }
  }

  async follow(): Promise<void> {
    while (!this.#isOver) {
      await this.readChanges();
      await pause(500);
    }
  }

  /** Reads the feed to its end. */
  async readChanges(): Promise<void> {
    for (;;) {
      const { status, body, text } = await this.#send(0, "GET", this.#nextChanges);
      if (status !== 200) throw new Fault(`The changes: ${status} ${text}`);
      for (const { id, type, version } of body.items) {
        const known = this.fed.get(id) ?? [];
        this.fed.set(id, [...known, `${type} ${version}`]);
      }
      this.#nextChanges = String(body.links.next).replace(/^.*\/api\/v1/, "");
      if (body.items.length === 0) return;
    }
  }

  /** Repeats some creates. Returns how many. */
  async replay(): Promise<number> {
    const created = [...this.items.values()].filter(({ key }) => key !== undefined);
    const chosen = created.filter((_, index) => index % Math.ceil(created.length / 200) === 0);
    for (const { id, key = "" } of chosen) {
      const [, writer = "", round = ""] = /^key-(\d+)-(\d+)$/.exec(key) ?? [];
      const data = { ...sentData(Number(round)), code: `w${writer}-${round}` };
      const options = { body: { data }, headers: { "Idempotency-Key": key } };
      const { status, body, text } = await this.#send(Number(writer), "POST", path, options);
      if (status !== 201 || body.id !== id)
        throw new Fault(`Create ${key} again: ${status} ${text}`);
    }
    return chosen.length;
  }

  stop(): void {
    this.#isOver = true;
  }
}
