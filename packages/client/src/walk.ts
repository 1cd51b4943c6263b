export interface Page<I> {
  items: I[];
  /** Where the next page starts; null at the end of a list or search. */
  cursor: string | null;
}

export interface WalkOptions {
  /** Where to go on, from an earlier walk of the same list, search or feed. */
  cursor?: string | null | undefined;
  /** Items of a page, 1 to 200. Default 200. */
  limit?: number | undefined;
  signal?: AbortSignal | undefined;
}

type Read<I> = (cursor: string | undefined) => Promise<Page<I>>;

/**
 * All items, page after page. `cursor` says where a later walk goes on: it stands before the page whose items are being
 * given until the last of them was taken, so that a walk that is broken off repeats some, and skips none.
 */
export class Walk<I> implements AsyncIterable<I> {
  readonly #read: Read<I>;
  readonly #after: (page: Page<I>) => Promise<boolean>;
  #cursor: string | null | undefined;

  constructor(
    read: Read<I>,
    cursor: string | null | undefined,
    /** Whether to go on after a page. */
    after: (page: Page<I>) => Promise<boolean>,
  ) {
    this.#read = read;
    this.#cursor = cursor;
    this.#after = after;
  }

  /** Undefined before the first page; null after the end. */
  get cursor(): string | null | undefined {
    return this.#cursor;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<I, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** Whole pages. A page may be short, even empty, and not the last. */
  async *pages(): AsyncGenerator<Page<I>, void, undefined> {
    for (let more = true; more;) {
      const page = await this.#read(this.#cursor ?? undefined);
      yield page;
      this.#cursor = page.cursor;
      more = await this.#after(page);
    }
  }

  async toArray(): Promise<I[]> {
    const items: I[] = [];
    for await (const page of this.pages()) items.push(...page.items);
    return items;
  }
}
