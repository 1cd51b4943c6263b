import { computedIds, searchableIds } from "../domain/data/search-entries";
import type { Collection, CollectionKind } from "../domain/definition/collection";
import { computedFields, type ComputedField, type FieldSet } from "../domain/definition/field";
import { judgeDefinition } from "../domain/definition/judge";
import type { Merged } from "../domain/definition/merge";
import { definitionTag, namesVersion } from "../domain/definition/tag";
import type { Precondition } from "../domain/etag";
import { isVisible, visibleKeys } from "../domain/permissions";
import { problem } from "../domain/problem";
import {
  findCollection,
  listCollections,
  type CollectionNow,
  type CollectionSummary,
} from "../store/collections";
import { changeDefinition, createCollection } from "../store/save-definition";
import { findDuplicate } from "../store/unique-values";
import { act, type ActionContext } from "./context";
import { indexItems } from "./index-items";
import { untilSettled } from "./until-settled";

export interface Conditions {
  ifMatch: Precondition | null;
  ifNoneMatch: Precondition | null;
}

export async function readDefinition(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
): Promise<CollectionNow> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  const now = await findCollection(ctx.db, kind, key);
  if (!now) throw problem.notFound();
  return now;
}

/** The visible apps or forms after the one numbered `after`, at most `limit`. */
export async function listVisible(
  ctx: ActionContext,
  kind: CollectionKind,
  after: number,
  limit: number,
): Promise<CollectionSummary[]> {
  return listCollections(ctx.db, kind, visibleKeys(ctx.resources, kind), after, limit);
}

/** Creates or changes an app or a form. A document that changes nothing keeps the version. */
export async function putDefinition(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  body: unknown,
  conditions: Conditions,
): Promise<CollectionNow & { created: boolean }> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  return untilSettled(async () => {
    const now = await findCollection(ctx.db, kind, key);
    refusePreconditions(ctx, now, conditions);
    const merged = judgeDefinition(kind, key, now?.collection.definition ?? null, body);
    const { definition } = merged;
    if (now && JSON.stringify(now.collection.definition) === JSON.stringify(definition)) {
      return { ...now, created: false };
    }
    if (!(await save(ctx, kind, key, now, merged))) return undefined;
    const saved = await findCollection(ctx.db, kind, key);
    if (saved?.indexing) ctx.later(() => indexItems(ctx.db));
    return saved && { ...saved, created: !now };
  });
}

function refusePreconditions(
  ctx: ActionContext,
  now: CollectionNow | undefined,
  { ifMatch, ifNoneMatch }: Conditions,
): void {
  const names = (tags: Precondition) => now && namesVersion(tags, now.collection.version);
  const missing = ifMatch !== null && !names(ifMatch);
  const present = ifNoneMatch !== null && names(ifNoneMatch);
  if (missing || present) throw problem.versionMismatch(now ? tagOf(ctx, now) : null);
}

/** The tag of the schema document as it is now. */
export function tagOf(ctx: ActionContext, { collection, live, indexing }: CollectionNow): string {
  return definitionTag(collection, live, indexing, ctx.now());
}

/**
 * Fields that items lack entries of once this is saved. New ones have no values, so only those that were there; but
 * computed ones, when a formula is new or another: all of them, as they use each other.
 */
function unindexed(now: CollectionNow, { definition }: Merged): number[] {
  const before = now.collection.definition.fields;
  const [had, has] = [searchableIds(before), searchableIds(definition.fields)];
  const entered = [...has].filter((id) => !had.has(id) && id < before.next);
  const computed = recalculated(before, definition.fields);
  const live = new Set([...has, ...computedIds(definition.fields)]);
  const waiting = (now.indexing?.fields ?? []).filter((id) => live.has(id));
  return [...new Set([...waiting, ...entered, ...computed])];
}

const said = ({ formula, result, decimals }: ComputedField) =>
  JSON.stringify([formula, result, decimals]);

function recalculated(before: FieldSet, after: FieldSet): number[] {
  const had = new Map(computedFields(before).map((field) => [field.id, said(field)]));
  const has = computedFields(after);
  return has.some((field) => had.get(field.id) !== said(field)) ? has.map(({ id }) => id) : [];
}

/** False when somebody else changed the definition in between. */
async function save(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  now: CollectionNow | undefined,
  merged: Merged,
): Promise<boolean> {
  const current = now?.collection;
  const entry = act(ctx, current ? "definition.change" : "definition.create", `${kind}:${key}`);
  const saved = current
    ? await changeDefinition(ctx.db, current, merged, unindexed(now, merged), entry)
    : await createCollection(ctx.db, kind, key, merged.definition, entry);
  switch (saved.outcome) {
    case "saved":
      return true;
    case "stale":
      return false;
    case "values_exist":
      throw typeInUse(merged);
    case "duplicates_exist":
      throw await valuesInUse(ctx, current, merged);
  }
}

function typeInUse({ emptied }: Merged) {
  const fields = emptied.map((field) => field.key);
  const named = fields.map((field) => `"${field}"`).join(", ");
  const detail = `The type of ${named} cannot change while items have values there.`;
  return problem.schemaInUse(detail, { field: fields[0], fields });
}

async function valuesInUse(ctx: ActionContext, current: Collection | undefined, merged: Merged) {
  const found = current && (await findDuplicate(ctx.db, current.id, merged.gained));
  if (!found) return problem.tryAgain();
  // The items are named and not the value: changing a definition does not imply reading data.
  const { key: field, items } = found;
  const detail = `"${field}" cannot become unique: ${items.join(" and ")} have the same value.`;
  return problem.schemaInUse(detail, { field, items });
}
