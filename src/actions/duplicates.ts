import { permissionsAllow, readPermission } from "#domain/credential/permissions.ts";
import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import { fieldNumber } from "#domain/data/values.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { uniqueIdOf } from "#domain/definition/field.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";
import type { UniqueConflict } from "#store/data/item-ranges.ts";
import type { ActionContext } from "./context.ts";
import { knowsField, outsideView } from "./narrow-write.ts";
import { findVisibleItem } from "./visible.ts";

/** Builds the 409 for the first field whose value another item has. Includes that item's ID only if the caller can read it. */
export async function duplicateProblem(
  ctx: ActionContext,
  access: CollectionAccess,
  conflicts: readonly UniqueConflict[],
): Promise<Problem> {
  const { collection } = wholeCollection(access);
  const first = firstConflict(collection, conflicts);
  if (!first) return problem.tryAgain();
  const { key, id } = first;
  if (!knowsField(access, key)) return outsideView();
  const canRead = permissionsAllow(ctx.permissions, readPermission[collection.kind]);
  const isReadable = canRead && (await isInView(ctx, access, id));
  return problem.duplicate(key, isReadable ? id : undefined);
}

/** Returns the conflict of the field that comes first in the definition. */
export function firstConflict(
  collection: Collection,
  conflicts: readonly UniqueConflict[],
): { key: string; id: string } | undefined {
  for (const { key, number } of numberedFields(collection)) {
    const conflict = conflicts.find(({ field }) => field === number);
    if (conflict) return { key, id: conflict.id };
  }
  return undefined;
}

async function isInView(
  ctx: ActionContext,
  { extent, collection: { kind } }: CollectionAccess,
  id: string,
): Promise<boolean> {
  if (extent === "whole") return true;
  const found = await findVisibleItem(ctx, { kind, id });
  return found !== undefined;
}

/**
 * Returns the fields of the definition, and the fields that a pending change makes unique, with the numbers of their
 * unique values. Fields that are not unique have a number that no value has.
 */
export function numberedFields({ id, definition, pending }: Collection) {
  return [...definition.fields.fields, ...(pending?.gained ?? [])].map((field) => {
    const uniqueId = "id" in field && "label" in field ? uniqueIdOf(field) : field.uniqueId;
    return { key: field.key, number: fieldNumber(id, uniqueId ?? 0) };
  });
}
