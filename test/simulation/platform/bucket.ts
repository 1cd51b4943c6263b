import { createHash } from "node:crypto";
import type { Host } from "./host.ts";
import type { Scheduler } from "./scheduler.ts";

interface StoredObject {
  bytes: Buffer;
  sha256: string | undefined;
  etag: string;
  customMetadata: Record<string, string>;
  httpMetadata: R2HTTPMetadata;
  uploadedAt: number;
}

const maxKeyBytes = 1024;
const maxListed = 1000;
const maxDeleted = 1000;

/** Simulates R2: one store for all places. An object appears completely or not at all. */
export class SimulatedBucket {
  readonly objects = new Map<string, StoredObject>();
  /** The share of deletes that fail. */
  failingDeletes = 0;
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Returns the binding of a host. Each call can fail before or after it takes effect. */
  binding(host: Host): R2Bucket {
    return this.#operations((label, run) => host.call({ kind: "r2", label, run }));
  }

  /** Returns the bucket without a network, for judges and for tests of this simulation. */
  direct(): R2Bucket {
    return this.#operations(async (_, run) => run());
  }

  #operations(call: <T>(label: string, run: () => T) => Promise<T>): R2Bucket {
    return {
      head: (key: string) => call("head", () => this.#describe(key, undefined)),
      get: (key: string, options: R2GetOptions = {}) =>
        call("get", () => this.#get(key, options as PlainOptions)),
      put: async (key: string, value: BodyInit | null, options: R2PutOptions = {}) => {
        // The body arrives before the object exists, so a host that dies during the upload leaves nothing.
        const bytes = Buffer.from(await new Response(value).arrayBuffer());
        return call("put", () => this.#put(key, bytes, options as PlainOptions & R2PutOptions));
      },
      delete: async (keys: string | string[]) => {
        const list = [keys].flat();
        if (list.length > maxDeleted) throw new Error("delete: Too many keys.");
        // Deleting several keys is not a transaction: some may be deleted when the call fails.
        for (const key of list) await call("delete", () => this.#delete(key));
      },
      list: (options: R2ListOptions = {}) => call("list", () => this.#list(options)),
    } as unknown as R2Bucket;
  }

  #delete(key: string): void {
    const { failingDeletes } = this;
    if (failingDeletes > 0 && this.#scheduler.activity.random.chance(failingDeletes))
      throw new Error("delete: We encountered an internal error. Please try again. (10001)");
    this.objects.delete(key);
  }

  #put(key: string, bytes: Buffer, options: PlainOptions & R2PutOptions) {
    if (Buffer.byteLength(key) > maxKeyBytes) {
      throw new Error("put: The specified object name is not valid. (10020)");
    }
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const expected = options.sha256;
    if (expected !== undefined && hexOf(expected) !== sha256) {
      throw new Error(
        `put: The SHA-256 checksum you specified did not match what we received.\nYou provided a SHA-256 checksum with value: ${hexOf(expected)}\nActual SHA-256 was: ${sha256} (10037)`,
      );
    }
    if (!matches(this.objects.get(key), options.onlyIf)) return null;
    this.objects.set(key, {
      bytes,
      sha256: expected === undefined ? undefined : sha256,
      etag: createHash("md5").update(bytes).digest("hex"),
      customMetadata: { ...options.customMetadata },
      httpMetadata: { ...(options.httpMetadata as R2HTTPMetadata | undefined) },
      uploadedAt: this.#scheduler.now,
    });
    return this.#describe(key, undefined);
  }

  #get(key: string, { range, onlyIf }: PlainOptions) {
    const object = this.objects.get(key);
    if (!object) return null;
    if (!matches(object, onlyIf)) return this.#describe(key, undefined);
    const { bytes } = object;
    const [offset, end] = range ? resolveRange(range, bytes.length) : [0, bytes.length];
    const response = new Response(new Uint8Array(bytes.subarray(offset, end)));
    return Object.assign(this.#describe(key, { offset, length: end - offset }) ?? {}, {
      body: response.body,
      arrayBuffer: () => response.arrayBuffer(),
      bytes: () => response.bytes(),
      text: () => response.text(),
      json: () => response.json(),
      get bodyUsed() {
        return response.bodyUsed;
      },
    });
  }

  #describe(key: string, range: { offset: number; length: number } | undefined) {
    const object = this.objects.get(key);
    if (!object) return null;
    const { bytes, etag, sha256, customMetadata, httpMetadata, uploadedAt } = object;
    return {
      key,
      size: bytes.length,
      etag,
      httpEtag: `"${etag}"`,
      uploaded: new Date(uploadedAt),
      customMetadata,
      httpMetadata,
      checksums: {
        md5: bufferOf(etag),
        ...(sha256 === undefined ? {} : { sha256: bufferOf(sha256) }),
        toJSON: () => ({ md5: etag, ...(sha256 === undefined ? {} : { sha256 }) }),
      },
      ...(range ? { range } : {}),
    };
  }

  #list({ prefix = "", cursor, startAfter = "", limit = maxListed, include }: R2ListOptions) {
    if (!(limit >= 1 && limit <= maxListed)) {
      throw new Error("list: MaxKeys params must be positive integer <= 1000. (10022)");
    }
    const start = cursor === undefined ? startAfter : Buffer.from(cursor, "base64").toString();
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(prefix) && isBefore(start, key))
      .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const page = keys.slice(0, limit);
    const last = page.at(-1);
    return {
      objects: page.map((key) => ({
        ...this.#describe(key, undefined),
        ...(include?.includes("customMetadata") ? {} : { customMetadata: {} }),
        ...(include?.includes("httpMetadata") ? {} : { httpMetadata: {} }),
      })),
      delimitedPrefixes: [],
      ...(keys.length > page.length && last !== undefined
        ? { truncated: true, cursor: Buffer.from(last).toString("base64") }
        : { truncated: false }),
    };
  }
}

/** The options that the service uses. Passing them as headers would need a parser. */
interface PlainOptions {
  range?: { offset?: number; length?: number; suffix?: number };
  onlyIf?: R2Conditional;
}

function matches(object: StoredObject | undefined, condition: R2Conditional | undefined): boolean {
  const { etagMatches, etagDoesNotMatch } = condition ?? {};
  if (etagMatches !== undefined && !isTag(object, etagMatches)) return false;
  return etagDoesNotMatch === undefined || !isTag(object, etagDoesNotMatch);
}

const isTag = (object: StoredObject | undefined, tag: string): boolean =>
  object !== undefined && (tag === "*" || tag === object.etag);

/** Returns the first byte of a range and the byte after its last one. */
function resolveRange(
  { offset = 0, length, suffix }: { offset?: number; length?: number; suffix?: number },
  size: number,
): [number, number] {
  const start = suffix === undefined ? offset : Math.max(0, size - suffix);
  const end = length === undefined ? size : Math.min(size, start + length);
  if (start >= end) throw new Error("get: The requested range is not satisfiable (10039)");
  return [start, end];
}

const isBefore = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

function bufferOf(hex: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(hex, "hex")).buffer;
}

const hexOf = (digest: ArrayBuffer | ArrayBufferView | string): string => {
  if (typeof digest === "string") return digest.toLowerCase();
  const bytes = ArrayBuffer.isView(digest)
    ? Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength)
    : Buffer.from(digest);
  return bytes.toString("hex");
};

/** Replaces a stream of a fixed length, which only workerd has. */
export const exactLength = (
  body: ReadableStream<Uint8Array>,
  bytes: number,
): ReadableStream<Uint8Array> => {
  let left = bytes;
  const fail = () =>
    new TypeError("FixedLengthStream did not see all expected bytes before close().");
  const check = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left < 0) throw fail();
      controller.enqueue(chunk);
    },
    flush() {
      if (left > 0) throw fail();
    },
  });
  return body.pipeThrough(check);
};
