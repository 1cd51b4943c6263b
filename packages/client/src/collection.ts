import { alone, inParts } from "./batch.ts";
import { EdgeFormsError } from "./problem.ts";
import { conflictWait, sleep } from "./retry.ts";
import { assertTag, type Received, type Sent, type Transport } from "./transport.ts";
import type {
  Aggregates,
  CallOptions,
  Change,
  ExpandOptions,
  Operation,
  Search,
  Shape,
  Status,
  WriteOptions,
  Written,
} from "./types.ts";
import { Walk, type Page, type WalkOptions } from "./walk.ts";

/** The paths of a collection below `/api/v1`. */
export interface Paths {
  list: string;
  changes: string;
  item: (id: string) => string;
}

export interface UpdateOptions extends WriteOptions {
  /** Updates only this version. If the item has another version, the update fails with `version_mismatch`. */
  ifMatch?: string | undefined;
  /** The new status of a submission. */
  status?: Status | undefined;
}

export interface FeedOptions extends WalkOptions {
  /** Milliseconds between polls at the end of the feed. Without it, iteration stops at the end. */
  every?: number | undefined;
  /** Returns every change of an item instead of merging several changes into one. */
  all?: boolean | undefined;
}

/** How often `update` reads the item and retries after another writer changed it. */
const maxConflicts = 50;

/** The operations that records and submissions share. */
export abstract class Collection<I extends { id: string; etag: string }, T extends Shape> {
  protected readonly transport: Transport;
  readonly #paths: Paths;

  constructor(transport: Transport, paths: Paths) {
    this.transport = transport;
    this.#paths = paths;
  }

  async get(id: string, { signal, expand }: CallOptions & ExpandOptions = {}): Promise<I> {
    return this.#get(id, { signal, query: expandQuery(expand) });
  }

  /**
   * Merges a change into an item. Omitted fields keep their values, null clears a field. A function receives the
   * current item and returns the change, or undefined for no change. After a conflict it is called again with the
   * newer item. The update is applied once, even if responses are lost.
   */
  async update(
    id: string,
    change:
      | T["change"]
      | ((current: I) => T["change"] | undefined | Promise<T["change"] | undefined>),
    { ifMatch, status, key = newKey(), signal }: UpdateOptions = {},
  ): Promise<Written<I>> {
    assertTag("ifMatch", ifMatch);
    const write = (data: T["change"], etag?: string) => {
      const content = { data, ...(status && { status }), ...(etag && { if_match: etag }) };
      return this.#writeOne({ op: "update", id, ...content }, { key, signal }, true);
    };
    if (typeof change !== "function") return write(change, ifMatch);
    for (let conflicts = 0; ; conflicts += 1) {
      // A replica may lack the write that caused the conflict, so the next read goes to the primary.
      const headers = conflicts > 0 ? { "Cache-Control": "no-cache" } : {};
      const current = await this.#get(id, { signal, headers });
      const data = await change(current);
      if (data === undefined)
        return { op: "update", outcome: "unchanged", ...withReceiptNumber(current) };
      try {
        return await write(data, ifMatch ?? current.etag);
      } catch (error) {
        const isConflict = error instanceof EdgeFormsError && error.code === "version_mismatch";
        if (!isConflict || ifMatch || conflicts >= maxConflicts) throw error;
        await sleep(conflictWait(conflicts), signal);
      }
    }
  }

  /** Updates the item whose unique field `by` has the value in `data`. Creates the item if there is none. */
  async upsert(
    by: string,
    data: T["change"],
    { status, key, signal }: WriteOptions & { status?: Status | undefined } = {},
  ): Promise<Written<I>> {
    const operation = { op: "upsert", by, data, ...(status && { status }) } as const;
    return this.#writeOne(operation, { key, signal });
  }

  /**
   * Writes any number of operations in order. Up to 100 operations and 1 MiB are written all or nothing. A larger batch
   * is split into parts, each all or nothing. BatchError holds the results of the parts before a rejected part. With
   * `items`, the results include the items.
   */
  async batch(
    operations: Iterable<Operation<T>>,
    { key = newKey(), signal, items = false }: WriteOptions & { items?: boolean } = {},
  ): Promise<Written<I>[]> {
    const allOperations = [...operations];
    for (const operation of allOperations) {
      if ("if_match" in operation) assertTag("if_match", operation.if_match);
    }
    return inParts<T, I>(allOperations, async (part, name) => {
      const received = await this.#writeBatch(part, `${key}:${name}`, items, signal);
      return resultsOf<I>(rejectKeyMismatch(received));
    });
  }

  /** Lists all items in the order in which they were created. */
  list({ expand, ...options }: WalkOptions & ExpandOptions = {}): Walk<I> {
    const request = { method: "GET", path: this.#paths.list, query: expandQuery(expand) };
    return this.#walk<I>(request, options, async (page) => page.cursor !== null);
  }

  /** Lists all matches, by default newest first. A cursor is valid only for the same conditions and sort. */
  search(
    { limit, cursor, ...search }: Search<T> = {},
    { expand, ...options }: WalkOptions & ExpandOptions = {},
  ): Walk<I> {
    const path = `${this.#paths.list}/search`;
    const request = { method: "POST", path, body: search, query: expandQuery(expand) };
    return this.#walk<I>(
      request,
      { limit, cursor, ...options },
      async (page) => page.cursor !== null,
    );
  }

  /** Returns exact figures over the items that meet the conditions. All of them reflect one state. */
  async aggregate(body: T["aggregate"], { signal }: CallOptions = {}): Promise<Aggregates<T>> {
    const path = `${this.#paths.list}/aggregate`;
    const request = { method: "POST", path, body, lane: "read", safe: true, signal } as const;
    return (await this.transport.send(request)).body as Aggregates<T>;
  }

  /**
   * Lists changes in order without gaps, from the oldest retained change or from a cursor. The cursor `"now"` starts at
   * the end. Iteration stops at the end of the feed, or polls every `every` milliseconds. Several changes of one item
   * may be merged into one, with the author of the last. `all` returns every change.
   */
  changes(options: FeedOptions = {}): Walk<Change<I>> {
    const query = { all: options.all ? "true" : undefined };
    const request = { method: "GET", path: this.#paths.changes, query };
    return this.#walk<Change<I>>(request, options, async (page) => {
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
    const request = {
      method: "POST",
      path,
      body,
      headers,
      lane: "write",
      safe: true,
      signal,
    } as const;
    return rejectKeyMismatch(await this.transport.send(request)).body as I;
  }

  async #get(
    id: string,
    { signal, headers = {}, query = {} }: Pick<Sent, "signal" | "headers" | "query">,
  ): Promise<I> {
    const path = this.#paths.item(id);
    const options = { headers, query, signal };
    const request = { method: "GET", path, ...options, lane: "read", safe: true } as const;
    return (await this.transport.send(request)).body as I;
  }

  /** Writes a batch of one operation. Besides creates, only batches accept an Idempotency-Key. */
  async #writeOne(
    operation: Operation<T>,
    { key = newKey(), signal }: WriteOptions,
    isKeyReuseAllowed = false,
  ): Promise<Written<I>> {
    const received = await this.#writeBatch([operation], key, true, signal).catch((error) => {
      throw error instanceof EdgeFormsError ? alone(error) : error;
    });
    // In a later run the function sees a newer item and may return another change. The first change still counts as done.
    const [result] = resultsOf<I>(isKeyReuseAllowed ? received : rejectKeyMismatch(received));
    if (!result) throw new EdgeFormsError("No result.", { code: "unexpected_answer" });
    if (result.item || !received.headers.has("Idempotent-Replayed")) return result;
    // Replays contain no items.
    const item = await this.#get(result.id, { signal }).catch((error) => {
      const { status = 0 } = error instanceof EdgeFormsError ? error : {};
      if (status !== 403 && status !== 404) throw error;
    });
    return item ? { ...result, item } : result;
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
    baseRequest: Pick<Sent, "method" | "path" | "body" | "query">,
    { cursor: start, limit = 200, signal }: WalkOptions,
    after: (page: Page<E>) => Promise<boolean>,
  ): Walk<E> {
    const readPage = async (cursor: string | undefined): Promise<Page<E>> => {
      const query = { ...baseRequest.query, limit, cursor };
      const request = { ...baseRequest, query, lane: "read", safe: true, signal } as const;
      const { body } = await this.transport.send(request);
      const { items, links, included } = body as Listed<E>;
      // The links may have another address than the client uses, so use only their cursor.
      const next = links.next === null ? null : new URL(links.next).searchParams.get("cursor");
      return { items, cursor: next, ...(included && { included }) };
    };
    return new Walk(readPage, start, after);
  }
}

interface Listed<E> extends Pick<Page<E>, "items" | "included"> {
  links: { next: string | null };
}

const expandQuery = (expand: readonly string[] | undefined) => ({ expand: expand?.join() });

function resultsOf<I>({ body }: Received): Written<I>[] {
  return (body as { results: Written<I>[] }).results;
}

function withReceiptNumber<I extends { id: string; etag: string }>(item: I) {
  const { id, etag } = item;
  const { receipt_number: receipt } = item as { receipt_number?: string };
  return { id, etag, ...(receipt !== undefined && { receipt_number: receipt }), item };
}

/** Throws if the service replayed the response of another body with the same key. It wrote nothing in that case. */
function rejectKeyMismatch(received: Received): Received {
  if (!received.headers.has("Idempotency-Key-Mismatch")) return received;
  const message = "This key was used with another body. Nothing was written.";
  throw new EdgeFormsError(message, { code: "key_reused", problem: { answer: received.body } });
}

/** Returns 128 random bits. `randomUUID` does not exist in pages that are loaded over plain HTTP. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
