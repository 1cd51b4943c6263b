import { defaultErrors } from "../domain/data/defaults";
import { computedIds, searchableIds } from "../domain/data/search-entries";
import { compile } from "../domain/data/compile";
import type { Collection, CollectionKind } from "../domain/definition/collection";
import { collectionKey, mostDefinitionBytes, parseDefinition } from "../domain/definition/document";
import { computedFields, type ComputedField, type FieldSet } from "../domain/definition/field";
import { invalid } from "../domain/definition/rules";
import { mergeDefinition, type Merged } from "../domain/definition/merge";
import { mostDefinedSteps } from "../domain/formula/compile";
import { etagOf, matches, type Precondition } from "../domain/etag";
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
    refusePreconditions(now, conditions);
    const merged = mergedWith(kind, key, now?.collection ?? null, body);
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

/** Refuses what saving this document would refuse, and stores nothing. */
export function judgeDefinition(kind: CollectionKind, current: Collection, body: unknown): void {
  mergedWith(kind, current.key, current, body);
}

function refusePreconditions(
  now: CollectionNow | undefined,
  { ifMatch, ifNoneMatch }: Conditions,
): void {
  const etag = now ? etagOf(now.collection.version) : null;
  const missing = ifMatch !== null && (etag === null || !matches(ifMatch, etag));
  const present = ifNoneMatch !== null && etag !== null && matches(ifNoneMatch, etag);
  if (missing || present) throw problem.versionMismatch(etag);
}

function mergedWith(
  kind: CollectionKind,
  key: string,
  current: Collection | null,
  body: unknown,
): Merged {
  if (!collectionKey.test(key)) {
    throw problem.invalidInput([invalid(["key"], `Must match ${collectionKey.source}.`)]);
  }
  const { document, errors } = parseDefinition(kind, key, body);
  if (!document) throw problem.invalidInput(errors);
  const merged = mergeDefinition(kind, key, current?.definition ?? null, document);
  const { definition } = merged;
  const { fields } = compile({ id: 0, kind, key, version: 0, changedAt: 0, definition });
  errors.push(...merged.errors, ...defaultErrors(fields), ...fields.formulaErrors);
  if (fields.steps > mostDefinedSteps) {
    const reason = `The formulas take up to ${fields.steps} steps for one item; at most ${mostDefinedSteps} are allowed.`;
    errors.push(invalid(["fields"], reason));
  }
  if (JSON.stringify(definition.fields).length > mostDefinitionBytes) {
    errors.push(invalid(["fields"], `A definition has at most ${mostDefinitionBytes} bytes.`));
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
  return merged;
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
