import { detailOfChange } from "#domain/definition/view-changes.ts";
import { parseDefinitionPatch } from "#domain/definition/patch.ts";
import { problem } from "#domain/problem/problem.ts";
import { viewErrors } from "#domain/search/view.ts";
import { nextVersion } from "#domain/timeline.ts";
import type { Precondition } from "#domain/preconditions.ts";
import type { CurrentCollection, PendingChange } from "#store/data/collections.ts";
import { storePatchedDefinition } from "#store/data/patch-definition.ts";
import { scheduleBackfill } from "./backfill.ts";
import { auditRecord, type ActionContext } from "./context.ts";
import {
  assertCanShortenHistory,
  assertPreconditions,
  loadDefinition,
  type SavedDefinition,
} from "./definitions.ts";
import { resultsToRecalculate } from "./fields-to-index.ts";
import { retryOnConflict } from "./idempotent.ts";
import { checkViewEffects } from "./view-users.ts";
import { withRetention } from "./retention.ts";
import { noConsequences, type DryRun } from "./dry-run-definition.ts";

/** A definition with a patch applied. A pending change gets the patch too. */
interface PatchedDefinition {
  patched: CurrentCollection;
  isChanged: boolean;
  /** The ids of the results that can change. */
  recalculated: number[];
  /** The pending change with the patch applied, unless it was dropped. */
  pendingChange: PendingChange | null;
}

async function applyPatch(
  ctx: ActionContext,
  current: CurrentCollection,
  body: unknown,
  ifMatch: Precondition | null,
): Promise<PatchedDefinition> {
  assertPreconditions(ctx, current, { ifMatch, ifNoneMatch: null });
  const { collection, pending } = current;
  const { kind, key } = collection;
  const applyTo = parseDefinitionPatch(kind, key, collection.definition, body);
  const patchedDefinition = applyTo(collection.definition);
  const definition = await withRetention(ctx, collection.definition, patchedDefinition);
  assertCanShortenHistory(ctx, collection.definition, definition);
  const recalculated = resultsToRecalculate(collection, definition, []);
  const patchedPending =
    pending?.problem === null
      ? {
          ...pending.change,
          definition: { ...applyTo(pending.change.definition), retain: definition.retain ?? null },
          unindexed: [...new Set([...pending.change.unindexed, ...recalculated])],
        }
      : null;
  const pendingErrors = patchedPending ? viewErrors(kind, key, patchedPending.definition) : [];
  if (pendingErrors.length > 0) throw problem.invalidInput(pendingErrors);
  const isChanged =
    !isSame(collection.definition, definition) ||
    (patchedPending !== null && !isSame(pending?.change.definition, patchedPending.definition));
  const { timeline } = ctx.databases;
  const version = isChanged ? nextVersion(collection.version, timeline) : collection.version;
  return {
    isChanged,
    recalculated,
    pendingChange: patchedPending,
    patched: {
      ...current,
      collection: { ...collection, definition, version },
      pending: pending && patchedPending ? { ...pending, change: patchedPending } : pending,
    },
  };
}

const isSame = (a: object | undefined, b: object) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Changes the settings of an app or a form, but not its fields, so the change always takes effect at once. A pending
 * change continues with the patch applied.
 */
export async function patchDefinition(
  ctx: ActionContext,
  loaded: CurrentCollection,
  body: unknown,
  ifMatch: Precondition | null,
): Promise<SavedDefinition> {
  const { kind, key } = loaded.collection;
  let current: CurrentCollection | undefined = loaded;
  return retryOnConflict(ctx, async () => {
    const base = current ?? (await loadDefinition(ctx, kind, key));
    current = undefined;
    const {
      patched,
      isChanged,
      recalculated,
      pendingChange: patchedPending,
    } = await applyPatch(ctx, base, body, ifMatch);
    if (!isChanged) return { ...base, outcome: "unchanged" };
    const { collection } = base;
    await checkViewEffects(ctx, collection, patched.collection.definition);
    const saveResult = await storePatchedDefinition(
      ctx.databases.of(collection),
      base,
      patched.collection.definition,
      recalculated,
      patchedPending,
      auditRecord(ctx, "definition.change", `${kind}:${key}`, {
        detail: detailOfChange(collection.definition, patched.collection.definition),
      }),
    );
    if (saveResult.outcome !== "saved") return undefined;
    const storedCollection = await loadDefinition(ctx, kind, key);
    if (storedCollection.pending || storedCollection.indexing) scheduleBackfill(ctx);
    return { ...storedCollection, outcome: "changed" };
  });
}

/** Runs every check of `patchDefinition` and stores nothing. */
export async function dryRunPatch(
  ctx: ActionContext,
  loaded: CurrentCollection,
  body: unknown,
  ifMatch: Precondition | null,
): Promise<DryRun> {
  const { patched, isChanged, recalculated } = await applyPatch(ctx, loaded, body, ifMatch);
  const { definition } = patched.collection;
  const viewEffects = await checkViewEffects(ctx, loaded.collection, definition);
  const outcome = isChanged ? ("changed" as const) : ("unchanged" as const);
  const recalculatedCount = recalculated.length > 0 ? loaded.itemCount : 0;
  return {
    current: loaded,
    result: patched,
    consequences: { ...noConsequences, outcome, viewEffects, recalculatedCount },
  };
}
