import type { Collection } from "#domain/definition/collection.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { reasonFor } from "#domain/problem/reasons.ts";
import { confirmDefinitions, type CheckedDefinition } from "#store/data/confirm-definitions.ts";
import type { StoreResult } from "#store/home/credentials.ts";
import type { ActionContext, ShownDefinitions } from "./context.ts";
import { retryOnConflict } from "./idempotent.ts";

/** Returns a text that identifies a definition and its version. */
export const definitionMark = ({ id, version }: Pick<Collection, "id" | "version">): string =>
  `${id}.${version}`;

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
 * undoes the write. Returns false and stores nothing if `store` rejects the write. Throws 422 if a definition differs
 * from the one that a page showed, because its views could show more.
 */
export async function storeWithViews(
  ctx: Pick<ActionContext, "databases" | "timing" | "shownDefinitions">,
  { check, checked, store, undo }: ViewUse,
): Promise<boolean> {
  let isStored = false;
  let current: readonly CheckedDefinition[] | undefined = checked;
  return retryOnConflict(ctx, async () => {
    const recheck = async () => {
      const definitions = current ?? (await check());
      assertAsShown(definitions, ctx.shownDefinitions);
      return definitions;
    };
    const definitions = await recheck().catch(async (error: unknown) => {
      if (isStored) await undo();
      throw error;
    });
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

function assertAsShown(
  definitions: readonly CheckedDefinition[],
  shown: ShownDefinitions = new Map(),
): void {
  const names = definitions.map((each) => ({ each, name: `${each.kind}:${each.key}` }));
  const changed = names.find(
    ({ each, name }) => (shown.get(name) ?? definitionMark(each)) !== definitionMark(each),
  );
  if (!changed) return;
  const reason = reasonFor("definitionChangedSince", { collection: changed.name });
  throw problem.invalidInput([errorAt(["resources"], "not_an_option", reason)]);
}
