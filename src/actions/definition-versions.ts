import type { CollectionKind } from "#domain/definition/collection.ts";
import { problem } from "#domain/problem/problem.ts";
import {
  loadDefinitionHistory as loadStoredHistory,
  type DefinitionHistory,
} from "#store/data/definition-history.ts";
import {
  loadDefinitionVersions as loadStoredVersions,
  type DefinitionVersions,
} from "#store/data/former-definitions.ts";
import type { ReadContext } from "./context.ts";

/** Loads the stored definitions of a version, of the version before it, and of version `from`. */
export async function loadDefinitionVersions(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
  numbers: { version: number; from: number },
): Promise<DefinitionVersions> {
  const db = ctx.databases.named(kind, key);
  const versions = await loadStoredVersions(db, kind, key, numbers);
  if (!versions) throw problem.notFound();
  return versions;
}

/** Lists the newest versions of a definition, with their authors and times. */
export async function loadDefinitionHistory(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
): Promise<DefinitionHistory> {
  const history = await loadStoredHistory(ctx.databases, kind, key);
  if (!history) throw problem.notFound();
  return history;
}
