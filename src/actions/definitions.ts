import {
  defaultHistoryDays,
  type Collection,
  type CollectionKind,
  type Definition,
  type PendingRules,
} from "#domain/definition/collection.ts";
import {
  validateDefinition,
  definitionFingerprint,
  formatDefinitionEtag,
  matchesVersion,
} from "#domain/definition/validate.ts";
import { detailOfChange } from "#domain/definition/view-changes.ts";
import { pendingRules, type MergedDefinition } from "#domain/definition/merge.ts";
import type { Precondition } from "#domain/preconditions.ts";
import {
  isVisible,
  hasWholeAccess,
  visibleKeys,
  type Resources,
} from "#domain/credential/credential.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import {
  findCollection,
  listCollectionOverviews,
  listCollections,
  pendingDefinition,
  type CollectionOverview,
  type CollectionSummary,
  type CurrentCollection,
} from "#store/data/collections.ts";
import { createCollection, type NewCollection } from "#store/data/create-collection.ts";
import { changeDefinition, beginPending, cancelPending } from "#store/data/save-definition.ts";
import { findForEditor, type EditedCollection } from "#store/data/edited-collection.ts";
import type { DataDatabase } from "#store/db/database.ts";
import { findDuplicate } from "#store/data/item-ranges.ts";
import { auditRecord, type ActionContext, type ReadContext } from "./context.ts";
import {
  scheduleBackfill,
  resumeBackfill,
  sharedValueProblem,
  typeInUseProblem,
} from "./backfill.ts";
import { fieldsToIndex } from "./fields-to-index.ts";
import { retryOnConflict } from "./idempotent.ts";
import { visibleDefinition } from "./caller-access.ts";
import { checkReplacement } from "./view-users.ts";
import { withRetention } from "./retention.ts";
import { reservedKeyProblem } from "./reserved-key.ts";
import { findSites, placeCollection } from "./place-collection.ts";
import { assertAppsExist } from "./referenced-apps.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

export interface Preconditions {
  ifMatch: Precondition | null;
  ifNoneMatch: Precondition | null;
}

export async function getDefinition(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
): Promise<CurrentCollection> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  return visibleDefinition(ctx, await loadDefinition(ctx, kind, key));
}

/** Lists all apps or forms with their item counts. */
export const listOverviews = (
  { databases }: ActionContext,
  kind: CollectionKind,
): Promise<CollectionOverview[]> => listCollectionOverviews(databases, kind);

/** Loads the collection without checking whether the caller can see it. */
export async function loadDefinition(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
): Promise<CurrentCollection> {
  const current = await findCollection(ctx.databases.named(kind, key), kind, key);
  if (!current) throw problem.notFound();
  resumeUnfinished(ctx, current);
  return current;
}

/** Returns the collection with its newest item, which serves as an example, and the apps that it can refer to. */
export async function getForEditor(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
): Promise<EditedCollection> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  const collection = await findForEditor(ctx.databases.named(kind, key), kind, key);
  if (!collection) throw problem.notFound();
  resumeUnfinished(ctx, collection.current);
  return collection;
}

/** Resumes interrupted work on the collection's items, after the response. */
export function resumeUnfinished(ctx: ReadContext, { indexing, pending }: CurrentCollection): void {
  if (indexing || pending?.problem === null) resumeBackfill(ctx);
}

/** A page of apps or forms. `nextPosition` is the id after which the next page starts; null at the end. */
export interface SummaryPage {
  summaries: CollectionSummary[];
  nextPosition: number | null;
}

/** Lists up to `limit` apps or forms with an id above `after` that `resources` make visible. */
export async function listVisibleCollections(
  ctx: Pick<ReadContext, "databases">,
  resources: Resources,
  kind: CollectionKind,
  after: number,
  limit: number,
): Promise<SummaryPage> {
  const keys = visibleKeys(resources, kind);
  const rows = await listCollections(ctx.databases, kind, keys, after, limit + 1);
  const summaries = rows.slice(0, limit);
  const last = summaries.at(-1);
  return { summaries, nextPosition: rows.length > limit && last ? last.id : null };
}

/** The result of saving a document. `pending` means that the service must check items before it takes effect. */
export type SavedDefinition = CurrentCollection & {
  outcome: "created" | "changed" | "unchanged" | "pending";
};

/** Creates or changes an app or a form. A document that changes nothing keeps the version. */
export async function putDefinition(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  body: unknown,
  preconditions: Preconditions,
): Promise<SavedDefinition> {
  if (!hasWholeAccess(ctx.resources, kind, key)) throw problem.notFound();
  return retryOnConflict(ctx, async () => {
    const current = await findCollection(ctx.databases.named(kind, key), kind, key);
    assertPreconditions(ctx, current, preconditions);
    const before = current?.collection.definition ?? null;
    const merged = validateDefinition(kind, key, before, body, pendingDefinition(current));
    if (before) assertCanShortenHistory(ctx, before, merged.definition);
    const group = await assertAppsExist(ctx, kind, key, before, merged.definition);
    const definition = await withRetention(ctx, before ?? undefined, merged.definition);
    if (current) await checkReplacement(ctx, current, definition);
    const outcome = current
      ? await saveDefinition(ctx, current, { ...merged, definition })
      : await insertDefinition(ctx, { kind, key, definition }, group);
    if (!outcome) return undefined;
    const savedCollection = await findCollection(ctx.databases.named(kind, key), kind, key);
    if (savedCollection?.pending || savedCollection?.indexing) scheduleBackfill(ctx);
    return savedCollection && { ...savedCollection, outcome };
  });
}

/** Only owners may shorten the history, because that erases former values. */
export function assertCanShortenHistory(
  { actor, role }: ActionContext,
  { history_days: before = defaultHistoryDays }: Definition,
  { history_days: after = defaultHistoryDays }: Definition,
): void {
  if (after >= before || role === "owner") return;
  if (actor.startsWith("member:")) throw problem.roleRequired("owners");
  const reason = reasonFor("historyNotAllowed", { days: before });
  throw problem.invalidInput([errorAt(["history_days"], "invalid_definition", reason)]);
}

export function assertPreconditions(
  ctx: ActionContext,
  current: CurrentCollection | undefined,
  { ifMatch, ifNoneMatch }: Preconditions,
): void {
  const matches = (tags: Precondition) =>
    current && matchesVersion(tags, current.collection.version);
  const matchFailed = ifMatch !== null && !matches(ifMatch);
  const noneMatchFailed = ifNoneMatch !== null && matches(ifNoneMatch);
  if (matchFailed || noneMatchFailed)
    throw problem.versionMismatch(current ? buildDefinitionEtag(ctx, current) : null);
}

/** Returns the ETag of the current schema document. */
export function buildDefinitionEtag(
  ctx: Pick<ReadContext, "now">,
  { collection, itemCount, indexing, pending }: CurrentCollection,
): string {
  return formatDefinitionEtag(collection, itemCount, indexing, pending, ctx.now());
}

/** Creates the collection. Returns undefined when a concurrent request created it first. */
async function insertDefinition(
  ctx: ActionContext,
  created: NewCollection,
  group: DataDatabase | null,
): Promise<"created" | undefined> {
  const { kind, key, definition } = created;
  const sites = await findSites(ctx, definition, group);
  const place = ctx.databases.directory ? await placeCollection(ctx, created, sites) : null;
  if (place === undefined) return undefined;
  const entry = auditRecord(ctx, "definition.create", `${kind}:${key}`);
  const { outcome } = await createCollection(ctx.databases, created, place, entry);
  if (outcome === "reserved")
    throw (await reservedKeyProblem(ctx, kind, key)) ?? problem.tryAgain();
  return outcome === "saved" ? "created" : undefined;
}

/** Saves the definition. Returns undefined when a concurrent request changed it first. */
async function saveDefinition(
  ctx: ActionContext,
  current: CurrentCollection,
  merged: MergedDefinition,
): Promise<SavedDefinition["outcome"] | undefined> {
  const { definition, uniqueRemoved } = merged;
  const rules = pendingRules(merged);
  const { collection, pending } = current;
  const { kind, key } = collection;
  const subject = `${kind}:${key}`;
  const db = ctx.databases.of(collection);
  if (JSON.stringify(collection.definition) === JSON.stringify(definition)) {
    if (!pending) return "unchanged";
    const cancelResult = await cancelPending(db, collection, pending);
    return cancelResult.outcome === "saved" ? "unchanged" : undefined;
  }
  const isPending = pending?.problem === null;
  if (
    isPending &&
    definitionFingerprint(kind, pending.change.definition) ===
      definitionFingerprint(kind, definition)
  ) {
    return "pending";
  }
  const change = { definition, ...rules, lost: uniqueRemoved, ...fieldsToIndex(current, merged) };
  const entry = auditRecord(ctx, "definition.change", subject, {
    detail: detailOfChange(collection.definition, definition),
  });
  const isSmall = isSmallChange(current, change);
  const save = isSmall ? changeDefinition : beginPending;
  const saveResult = await save(db, collection, change, pending, entry);
  switch (saveResult.outcome) {
    case "saved":
      return isSmall ? "changed" : "pending";
    case "stale":
    case "reserved":
    case "unknown_app":
      return undefined;
    case "values_exist":
      throw typeInUseProblem(rules);
    case "duplicates_exist":
      throw await duplicateValuesProblem(ctx, collection, rules);
  }
}

/** The maximum work of one batch that checks items: items times fields, and bytes. */
const maxFieldChecks = 20_000;
const maxCheckedBytes = 8_000_000;

export function isSmallChange(
  { itemCount, largestItemBytes }: CurrentCollection,
  { emptied, gained }: PendingRules,
): boolean {
  const fields = emptied.length + gained.length;
  const checks = itemCount * fields;
  return checks === 0 || (checks <= maxFieldChecks && checks * largestItemBytes <= maxCheckedBytes);
}

async function duplicateValuesProblem(
  ctx: ActionContext,
  collection: Collection,
  { gained }: PendingRules,
) {
  const duplicate = await findDuplicate(ctx.databases.of(collection), gained);
  return duplicate ? sharedValueProblem(duplicate.key, duplicate.items) : problem.tryAgain();
}
