import { ofPrimary } from "../../src/store/db/session.ts";
import { nothingCached } from "../support/nothing-cached";
import { env } from "cloudflare:workers";
import { browseItems, type Browsed, type BrowsedPage } from "../../src/actions/query-items.ts";
import type { ActionContext } from "../../src/actions/context.ts";
import { readCollection } from "../../src/actions/collection-cache.ts";
import type { Compiled } from "../../src/domain/data/compile.ts";
import type { Position } from "../../src/domain/cursor.ts";
import type { Counts } from "../../bench/workers/counts";
import { countsOf, nothing, recording } from "../../bench/workers/recording";

/** The forms as a person of the administration area browses them, with what each page costs. */
export class Browser {
  readonly #recorded = nothing();
  readonly #ctx: ActionContext = {
    db: recording(env, this.#recorded).DB,
    primary: env.DB,
    definitions: nothingCached,
    versions: ofPrimary,
    actor: "system",
    permissions: [],
    resources: "all",
    session: null,
    replays: { recalled: () => undefined, remember: () => undefined },
    requestId: "browsing",
    sentRequestId: null,
    now: Date.now,
    newId: () => "none",
    noteChange: () => undefined,
    later: () => undefined,
  };

  /** What the last page cost. */
  get counts(): Counts {
    return countsOf(this.#recorded);
  }

  async form(key: string): Promise<Compiled> {
    return this.#read("form", key);
  }

  async app(key: string): Promise<Compiled> {
    return this.#read("app", key);
  }

  async #read(kind: "app" | "form", key: string): Promise<Compiled> {
    const read = await readCollection(env.DB, kind, key);
    if (!read) throw new Error(`The ${kind} is gone.`);
    return read.compiled;
  }

  /** A page; `counts` is what it alone cost. */
  async page(
    form: Compiled,
    { body = {}, ...browsed }: Partial<Browsed>,
    after: Position | null = null,
    limit?: number,
  ): Promise<BrowsedPage> {
    this.#recorded.trips.length = 0;
    return browseItems(this.#ctx, form, { body, ...browsed }, after, limit);
  }

  /** The ids of all pages. */
  async ids(form: Compiled, browsed: Partial<Browsed>, limit: number): Promise<string[]> {
    const found: string[] = [];
    let after: Position | null = null;
    do {
      const { views, more } = await this.page(form, browsed, after, limit);
      found.push(...views.map(({ id }) => id));
      after = more;
    } while (after);
    return found;
  }
}
