import { confirmDefinitions, type CheckedDefinition } from "#store/data/confirm-definitions.ts";
import type { StoreResult } from "#store/home/credentials.ts";
import type { ReadContext } from "./context.ts";
import { retryOnConflict } from "./idempotent.ts";

interface ViewUse {
  /** Throws if the current definitions do not allow this use of their views. Returns them. */
  check: () => Promise<CheckedDefinition[]>;
  /** An earlier result of `check`. */
  checked: readonly CheckedDefinition[];
  store: (definitions: readonly CheckedDefinition[]) => Promise<StoreResult>;
  undo: () => Promise<unknown>;
}

/**
 * Stores a credential or a webhook that uses views, unless a definition changes concurrently. If definitions are in
 * other databases, it confirms them after the write. If one has then changed so that it no longer allows the use, it
 * undoes the write. Returns false and stores nothing if `store` rejects the write.
 */
export async function storeWithViews(
  ctx: Pick<ReadContext, "databases" | "timing">,
  { check, checked, store, undo }: ViewUse,
): Promise<boolean> {
  let isStored = false;
  let current: readonly CheckedDefinition[] | undefined = checked;
  return retryOnConflict(ctx, async () => {
    const recheck = () =>
      check().catch(async (error: unknown) => {
        if (isStored) await undo();
        throw error;
      });
    const definitions = current ?? (await recheck());
    current = undefined;
    if (!isStored) {
      const result = await store(definitions);
      if (result === "refused") return false;
      isStored = result === "stored";
    }
    const isDone = isStored && (await confirmDefinitions(ctx.databases, definitions));
    return isDone || undefined;
  });
}
