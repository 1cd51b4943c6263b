import type { IncludedIn } from "./types.ts";

export interface Page<I> {
  items: I[];
  /** The start of the next page, or null at the end of a list or search. */
  cursor: string | null;
  /** With `expand`, the records that the items refer to, by ID. */
  included?: Record<string, IncludedIn<I>>;
}

export interface WalkOptions {
  /** The cursor of an earlier walk of the same list, search or feed, from which to resume. */
  cursor?: string | null | undefined;
  /** Items per page, 1 to 200. Default 200. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

type Read<I> = (cursor: string | undefined) => Promise<Page<I>>;

/**
 * Iterates over all items, page by page. A later walk can resume from `cursor`, which advances only after the last
 * item of a page was consumed. A resumed walk may repeat items but never skips any.
 */
export class Walk<I> implements AsyncIterable<I> {
  readonly #read: Read<I>;
  readonly #hasMore: (page: Page<I>) => Promise<boolean>;
  #cursor: string | null | undefined;

  constructor(
    read: Read<I>,
    cursor: string | null | undefined,
    /** Whether to read another page after this one. */
    hasMore: (page: Page<I>) => Promise<boolean>,
  ) {
    this.#read = read;
    this.#cursor = cursor;
    this.#hasMore = hasMore;
  }

  /** Undefined before the first page. Null after the end. */
  get cursor(): string | null | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<I, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** Iterates over pages. A page may be short or empty without being the last. */
  async *pages(): AsyncGenerator<Page<I>, void, undefined> {
    for (let continues = true; continues;) {
      const page = await this.#read(this.#cursor ?? undefined);
      yield page;
      this.#cursor = page.cursor;
      continues = await this.#hasMore(page);
    }
  }

  async toArray(): Promise<I[]> {
    const items: I[] = [];
    for await (const page of this.pages()) items.push(...page.items);
    return items;
  }
}
