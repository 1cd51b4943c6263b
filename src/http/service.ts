import type { Descriptions } from "#documents/openapi/description.ts";
import type { SigningKeys } from "#domain/credential/keys.ts";
import type { Passwords } from "#domain/credential/passwords.ts";
import type { LogLevel } from "#domain/events.ts";
import type { Memory } from "#domain/memory.ts";
import type { Clock, Random, Timeouts } from "#domain/ports.ts";
import type { FetchPort } from "#delivery/send.ts";
import type { SenderStub } from "#delivery/sender.ts";
import type { GateStub } from "#gate/gate.ts";
import type { FileStore } from "#store/data/file-store.ts";
import type { PrimaryDatabases } from "#store/db/database.ts";

/** The service's connections to the outside. `src/platform.ts` implements them for Cloudflare. */
export interface Ports {
  clock: Clock;
  random: Random;
  /** Cryptography. Results may arrive in any order, because it may compute on another thread. */
  subtle: SubtleCrypto;
  DB: D1Database;
  /** The data databases, by the names of their bindings. */
  DATA: Readonly<Record<string, D1Database>>;
  gates: { getByName(credentialId: string): GateStub };
  senders: { getByName(webhookId: string): SenderStub };
  replays: KVNamespace;
  /** The contents of attachments. */
  files: R2Bucket;
  /**
   * The contents of attachments of databases in a jurisdiction, by jurisdiction. Absent if `files` contains all of
   * them.
   */
  filesIn?: Readonly<Record<string, R2Bucket>>;
  /**
   * Returns a stream of the same bytes with a known length. It fails if there are more or fewer bytes. R2 accepts no
   * other streams.
   */
  knownLength(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array>;
  /** Counts requests by key. `fallback` replaces a gate that is unreachable. */
  limiters: Record<
    "failures" | "failuresWide" | "signIns" | "signInsWide" | "changes" | "fallback",
    RateLimit
  >;
  /** The static assets, such as the guides. */
  assets: { fetch(request: Request): Promise<Response> };
  /** A cache that the isolates of a data centre share. */
  cache: Pick<Cache, "match" | "put">;
  /** Sends webhooks. The Cloudflare Access middleware fetches its keys without this port. */
  fetch: FetchPort;
  log(line: string, level?: LogLevel): void;
}

/** The settings of a deployment. All except the secrets may be empty. */
export interface Settings {
  /** Comma-separated secrets. The first one signs, and all of them verify. */
  tokenSecret: string;
  setupSecret: string;
  /** The origin of the service. If it is empty, each request uses its own origin. */
  origin: string;
  contactEmail: string;
  /** The settings of Cloudflare Access, which replaces passwords. */
  access: { team: string; audience: string };
  /** Whether the service returns 503 for every request, because its database is being restored. */
  isPaused: boolean;
  /** Whether webhooks may use http for a receiver on the same machine. */
  allowsLocalReceivers: boolean;
}

/** The service that every request gets as `c.env` instead of the Worker's bindings. */
export interface Service extends Omit<Ports, "DB" | "DATA" | "files" | "filesIn"> {
  databases: PrimaryDatabases;
  files: FileStore;
  settings: Settings;
  timeouts: Readonly<Timeouts>;
  keys: SigningKeys;
  passwords: Passwords;
  memory: Memory;
  /** Returns the operations of the API, for the documents that describe them. */
  operations: () => Descriptions;
}
