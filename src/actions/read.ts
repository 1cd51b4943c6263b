import type { CursorPosition } from "#domain/cursor.ts";
import type { ExportFormat } from "#domain/download.ts";
import type { VersionTracker } from "#store/db/session.ts";
import type { ReadContext } from "./context.ts";

/** The parameters of a path. A parameter that the path lacks is empty. */
export interface PathParameters {
  /** The key of an app or form. */
  key: string;
  id: string;
  delivery: string;
}

/** A position in a change feed: the number of a change, and the part of the feed that the reader sees (`feedMark`). */
export interface FeedPosition {
  number: number;
  mark: string;
  /** The time until which a narrow reader has seen the feed. 0 for other readers and in old cursors. */
  seenUntil: number;
}

/** The parts of a request that a read may use before the caller is known. */
export interface ReadRequest<Query = unknown> {
  path: PathParameters;
  /** Returns the parsed query. Throws an empty 422, because the operation reports its errors later. */
  query: () => Query;
  body: () => Promise<unknown>;
  /** The format of the requested download; undefined for a page. */
  format: ExportFormat | undefined;
  /** Opens the cursor of a list. With `versions`, reads are no older than the page that issued the cursor. */
  position: (
    binding: string,
    cursor: string | undefined,
    versions?: VersionTracker,
  ) => Promise<CursorPosition | null>;
  /** Opens the cursor of a changes feed. */
  feedPosition: (binding: string, cursor: string) => Promise<FeedPosition>;
}

/**
 * A read that can start in parallel with the call of the credential's object, before the caller is known. Its result is
 * returned only after all checks have passed. It may run twice: at a replica and at the primary.
 */
export type Prefetch<Data, Query = unknown> = (
  ctx: ReadContext,
  request: ReadRequest<Query>,
) => Promise<Data>;

/** Returns the result of a read, whether it was started early or starts now. */
export type Read = <Data>(prefetch: Prefetch<Data, never>) => Promise<Data>;
