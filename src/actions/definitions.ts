import { computedIds, searchableIds } from "#domain/data/index-entries.ts";
import type { Collection, CollectionKind, PendingRules } from "#domain/definition/collection.ts";
import { computedFields, type ComputedField, type FieldSet } from "#domain/definition/field.ts";
import { judgeDefinition, definitionTag, namesVersion } from "#domain/definition/validate.ts";
import { saying } from "#domain/definition/document.ts";
import type { Merged } from "#domain/definition/merge.ts";
import type { Precondition } from "#domain/preconditions.ts";
import { isVisible, visibleKeys, type Resources } from "#domain/credential/credential.ts";
import type { Item } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { findCollection, listCollections, type CollectionSummary, type CollectionNow } from "#store/data/collections.ts";
import { changeDefinition, createCollection, beginPending, forgetPending } from "#store/data/save-definition.ts";
import { findWithNewestItem } from "#store/data/items.ts";
import { findDuplicate } from "#store/data/item-ranges.ts";
import { act, type ActionContext, type ReadContext } from "./context.ts";
import { catchUpLater, resume, sharedBy, typeInUse } from "./backfill.ts";
import { untilSettled } from "./idempotent.ts";

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
  return findDefinition(ctx, kind, key);
}

/** The same, whoever asks. */
export async function findDefinition(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
): Promise<CollectionNow> {
  const now = await findCollection(ctx.db, kind, key);
  if (!now) throw problem.notFound();
  goOn(ctx, now);
  return now;
}

/** With the item that was stored last: an example of what the definition is of. */
export async function readWithNewestItem(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
): Promise<{ now: CollectionNow; newest: Item | undefined }> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  const found = await findWithNewestItem(ctx.db, kind, key);
  if (!found) throw problem.notFound();
  goOn(ctx, found.now);
  return found;
}

/** Work on it that was broken off goes on. */
function goOn(ctx: ReadContext, { indexing, pending }: CollectionNow): void {
  if (indexing || pending?.problem === null) resume(ctx);
}

/** Apps or forms, and the number to go on behind where there are more. */
export interface Summaries {
  shown: CollectionSummary[];
  more: number | null;
}

/** The apps or forms that `resources` leave to see after the one numbered `after`, at most `limit`. */
export async function listVisible(
  ctx: Pick<ReadContext, "db">,
  resources: Resources,
  kind: CollectionKind,
  after: number,
  limit: number,
): Promise<Summaries> {
  const keys = visibleKeys(resources, kind);
  const found = await listCollections(ctx.db, kind, keys, after, limit + 1);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return { shown, more: found.length > limit && last ? last.id : null };
}

/** What became of a document: `pending` where items have to be looked at before it holds. */
export type Put = CollectionNow & { outcome: "created" | "changed" | "unchanged" | "pending" };

/** Creates or changes an app or a form. A document that changes nothing keeps the version. */
export async function putDefinition(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  body: unknown,
  conditions: Conditions,
): Promise<Put> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  return untilSettled(async () => {
    const now = await findCollection(ctx.db, kind, key);
    refusePreconditions(ctx, now, conditions);
    const merged = judgeDefinition(kind, key, now?.collection.definition ?? null, body);
    const outcome = await save(ctx, kind, key, now, merged);
    if (!outcome) return undefined;
    const saved = await findCollection(ctx.db, kind, key);
    if (saved?.pending || saved?.indexing) catchUpLater(ctx);
    return saved && { ...saved, outcome };
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
export function tagOf(
  ctx: Pick<ReadContext, "now">,
  { collection, live, indexing, pending }: CollectionNow,
): string {
  return definitionTag(collection, live, indexing, pending, ctx.now());
}

/**
 * Fields that items lack entries of once this is saved. New ones have no values, so only those that were there; but
 * computed ones, when a formula is new or another: all of them, as they use each other.
 */
export function unindexed(now: CollectionNow, { definition }: Merged): number[] {
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

/** Nothing when somebody else changed the definition in between. */
async function save(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  now: CollectionNow | undefined,
  merged: Merged,
): Promise<Put["outcome"] | undefined> {
  const { definition, emptied, gained, lost } = merged;
  const subject = `${kind}:${key}`;
  if (!now) {
    const entry = act(ctx, "definition.create", subject);
    const created = await createCollection(ctx.db, kind, key, definition, entry);
    return created.outcome === "saved" ? "created" : undefined;
  }
  const { collection: current, pending } = now;
  if (JSON.stringify(current.definition) === JSON.stringify(definition)) {
    if (!pending) return "unchanged";
    const forgotten = await forgetPending(ctx.db, current, pending);
    return forgotten.outcome === "saved" ? "unchanged" : undefined;
  }
  const isUnderWay = pending?.problem === null;
  if (isUnderWay && saying(kind, pending.change.definition) === saying(kind, definition)) {
    return "pending";
  }
  const change = { definition, emptied, gained, lost, unindexed: unindexed(now, merged) };
  const entry = act(ctx, "definition.change", subject);
  const small = isSmall(now, change);
  const saved = await (small ? changeDefinition : beginPending)(
    ctx.db,
    current,
    change,
    pending,
    entry,
  );
  switch (saved.outcome) {
    case "saved":
      return small ? "changed" : "pending";
    case "stale":
      return undefined;
    case "values_exist":
      throw typeInUse(merged);
    case "duplicates_exist":
      throw await valuesInUse(ctx, current, merged);
  }
}

/** What one batch can look at: items times fields, and bytes. */
const mostLooks = 20_000;
const mostBytes = 8_000_000;

export function isSmall(
  { live, largest }: CollectionNow,
  { emptied, gained }: PendingRules,
): boolean {
  const fields = emptied.length + gained.length;
  const looks = live * fields;
  return looks === 0 || (looks <= mostLooks && looks * largest <= mostBytes);
}

async function valuesInUse(ctx: ActionContext, current: Collection, { gained }: PendingRules) {
  const found = await findDuplicate(ctx.db, current.id, gained);
  return found ? sharedBy(found.key, found.items) : problem.tryAgain();
}
