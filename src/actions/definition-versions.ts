import type { CollectionKind } from "#domain/definition/collection.ts";
import { problem } from "#domain/problem/problem.ts";
import {
  loadDefinitionVersions as loadStoredVersions,
  type DefinitionVersions,
} from "#store/data/former-definitions.ts";
import type { ReadContext } from "./context.ts";

/** Loads the definition of a version, as far as it is kept, and the one before it. */
export async function loadDefinitionVersions(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
  version: number,
): Promise<DefinitionVersions> {
  const db = ctx.databases.named(kind, key);
  const versions = await loadStoredVersions(db, kind, key, version);
  if (!versions) throw problem.notFound();
  return versions;
}
