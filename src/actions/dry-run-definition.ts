import { withRetention } from "./retention.ts";
import { reservedKeyProblem } from "./reserved-key.ts";
import { computedIds } from "#domain/data/index-entries.ts";
import type { CollectionKind, Collection, Definition } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { pendingRules, type MergedDefinition } from "#domain/definition/merge.ts";
import { validateDefinition } from "#domain/definition/validate.ts";
import {
  findCollection,
  pendingDefinition,
  type CurrentCollection,
} from "#store/data/collections.ts";
import { checkStoredValues } from "#store/data/definition-checks.ts";
import { findDuplicate } from "#store/data/item-ranges.ts";
import { sharedValueProblem, typeInUseProblem } from "./backfill.ts";
import { nextVersion } from "#domain/timeline.ts";
import { findSites } from "./place-collection.ts";
import { assertAppsExist } from "./referenced-apps.ts";
import type { ActionContext } from "./context.ts";
import { fieldsToIndex } from "./fields-to-index.ts";
import { checkReplacement, noViewEffects, type ViewEffects } from "./view-users.ts";
import {
  assertCanShortenHistory,
  assertPreconditions,
  isSmallChange,
  type Preconditions,
  type SavedDefinition,
} from "./definitions.ts";

/** The effects of saving a definition. */
export interface Consequences {
  /** The outcome of the same request without `dry_run`. */
  outcome: SavedDefinition["outcome"];
  /** The keys of fields that would be hidden together with their data. A column has a key like `lines.qty`. */
  hiddenFields: string[];
  /** The numbers of stored items that would be recalculated, indexed again, or checked. */
  recalculatedCount: number;
  reindexedCount: number;
  checkedCount: number;
  /** The views that change, and the credentials and webhooks that use them. */
  viewEffects: ViewEffects;
}

export const noConsequences: Omit<Consequences, "outcome"> = {
  hiddenFields: [],
  recalculatedCount: 0,
  reindexedCount: 0,
  checkedCount: 0,
  viewEffects: noViewEffects,
};

export interface DryRun {
  /** Undefined for a new collection. */
  current: CurrentCollection | undefined;
  /** The collection after the change. */
  result: CurrentCollection;
  consequences: Consequences;
}

/**
 * Runs every check of `putDefinition` and stores nothing. Does not check the items of large collections, which only a
 * stored change checks.
 */
export async function dryRunDefinition(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  body: unknown,
  preconditions: Preconditions,
): Promise<DryRun> {
  const current = await findCollection(ctx.databases.named(kind, key), kind, key);
  assertPreconditions(ctx, current, preconditions);
  const before = current?.collection.definition ?? null;
  const merged = validateDefinition(kind, key, before, body, pendingDefinition(current));
  const group = await assertAppsExist(ctx, kind, key, before, merged.definition);
  const definition = await withRetention(ctx, before ?? undefined, merged.definition);
  if (!current) {
    await findSites(ctx, definition, group);
    const reservation = await reservedKeyProblem(ctx, kind, key);
    if (reservation) throw reservation;
    const collection = newCollection(kind, key, definition);
    const result = {
      collection,
      bytes: 0,
      itemCount: 0,
      largestItemBytes: 0,
      indexing: null,
      pending: null,
    };
    return { current, result, consequences: { ...noConsequences, outcome: "created" } };
  }
  const { collection } = current;
  assertCanShortenHistory(ctx, collection.definition, definition);
  const viewEffects = await checkReplacement(ctx, current, definition);
  if (JSON.stringify(collection.definition) === JSON.stringify(definition)) {
    const result = { ...current, pending: null };
    const consequences = { ...noConsequences, outcome: "unchanged" as const, viewEffects };
    return { current, result, consequences };
  }
  const isSmall = isSmallChange(current, pendingRules(merged));
  if (isSmall) await assertStoredValuesFit(ctx, collection, merged);
  const version = nextVersion(collection.version, ctx.databases.timeline);
  return {
    current,
    result: { ...current, collection: { ...collection, definition, version }, pending: null },
    consequences: {
      outcome: isSmall ? "changed" : "pending",
      ...countItems(current, merged),
      viewEffects,
      hiddenFields: hiddenKeys(collection.definition.fields.fields, definition.fields.fields),
    },
  };
}

/** Throws the 409 that storing this change would return. */
async function assertStoredValuesFit(
  ctx: ActionContext,
  collection: Collection,
  merged: MergedDefinition,
): Promise<void> {
  const rules = pendingRules(merged);
  const db = ctx.databases.of(collection);
  const { isFilled, duplicateId } = await checkStoredValues(db, rules);
  if (isFilled) throw typeInUseProblem(rules);
  if (duplicateId === null) return;
  const duplicate = await findDuplicate(
    db,
    rules.gained.filter(({ id }) => id === duplicateId),
  );
  if (duplicate) throw sharedValueProblem(duplicate.key, duplicate.items);
}

/** Returns the keys of fields and columns that `after` no longer has. */
function hiddenKeys(before: readonly Field[], after: readonly Field[], prefix = ""): string[] {
  const ids = new Map(after.map((field) => [field.id, field]));
  const keys = new Set(after.map(({ key }) => key));
  return before.flatMap((field): string[] => {
    const newField = ids.get(field.id);
    if (!newField) return keys.has(field.key) ? [] : [prefix + field.key];
    if (field.type !== "line_items" || newField.type !== "line_items") return [];
    return hiddenKeys(field.fields, newField.fields, `${prefix}${newField.key}.`);
  });
}

function countItems(
  stored: CurrentCollection,
  merged: MergedDefinition,
): Pick<Consequences, "recalculatedCount" | "reindexedCount" | "checkedCount"> {
  const { unindexed: affectedIds } = fieldsToIndex(stored, merged);
  const computed = computedIds(merged.definition.fields);
  const { emptied, gained } = pendingRules(merged);
  const countIf = (isAffected: boolean) => (isAffected ? stored.itemCount : 0);
  return {
    recalculatedCount: countIf(affectedIds.some((id) => computed.has(id))),
    reindexedCount: countIf(affectedIds.some((id) => !computed.has(id))),
    checkedCount: countIf(emptied.length + gained.length > 0),
  };
}

function newCollection(kind: CollectionKind, key: string, definition: Definition): Collection {
  const versions = { version: 1, revision: 1, fieldsVersion: 1 };
  return { id: 0, kind, key, ...versions, stamp: "", pending: null, definition };
}
