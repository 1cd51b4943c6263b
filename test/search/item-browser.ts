import { primaryOnly } from "../../src/store/db/session.ts";
import { nothingCached } from "../support/nothing-cached";
import { env } from "cloudflare:workers";
import { queryItems, type ItemQuery, type QueryPage } from "../../src/actions/query-items.ts";
import type { ActionContext } from "../../src/actions/context.ts";
import { findCurrentCollection } from "../../src/actions/collection-cache.ts";
import type { CompiledCollection } from "../../src/domain/data/compile.ts";
import type { CursorPosition } from "../../src/domain/cursor.ts";
import type { Counts } from "../../bench/workers/counts";
import { countsOf, nothing, recording } from "../../bench/workers/recording";
import { databases } from "../support/databases";
import { outside, serviceWith } from "../support/serve";

/** Queries items as the list pages of the administration do, and counts what each page costs. */
export class ItemBrowser {
  readonly #recorded = nothing();
  readonly #ctx: ActionContext = {
    databases: serviceWith(recording(env, this.#recorded)).databases,
    primary: databases,
    definitions: nothingCached,
    versions: primaryOnly,
    actor: "system",
    permissions: [],
    resources: "all",
    session: null,
    replays: { peek: () => undefined, put: () => undefined, purge: () => undefined },
    requestId: "browsing",
    sentRequestId: null,
    ...outside,
    newId: () => "none",
    notifyChange: () => undefined,
    runAfterResponse: () => undefined,
  };

  /** The costs of the last page. */
  get counts(): Counts {
    return countsOf(this.#recorded);
  }

  async form(key: string): Promise<CompiledCollection> {
    return this.#load("form", key);
  }

  async app(key: string): Promise<CompiledCollection> {
    return this.#load("app", key);
  }

  async #load(kind: "app" | "form", key: string): Promise<CompiledCollection> {
    // Through the counting service, so that it knows the placement and a page costs what a warm isolate pays.
    const { databases: counting } = this.#ctx;
    const current = await findCurrentCollection({ ...outside, databases: counting }, kind, key);
    if (!current) throw new Error(`The ${kind} is gone.`);
    return current.compiled;
  }

  /** Queries one page. Afterwards `counts` has the costs of this page alone. */
  async page(
    form: CompiledCollection,
    { body = {}, ...query }: Partial<ItemQuery>,
    after: CursorPosition | null = null,
    limit?: number,
  ): Promise<QueryPage> {
    this.#recorded.trips.length = 0;
    return queryItems(this.#ctx, form, { body, ...query }, after, limit);
  }

  /** Queries all pages and returns the ids. */
  async ids(form: CompiledCollection, query: Partial<ItemQuery>, limit: number): Promise<string[]> {
    const ids: string[] = [];
    let after: CursorPosition | null = null;
    do {
      const { views, nextPosition } = await this.page(form, query, after, limit);
      ids.push(...views.map(({ id }) => id));
      after = nextPosition;
    } while (after);
    return ids;
  }
}
