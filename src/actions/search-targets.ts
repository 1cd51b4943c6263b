import type { Actor } from "#domain/audit.ts";
import { conditionsOf, wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import { addedBytes } from "#domain/data/values.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { buildItemView, maxAddedBytes, type Item, type ItemView } from "#domain/item/item.ts";
import { titleField } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { expansions, maxExpansions } from "#domain/search/expand.ts";
import { searchFields } from "#domain/search/fields.ts";
import type { SearchTargets } from "#domain/search/operand.ts";
import { maxConditions, referencedFields, type Search } from "#domain/search/tree.ts";
import { cachedStampsJson } from "#store/data/definition-head.ts";
import type { PageTargets, SearchHead } from "#store/data/search/batch.ts";
import {
  maxIncluded,
  referencedIds,
  type ExpandedReference,
  type Included,
} from "#store/data/search/included.ts";
import { resolveCollection, findCurrentCollection, isSameDefinition } from "./collection-cache.ts";
import type { ActionContext, ReadContext } from "./context.ts";
import { maySeeRecords } from "./references.ts";
import { assertIndexed } from "./search-checks.ts";
import { findAppAccess } from "./viewed-records.ts";

/** D1 limits the length of a statement and the number of its operations. */
const maxExpandedConditions = 100;

/** The rights with which a search may read the records that items refer to. */
export type ReaderRights = Pick<ActionContext, "permissions" | "resources">;

/** The apps that a search reads through references, limited to those that the caller may read. */
export class ReadableApps {
  readonly #byKey: Map<string, CollectionAccess>;
  /** The actor that the operand `"$me"` stands for. */
  readonly #me: Actor;

  constructor(byKey: Map<string, CollectionAccess>, me: Actor) {
    this.#byKey = byKey;
    this.#me = me;
  }

  /** Returns the fields of an app that conditions of `matches` can name. The caller must see the whole app. */
  readonly targets: SearchTargets = (app) => {
    const access = this.#byKey.get(app);
    if (access?.extent !== "whole") return undefined;
    const { collection } = access;
    return { collectionId: collection.id, fields: searchFields(collection, this.#me) };
  };

  get pageTargets(): PageTargets {
    const collections = Array.from(
      this.#byKey.values(),
      (access) => wholeCollection(access).collection,
    );
    return { ids: collections.map(({ id }) => id), stamps: cachedStampsJson(collections) };
  }

  /** Returns the references that a page expands. Omits references to apps that the caller may not read. */
  expanded({ expand }: Search): ExpandedReference[] {
    return expand.flatMap((expansion) => {
      const access = this.#byKey.get(expansion.app);
      if (!access) return [];
      const shownBy = access.extent === "narrow" ? access : null;
      return [{ ...expansion, collectionId: access.collection.id, shownBy }];
    });
  }

  /** Rejects a search whose statement would be too long for D1. */
  assertFewConditions(search: Search): void {
    const views = new Map(
      this.expanded(search).map(({ collectionId, shownBy }) => [collectionId, shownBy]),
    );
    const conditions = [...views.values()].flatMap((view) => view?.conditions ?? []);
    if (referencedFields({ conditions, sort: [] }).length <= maxExpandedConditions) return;
    const reason = `The views of the expanded apps must have at most ${maxExpandedConditions} conditions together. Expand fewer references.`;
    throw problem.invalidInput([errorAt(["expand"], "too_complex", reason)]);
  }

  /** Reads the current definitions. Returns whether any differs from the one that the search used. */
  async reload(ctx: ReadContext): Promise<boolean> {
    const current = await Promise.all(
      Array.from(this.#byKey, async ([key, access]) => {
        const found = await findCurrentCollection(ctx, "app", key);
        return found !== undefined && !isSameDefinition(found.compiled, wholeCollection(access));
      }),
    );
    return current.includes(true);
  }

  /** Caches the definitions that the search's own read returned. Returns whether any cached one was outdated. */
  confirm(ctx: ReadContext, heads: readonly SearchHead[]): boolean {
    for (const access of this.#byKey.values()) {
      const current = heads.find(({ head }) => head.id === access.collection.id);
      if (current) resolveCollection(ctx, wholeCollection(access), current.head);
    }
    return heads.some(({ head }) => head.freshCollection !== null);
  }

  /** Rejects a search while an app is building index entries that the caller's view of it needs. */
  assertIndexed(ctx: ReadContext, heads: readonly SearchHead[]): void {
    for (const access of this.#byKey.values()) {
      const current = heads.find(({ head }) => head.id === access.collection.id);
      if (!current) continue;
      const viewFields = referencedFields({ conditions: [...conditionsOf(access)], sort: [] });
      assertIndexed(ctx, access, viewFields, current.unindexed);
    }
  }

  /** Takes the items of a page in order until one would include too many records. At least one item always fits. */
  fit(items: readonly Item[], search: Search, { records, overflow }: Included): FittingItems {
    const expanded = this.expanded(search);
    const byId = new Map(records.map((record) => [record.id, record]));
    const byCollection = new Map(
      Array.from(this.#byKey.values(), (access) => [access.collection.id, access]),
    );
    const included = new Map<string, IncludedView>();
    let bytes = 0;
    for (const [index, item] of items.entries()) {
      const isOver = overflow !== null && index + 1 >= overflow;
      const added = [...new Set(referencedIds(item, expanded))].flatMap((id) => {
        const record = included.has(id) ? undefined : byId.get(id);
        const access = record && byCollection.get(record.collectionId);
        return record && access ? [{ record, access }] : [];
      });
      const addedSize = added.reduce(
        (sum, { record, access }) => sum + addedBytes(access, record.data),
        0,
      );
      const isFull =
        isOver || included.size + added.length > maxIncluded || bytes + addedSize > maxAddedBytes;
      if (isFull && index > 0) return { count: index, included: [...included.values()] };
      bytes += addedSize;
      for (const { record, access } of added) {
        const title = titleField(access.collection.definition.fields);
        const view = buildItemView(record, access);
        const value = title && view.data[title.key];
        included.set(record.id, { ...view, title: typeof value === "string" ? value : null });
      }
      if (isFull) return { count: 1, included: [...included.values()] };
    }
    return { count: items.length, included: [...included.values()] };
  }
}

/** A record that an item refers to, with the value of its app's title field. */
export interface IncludedView extends ItemView {
  title: string | null;
}

/** The number of items on a page, and the records that they refer to. */
interface FittingItems {
  count: number;
  included: IncludedView[];
}

/** Loads the apps that a search mentions, from the cache if possible. Loads none without rights. */
export async function loadReadableApps(
  ctx: ReadContext,
  rights: ReaderRights | undefined,
  { collection }: CollectionAccess,
  body: unknown,
  expand: readonly string[],
): Promise<ReadableApps> {
  const apps = mentionedApps(collection, body, expand).filter(
    (app) => rights && maySeeRecords(rights, app),
  );
  const caller = { ...ctx, resources: rights?.resources ?? [] };
  const readable = await Promise.all(
    apps.map(async (app) => [app, await findAppAccess(caller, collection, app)] as const),
  );
  return new ReadableApps(
    new Map(readable.flatMap(([app, access]) => (access ? [[app, access]] : []))),
    ctx.actor,
  );
}

/** Returns the apps that a search may read. Omits apps beyond the limits of the search, which parsing then rejects. */
function mentionedApps(collection: Collection, body: unknown, expand: readonly string[]): string[] {
  const properties = isObject(body) ? body : {};
  const matched = fieldsOfMatches(properties["conditions"]).slice(0, maxConditions);
  const sent = Array.isArray(properties["expand"]) ? (properties["expand"] as unknown[]) : [];
  const names = [...sent, ...expand].slice(0, 2 * maxExpansions);
  if (matched.length + names.length === 0) return [];
  const references = expansions(collection);
  return [
    ...new Set(
      [...references].flatMap(([name, { app }]) =>
        names.includes(name) || matched.includes(name.split(".").at(-1)) ? [app] : [],
      ),
    ),
  ];
}

/** Returns the fields of all conditions with `matches`, on any level. */
function fieldsOfMatches(conditions: unknown): unknown[] {
  if (Array.isArray(conditions)) return conditions.flatMap(fieldsOfMatches);
  if (!isObject(conditions)) return [];
  const own = conditions["op"] === "matches" ? [conditions["field"]] : [];
  return [...own, ...Object.values(conditions).flatMap(fieldsOfMatches)];
}

/** Whether a search reads other apps, which needs the caller's rights. */
export function readsOtherApps(body: unknown, expand: string | undefined): boolean {
  if (expand !== undefined) return true;
  const { conditions, expand: names } = isObject(body) ? body : {};
  return (names ?? null) !== null || fieldsOfMatches(conditions).length > 0;
}
