import type { Definition } from "#domain/definition/collection.ts";
import { detailOfChange } from "#domain/definition/view-changes.ts";
import { parseDefinitionPatch } from "#domain/definition/patch.ts";
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
import {
  checkViewEffects,
  mergeViewEffects,
  noViewEffects,
  type ViewEffects,
} from "./view-users.ts";
import { withRetention } from "./retention.ts";
import { noConsequences, type DryRun } from "./dry-run-definition.ts";

/** A definition with a patch applied. The patch also applies to a pending change. */
interface PatchedDefinition {
  patched: CurrentCollection;
  isChanged: boolean;
  /** The ids of the fields whose results can change. */
  recalculated: number[];
  viewEffects: ViewEffects;
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
  const { kind, key, definition: before } = collection;
  const patch = parseDefinitionPatch(kind, key, before, body);
  const definition = await withCheckedRules(ctx, before, patch.patched);
  const recalculated = resultsToRecalculate(collection, definition, []);
  const effects = await checkViewEffects(ctx, collection, definition);
  const change = pending?.problem === null ? pending.change : null;
  const patchedPending = change && {
    ...change,
    definition: await withCheckedRules(
      ctx,
      change.definition,
      patch.applyToPending(change.definition),
    ),
    unindexed: [...new Set([...change.unindexed, ...recalculated])],
  };
  // A pending change takes effect with the rights of its author, not with the rights of the caller.
  const pendingEffects =
    change && patchedPending
      ? await checkViewEffects(
          ctx,
          { ...collection, definition: change.definition },
          patchedPending.definition,
        )
      : noViewEffects;
  const isChanged =
    !isSame(before, definition) ||
    (patchedPending !== null && !isSame(change?.definition, patchedPending.definition));
  const { timeline } = ctx.databases;
  const version = isChanged ? nextVersion(collection.version, timeline) : collection.version;
  return {
    isChanged,
    recalculated,
    viewEffects: mergeViewEffects(effects, pendingEffects),
    pendingChange: patchedPending,
    patched: {
      ...current,
      collection: { ...collection, definition, version },
      pending: pending && patchedPending ? { ...pending, change: patchedPending } : pending,
    },
  };
}

/** Sets the time from which a new retention rule applies. Throws if the caller may not change rules that erase data. */
async function withCheckedRules(
  ctx: ActionContext,
  before: Definition,
  patched: Definition,
): Promise<Definition> {
  const definition = await withRetention(ctx, before, patched);
  assertCanShortenHistory(ctx, before, definition);
  return definition;
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
  const { patched, isChanged, recalculated, viewEffects } = await applyPatch(
    ctx,
    loaded,
    body,
    ifMatch,
  );
  const outcome = isChanged ? ("changed" as const) : ("unchanged" as const);
  const recalculatedCount = recalculated.length > 0 ? loaded.itemCount : 0;
  return {
    current: loaded,
    result: patched,
    consequences: { ...noConsequences, outcome, viewEffects, recalculatedCount },
  };
}
