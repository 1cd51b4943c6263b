import type { Context } from "hono";
import { readCollection } from "#actions/collection-cache.ts";
import { visibleRecord, visibleSubmission, type Found } from "#actions/visible.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { etagOf } from "#domain/preconditions.ts";
import { problem } from "#domain/problem/problem.ts";
import type { AdminEnv, AppEnv, Reading } from "#http/env.ts";
import { words } from "#admin/definitions/layout.tsx";
import { numberOf, type Sent } from "#admin/form-input.ts";

export const keyOf = (c: Reading<AppEnv>) => c.req.param("key") ?? "";

export const addressOf = (c: Context<AdminEnv>, kind: CollectionKind) =>
  `${words[kind].path}/${keyOf(c)}/items`;

/** The collection as it is now, and how many items it holds. */
export async function opened(c: Reading<AppEnv>, kind: CollectionKind, key = keyOf(c)) {
  const read = await readCollection(c.env.DB, kind, key);
  if (!read) throw problem.notFound();
  return read;
}

export async function foundItem(c: Context<AdminEnv>, kind: CollectionKind): Promise<Found> {
  const id = c.req.param("id") ?? "";
  if (kind === "app") return visibleRecord(c.var.action, keyOf(c), id);
  const one = await visibleSubmission(c.var.action, id);
  if (one.compiled.collection.key !== keyOf(c)) throw problem.notFound();
  return one;
}

/** The version that a form was drawn from; programs call it `version`. */
export function versionSent(sent: Sent): string[] | null {
  const version = sent["$version"] ?? sent["version"];
  return version === undefined ? null : [etagOf(numberOf(version))];
}
