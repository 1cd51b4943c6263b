import { reachesWhole } from "#domain/credential/credential.ts";
import type { CollectionKind, Definition } from "#domain/definition/collection.ts";
import { definitionError } from "#domain/definition/field.ts";
import { referencePlaces } from "#domain/definition/reference-places.ts";
import { problem } from "#domain/problem/problem.ts";
import { findApps } from "#store/data/references.ts";
import type { ActionContext } from "./context.ts";

/**
 * Throws 422 for fields that refer to an app that does not exist. An app that the caller cannot see gets the same
 * answer, unless the definition already refers to it. The batch of the definition decides; this explains its refusal.
 */
export async function assertAppsExist(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  before: Definition | null,
  { fields }: Definition,
): Promise<void> {
  const places = referencePlaces(fields.fields);
  if (places.length === 0) return;
  const knownApps = new Set(referencePlaces(before?.fields.fields ?? []).map(({ app }) => app));
  const mayRefer = (app: string) => knownApps.has(app) || reachesWhole(ctx.resources, "app", app);
  const existing = await findApps(
    ctx.databases.named(kind, key),
    places.map(({ app }) => app),
  );
  if (kind === "app") existing.add(key);
  const errors = places
    .filter(({ app }) => !existing.has(app) || !mayRefer(app))
    .map(({ app, path }) => {
      const reason = `There is no app "${app}" that this definition may refer to.`;
      return definitionError([...path, "app"], reason);
    });
  if (errors.length > 0) throw problem.invalidInput(errors);
}
