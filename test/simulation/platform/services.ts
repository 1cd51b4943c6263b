import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
} from "node:crypto";
import type { Host } from "./host.ts";
import type { Scheduler } from "./scheduler.ts";

/** The maximum time for which a data centre may return an outdated value of KV. */
const kvStaleMs = 60_000;

interface KvValue {
  text: string;
  expiresAt: number;
}

/** Simulates KV: one central store, and in each place a cache that may be a minute old. It also caches missing keys. */
export class SimulatedKv {
  readonly #central = new Map<string, KvValue>();
  readonly #cached = new Map<string, { value: KvValue | undefined; until: number }>();
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  binding(host: Host): KVNamespace {
    return {
      get: (key: string) =>
        host.call({
          kind: "kv",
          isRepeatable: true,
          label: "get",
          run: () => {
            const value = this.#read(host, key);
            return value ? (JSON.parse(value.text) as unknown) : null;
          },
        }),
      put: (key: string, text: string, { expiration }: { expiration: number }) =>
        host.call({
          kind: "kv",
          isRepeatable: true,
          label: "put",
          run: () => void this.#central.set(key, { text, expiresAt: expiration * 1000 }),
        }),
    } as unknown as KVNamespace;
  }

  #read(host: Host, key: string): KvValue | undefined {
    const { now } = this.#scheduler;
    const cacheKey = `${host.place} ${key}`;
    let cached = this.#cached.get(cacheKey);
    if (!cached || cached.until <= now) {
      const value = this.#central.get(key);
      cached = { value, until: now + this.#scheduler.activity.random.int(0, kvStaleMs) };
      this.#cached.set(cacheKey, cached);
    }
    return cached.value && cached.value.expiresAt > now ? cached.value : undefined;
  }
}

/** Simulates a rate limit binding. Each place counts separately. */
export class SimulatedLimiter {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();
  readonly #name: string;

  constructor(name: string, limit: number) {
    this.#name = name;
    this.#limit = limit;
  }

  binding(host: Host): RateLimit {
    return {
      limit: ({ key }: RateLimitOptions) =>
        host.call({
          kind: "limit",
          isRepeatable: true,
          label: this.#name,
          run: () => {
            const window = Math.floor(host.scheduler.now / 60_000);
            const countKey = `${host.place} ${window} ${key}`;
            const count = (this.#counts.get(countKey) ?? 0) + 1;
            this.#counts.set(countKey, count);
            return { success: count <= this.#limit };
          },
        }),
    };
  }
}

/** Simulates the cache of a data centre, which may drop any entry at any time. */
export class SimulatedCache {
  readonly #entries = new Map<string, { text: string; until: number }>();

  binding(host: Host): Pick<Cache, "match" | "put"> {
    const { scheduler } = host;
    const match = (url: string) =>
      host.call({
        kind: "cache",
        isRepeatable: true,
        label: "match",
        run: () => {
          const entry = this.#entries.get(`${host.place} ${url}`);
          if (!entry || entry.until < scheduler.now || scheduler.activity.random.chance(0.1)) {
            return undefined;
          }
          return { json: async () => JSON.parse(entry.text) as unknown };
        },
      });
    const put = async (url: string, response: Response) => {
      const text = await response.text();
      const seconds = Number(
        /max-age=(\d+)/.exec(response.headers.get("Cache-Control") ?? "")?.[1],
      );
      await host.call({
        kind: "cache",
        isRepeatable: true,
        label: "put",
        run: () => {
          const until = scheduler.now + seconds * 1000;
          this.#entries.set(`${host.place} ${url}`, { text, until });
        },
      });
    };
    return { match, put } as unknown as Pick<Cache, "match" | "put">;
  }
}

interface Key {
  bytes: Buffer;
  /** The key for HMAC, which takes raw bytes much more slowly. */
  secret: KeyObject;
  /** Results with this key, by operation and input. Plans sign and decrypt the same texts repeatedly. */
  results: Map<string, Buffer>;
}

const maxResults = 5000;
const keys = new Map<string, Key>();

function keyOf(bytes: Buffer): Key {
  const name = bytes.toString("latin1");
  const known = keys.get(name);
  if (known) return known;
  const key = { bytes, secret: createSecretKey(bytes), results: new Map() };
  if (keys.size >= maxResults) keys.clear();
  keys.set(name, key);
  return key;
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).latin1Slice();

/** Returns a copy of a known result, or computes it. */
function resultOf({ results }: Key, name: string, compute: () => Buffer): Buffer {
  let result = results.get(name);
  if (!result) {
    result = compute();
    if (results.size >= maxResults) results.clear();
    results.set(name, result);
  }
  return Buffer.from(result);
}

/** Web Crypto without threads, so that results arrive in a known order. */
export const subtle = {
  async digest(_algorithm: string, data: Uint8Array) {
    return hash("sha256", data, "buffer");
  },
  async importKey(_format: string, bytes: Uint8Array): Promise<Key> {
    return keyOf(Buffer.from(bytes));
  },
  async sign(_algorithm: string, key: Key, data: Uint8Array) {
    return resultOf(key, `sign ${latin1(data)}`, () =>
      createHmac("sha256", key.secret).update(data).digest(),
    );
  },
  async deriveKey({ salt, info }: { salt: Uint8Array; info: Uint8Array }, key: Key): Promise<Key> {
    const name = `derive ${salt.length} ${latin1(salt)}${latin1(info)}`;
    return keyOf(
      resultOf(key, name, () => Buffer.from(hkdfSync("sha256", key.secret, salt, info, 32))),
    );
  },
  async encrypt({ iv, additionalData }: AesGcm, key: Key, data: Uint8Array) {
    const cipher = createCipheriv("aes-256-gcm", key.bytes, iv);
    if (additionalData) cipher.setAAD(additionalData);
    return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]);
  },
  async decrypt({ iv, additionalData = new Uint8Array() }: AesGcm, key: Key, data: Uint8Array) {
    const name = `decrypt ${iv.length} ${additionalData.length} ${latin1(iv)}${latin1(additionalData)}${latin1(data)}`;
    return resultOf(key, name, () => {
      const bytes = Buffer.from(data);
      const decipher = createDecipheriv("aes-256-gcm", key.bytes, iv);
      decipher.setAAD(additionalData);
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
    });
  },
};

interface AesGcm {
  iv: Uint8Array;
  additionalData?: Uint8Array;
}

/** A message to a receiver of webhooks, and the response. */
export interface ReceivedMessage {
  at: number;
  url: string;
  id: string;
  body: { type: string; data: { id: string; version: number; type: string; item?: object } };
  status: number | null;
}

/** The receivers of webhooks. Each test chooses their responses. */
export class SimulatedReceivers {
  readonly messages: ReceivedMessage[] = [];
  /** The share of messages that fail. */
  failing = 0;
  onMessage: (message: ReceivedMessage) => void = () => undefined;
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  fetch(host: Host) {
    return (url: string, { headers, body, signal }: RequestInit): Promise<Response> => {
      const aborted = new Promise<never>((_, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("The request was aborted.")));
      });
      const call = host.call({
        kind: "receiver",
        isRepeatable: true,
        label: url,
        run: () => this.#receive(url, headers as Record<string, string>, body as string),
      });
      aborted.catch(() => undefined);
      return Promise.race([call, aborted]);
    };
  }

  #receive(url: string, headers: Record<string, string>, body: string): Promise<Response> {
    const { random } = this.#scheduler.activity;
    const isFailing = random.chance(this.failing);
    const status = isFailing ? random.pick([500, 429, null]) : 200;
    const message = {
      at: this.#scheduler.now,
      url,
      id: headers["webhook-id"] ?? "",
      body: JSON.parse(body) as ReceivedMessage["body"],
      status,
    };
    this.messages.push(message);
    this.onMessage(message);
    if (status === null) return new Promise(() => {});
    return Promise.resolve(new Response("taken", { status }));
  }
}
