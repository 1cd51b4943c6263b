import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { readPermission } from "#domain/credential/permissions.ts";
import { dependsOnCaller } from "#domain/search/view.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { findCollectionOf } from "#store/data/collections.ts";
import {
  hideCollection,
  listDeleted,
  loadDeletedViews,
  previewDeletion,
  showCollection,
  type DeletedCollection,
  type DeletionPreview,
} from "#store/data/deletions.ts";
import { findReferringField } from "#store/data/references.ts";
import { listFormerAccess, loadCredentials } from "#store/home/former-access.ts";
import { forgetCollection } from "./collection-cache.ts";
import { auditRecord, type ActionContext } from "./context.ts";
import { loadDefinition } from "./definitions.ts";
import { retryOnConflict } from "./idempotent.ts";
import type { MemberContext } from "./members.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/**
 * Pushes these credentials to their objects after the response. Without the push, the objects would notice within a
 * minute.
 */
function pushLater(ctx: MemberContext, ids: readonly string[]): void {
  ctx.runAfterResponse(async () =>
    ctx.pushCredentials(await loadCredentials(ctx.databases.home, ids)),
  );
}

/** Counts what a deletion of an app or form would remove. */
export async function getDeletionPreview(
  { databases }: Pick<ActionContext, "databases">,
  kind: CollectionKind,
  key: string,
): Promise<DeletionPreview> {
  const preview = await previewDeletion(databases, { kind, key });
  if (!preview) throw problem.notFound();
  return preview;
}

/** Deletes an app or form, which can be restored within seven days. `typed` is the member's confirmation. */
export async function deleteCollection(
  ctx: MemberContext,
  kind: CollectionKind,
  key: string,
  typed: string,
): Promise<Collection> {
  const { databases } = ctx;
  const deleted = await retryOnConflict(ctx, async () => {
    const current = await loadDefinition(ctx, kind, key);
    if (typed !== key) {
      const reason = reasonFor("wrongConfirmation", { key, kind });
      throw problem.invalidInput([errorAt(["confirm"], "invalid_format", reason)]);
    }
    const db = databases.of(current.collection);
    const reference = kind === "app" ? await findReferringField(db, key) : null;
    if (reference) throw referredProblem(reference);
    const entry = auditRecord(ctx, "definition.delete", `${kind}:${key}`);
    if (!(await hideCollection(databases, db, current, entry))) return undefined;
    forgetCollection(ctx.memory, current.collection.id);
    return current.collection;
  });
  pushLater(ctx, await listFormerAccess(databases.home, `${kind}:${key}`));
  return deleted;
}

const referredProblem = ({ name, field }: { name: string; field: string }) =>
  problem.schemaInUse(reasonFor("referredApp", { field, collection: name.replace(":", " ") }), {
    field,
    fields: [`${name}.${field}`],
  });

export const listDeletedCollections = ({
  databases,
}: Pick<ActionContext, "databases">): Promise<DeletedCollection[]> => listDeleted(databases);

/** Restores a deleted app or form with its data, and returns it to the credentials that lost access. */
export async function restoreCollection(
  ctx: MemberContext,
  id: number,
): Promise<DeletedCollection> {
  const { databases } = ctx;
  const deleted = (await listDeleted(databases)).find((each) => each.id === id);
  if (!deleted) throw problem.notFound();
  const name = `${deleted.kind}:${deleted.key}`;
  const db = databases.of({ id });
  const credentialIds = await listFormerAccess(databases.home, name);
  const entry = auditRecord(ctx, "definition.restore", name);
  // A deleted definition does not change, so this read needs no guard.
  const personal = (await loadDeletedViews(db))
    .filter(dependsOnCaller)
    .map((view) => `${name}/${view.key}`);
  const access = { name, readPermission: readPermission[deleted.kind], personal };
  if (!(await showCollection(databases, db, access, entry))) {
    if (await findCollectionOf(db)) return deleted;
    throw problem.conflict("It is being erased, so it cannot be restored.", "being_erased");
  }
  pushLater(ctx, credentialIds);
  return deleted;
}
