import { alone, inParts } from "./batch.ts";
import { EdgeFormsError } from "./problem.ts";
import { sleep } from "./retry.ts";
import type { Received, Sent, Transport } from "./transport.ts";
import type {
  CallOptions,
  Change,
  Operation,
  Search,
  Shape,
  Status,
  WriteOptions,
  Written,
} from "./types.ts";
import { Walk, type Page, type WalkOptions } from "./walk.ts";

/** Where a collection stands below `/api/v1`. */
export interface Paths {
  list: string;
  changes: string;
  item: (id: string) => string;
}

export interface UpdateOptions extends WriteOptions {
  /** Writes onto this version only; another one is an error, `version_mismatch`. */
  ifMatch?: string | undefined;
  /** The status to give, for submissions. */
  status?: Status | undefined;
}

export interface FeedOptions extends WalkOptions {
  /** Milliseconds between looks for more at the end of the feed; it ends there where this is left out. */
  every?: number | undefined;
  /** Tells each change of an item, not several as one. */
  all?: boolean | undefined;
}

/** How often `update` reads and tries again when others are faster. */
const mostConflicts = 50;

/** What records and submissions share. */
export abstract class Collection<I extends { id: string; etag: string }, T extends Shape> {
  protected readonly transport: Transport;
  readonly #paths: Paths;

  constructor(transport: Transport, paths: Paths) {
    this.transport = transport;
    this.#paths = paths;
  }

  async get(id: string, { signal }: CallOptions = {}): Promise<I> {
    return this.#get(id, { signal });
  }

  /**
   * Merges a change onto an item: fields that are left out stay, null clears. A function sees the present item and
   * gives the change, undefined for none; when somebody else was faster, it is asked again with what is there then. It
   * happens once, whatever is lost on the way.
   */
  async update(
    id: string,
    change:
      | T["change"]
      | ((present: I) => T["change"] | undefined | Promise<T["change"] | undefined>),
    { ifMatch, status, key = newKey(), signal }: UpdateOptions = {},
  ): Promise<Written<I>> {
    const put = (data: T["change"], etag?: string) => {
      const content = { data, ...(status && { status }), ...(etag && { if_match: etag }) };
      return this.#writeOne({ op: "update", id, ...content }, { key, signal }, true);
    };
    if (typeof change !== "function") return put(change, ifMatch);
    for (let conflicts = 0; ; conflicts += 1) {
      // Replicas may lag behind others' writes: after a conflict, only the primary is believed.
      const headers = conflicts > 0 ? { "Cache-Control": "no-cache" } : {};
      const present = await this.#get(id, { signal, headers });
      const data = await change(present);
      if (data === undefined) return { op: "update", outcome: "unchanged", ...named(present) };
      try {
        return await put(data, ifMatch ?? present.etag);
      } catch (error) {
        const late = error instanceof EdgeFormsError && error.code === "version_mismatch";
        if (!late || ifMatch || conflicts >= mostConflicts) throw error;
        await sleep(Math.random() * 50 * Math.min(conflicts + 1, 10), signal);
      }
    }
  }

  /** Updates the item that has the value of the unique field `by` in `data`; creates it where none has. */
  async upsert(
    by: string,
    data: T["change"],
    { status, key, signal }: WriteOptions & { status?: Status | undefined } = {},
  ): Promise<Written<I>> {
    const operation = { op: "upsert", by, data, ...(status && { status }) } as const;
    return this.#writeOne(operation, { key, signal });
  }

  /**
   * Writes any number of operations in order. Up to 100 of them and 1 MiB are all or nothing; more are written in
   * parts, each all or nothing: BatchError tells the results of those before a refused one. `items` asks for the items.
   */
  async batch(
    operations: Iterable<Operation<T>>,
    { key = newKey(), signal, items = false }: WriteOptions & { items?: boolean } = {},
  ): Promise<Written<I>[]> {
    return inParts<T, I>([...operations], async (part, name) => {
      const received = await this.#writeBatch(part, `${key}:${name}`, items, signal);
      return resultsOf<I>(unmistaken(received));
    });
  }

  /** Every item, in the order in which they were stored. */
  list(options: WalkOptions = {}): Walk<I> {
    const read = { method: "GET", path: this.#paths.list };
    return this.#walk<I>(read, options, async (page) => page.cursor !== null);
  }

  /** Every match, newest first where no sort is given. A cursor belongs to its conditions and sort. */
  search(search: Search<T> = {}, options: WalkOptions = {}): Walk<I> {
    const read = { method: "POST", path: `${this.#paths.list}/search`, body: search };
    return this.#walk<I>(read, options, async (page) => page.cursor !== null);
  }

  /**
   * What happened, in order, missing nothing: from the oldest change that is kept, or a cursor; `"now"` is the end. Ends
   * when there is no more, with the cursor to go on from; with `every`, looks again every so many milliseconds. Several
   * changes of one item may be told as one, by who made the last; `all` tells each.
   */
  changes(options: FeedOptions = {}): Walk<Change<I>> {
    const query = { all: options.all ? "true" : undefined };
    const read = { method: "GET", path: this.#paths.changes, query };
    return this.#walk<Change<I>>(read, options, async (page) => {
      if (page.items.length > 0) return true;
      if (options.every === undefined) return false;
      await sleep(options.every, options.signal);
      return true;
    });
  }

  protected async createOne(
    data: T["create"] | T["draft"],
    status: Status | undefined,
    { key = newKey(), signal }: WriteOptions,
  ): Promise<I> {
    const body = status === undefined ? { data } : { data, status };
    const headers = { "Idempotency-Key": key };
    const path = this.#paths.list;
    const sent = {
      method: "POST",
      path,
      body,
      headers,
      lane: "write",
      safe: true,
      signal,
    } as const;
    return unmistaken(await this.transport.send(sent)).body as I;
  }

  async #get(id: string, { signal, headers = {} }: Pick<Sent, "signal" | "headers">): Promise<I> {
    const path = this.#paths.item(id);
    const sent = { method: "GET", path, headers, lane: "read", safe: true, signal } as const;
    return (await this.transport.send(sent)).body as I;
  }

  /** A batch of one: the only write besides a create that a key makes happen once. */
  async #writeOne(
    operation: Operation<T>,
    { key = newKey(), signal }: WriteOptions,
    repeated = false,
  ): Promise<Written<I>> {
    const received = await this.#writeBatch([operation], key, true, signal).catch((error) => {
      throw error instanceof EdgeFormsError ? alone(error) : error;
    });
    // A function that is asked in another run sees a later item, and gives another change: it is done all the same.
    const [written] = resultsOf<I>(repeated ? received : unmistaken(received));
    if (!written) throw new EdgeFormsError("No result.", { code: "unexpected_answer" });
    if (written.item || !received.headers.has("Idempotent-Replayed")) return written;
    // Replays hold no items.
    const item = await this.#get(written.id, { signal }).catch((error) => {
      const { status = 0 } = error instanceof EdgeFormsError ? error : {};
      if (status !== 403 && status !== 404) throw error;
    });
    return item ? { ...written, item } : written;
  }

  async #writeBatch(
    operations: readonly Operation<T>[],
    key: string,
    items: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Received> {
    return this.transport.send({
      method: "POST",
      path: `${this.#paths.list}/batch`,
      query: { return: items ? "representation" : undefined },
      body: { operations },
      headers: { "Idempotency-Key": key },
      lane: "write",
      safe: true,
      signal,
    });
  }

  #walk<E>(
    read: Pick<Sent, "method" | "path" | "body" | "query">,
    { cursor: start, limit = 200, signal }: WalkOptions,
    after: (page: Page<E>) => Promise<boolean>,
  ): Walk<E> {
    const page = async (cursor: string | undefined): Promise<Page<E>> => {
      const query = { ...read.query, limit, cursor };
      const sent = { ...read, query, lane: "read", safe: true, signal } as const;
      const { body } = await this.transport.send(sent);
      const { items, links } = body as { items: E[]; links: { next: string | null } };
      // The service may know itself by another address: what counts is the cursor.
      const next = links.next === null ? null : new URL(links.next).searchParams.get("cursor");
      return { items, cursor: next };
    };
    return new Walk(page, start, after);
  }
}

function resultsOf<I>({ body }: Received): Written<I>[] {
  return (body as { results: Written<I>[] }).results;
}

function named<I extends { id: string; etag: string }>(item: I) {
  const { id, etag } = item;
  const { receipt_number: receipt } = item as { receipt_number?: string };
  return { id, etag, ...(receipt !== undefined && { receipt_number: receipt }), item };
}

/** Refuses the answer to a key that was used for something else, which was not written this time. */
function unmistaken(received: Received): Received {
  if (!received.headers.has("Idempotency-Key-Mismatch")) return received;
  const message = "This key was used for another body, whose answer it gave; nothing was written.";
  throw new EdgeFormsError(message, { code: "key_reused", problem: { answer: received.body } });
}

/** 128 random bits; `randomUUID` is missing where a page comes over plain http. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
