import type { Context } from "hono";
import { findCurrentCollection } from "#actions/collection-cache.ts";
import { getRecord, getSubmission, type LoadedItem } from "#actions/visible.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { wholeCollection } from "#domain/data/narrow.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { etagOf } from "#domain/preconditions.ts";
import { problem } from "#domain/problem/problem.ts";
import type { AdminEnv, AppEnv, RequestContext } from "#http/env.ts";
import { collectionPath } from "#admin/definitions/layout.tsx";
import { numberOf, type FormValues } from "#admin/form-input.ts";

export const keyParam = (c: RequestContext<AppEnv>) => c.req.param("key") ?? "";

export const itemsPath = (c: Context<AdminEnv>, kind: CollectionKind) =>
  `${collectionPath[kind]}/${keyParam(c)}/items`;

/** Loads the current collection with its item count. Throws 404 if it does not exist. */
export async function getStoredCollection(
  c: RequestContext<AppEnv>,
  kind: CollectionKind,
  key = keyParam(c),
) {
  const read = await findCurrentCollection(c.env, kind, key);
  if (!read) throw problem.notFound();
  return read;
}

/** An item with the whole collection. Members always see whole collections. */
export type MemberItem = LoadedItem & { compiled: CompiledCollection };

export async function getItem(c: Context<AdminEnv>, kind: CollectionKind): Promise<MemberItem> {
  const loaded = await loadItem(c, kind);
  return { ...loaded, compiled: wholeCollection(loaded.compiled) };
}

async function loadItem(c: Context<AdminEnv>, kind: CollectionKind): Promise<LoadedItem> {
  const id = c.req.param("id") ?? "";
  if (kind === "app") return getRecord(c.var.action, keyParam(c), id);
  const submission = await getSubmission(c.var.action, id);
  if (submission.compiled.collection.key !== keyParam(c)) throw problem.notFound();
  return submission;
}

/** The If-Match condition of a form (`$version`) or of a JSON request (`version`). */
export function readIfMatch(form: FormValues): string[] | null {
  const version = form["$version"] ?? form["version"];
  return version === undefined ? null : [etagOf(numberOf(version))];
}
