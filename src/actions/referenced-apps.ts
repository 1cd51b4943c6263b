import { retryTransient } from "#store/db/retry.ts";
import { hasWholeAccess } from "#domain/credential/credential.ts";
import type { CollectionKind, Definition } from "#domain/definition/collection.ts";
import { definitionError } from "#domain/definition/field.ts";
import { referencePlaces } from "#domain/definition/reference-places.ts";
import { problem } from "#domain/problem/problem.ts";
import { findApps } from "#store/data/references.ts";
import type { DataDatabase } from "#store/db/database.ts";
import type { ActionContext } from "./context.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

type ReferencePlace = ReturnType<typeof referencePlaces>[number];

/**
 * Throws 422 for fields that refer to an app that does not exist. An app that the caller cannot see gets the same
 * error, unless the definition already refers to it. The batch of the definition makes the decision. This function
 * explains its rejection. With several databases, it returns the database of the apps, because linked collections share
 * one.
 */
export async function assertAppsExist(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  before: Definition | null,
  { fields }: Definition,
): Promise<DataDatabase | null> {
  const places = referencePlaces(fields.fields);
  if (places.length === 0) return null;
  const knownApps = new Set(referencePlaces(before?.fields.fields ?? []).map(({ app }) => app));
  const mayRefer = (app: string) => knownApps.has(app) || hasWholeAccess(ctx.resources, "app", app);
  const allowed = places.filter(({ app }) => mayRefer(app));
  const group = await findGroup(ctx, kind, key, before !== null, allowed);
  const existing = await findApps(
    group ?? ctx.databases.named(kind, key),
    places.map(({ app }) => app),
  );
  if (kind === "app") existing.add(key);
  const errors = places
    .filter(({ app }) => !existing.has(app) || !mayRefer(app))
    .map(({ app, path }) => {
      const reason = reasonFor("noAppToReferTo", { app });
      return definitionError([...path, "app"], reason);
    });
  if (errors.length > 0) throw problem.invalidInput(errors);
  return group;
}

/**
 * Finds the database of a collection and of all apps that it refers to. Throws 409 if they are in several databases.
 */
async function findGroup(
  { databases }: ActionContext,
  kind: CollectionKind,
  key: string,
  exists: boolean,
  places: readonly ReferencePlace[],
): Promise<DataDatabase | null> {
  const { directory } = databases;
  if (!directory) return null;
  const [own, byApp] = await retryTransient(databases, () =>
    Promise.all([
      exists ? directory.findCurrent({ kind, key }) : undefined,
      directory.findApps(places.map(({ app }) => app)),
    ]),
  );
  let name = own?.database;
  for (const { app } of places) {
    const database = kind === "app" && app === key ? undefined : byApp.get(app)?.database;
    if (database === undefined) continue;
    name ??= database;
    if (name !== database) throw apartProblem(app);
  }
  if (name === undefined) return null;
  const db = databases.dataDatabases().find((each) => each.name === name);
  if (!db) throw problem.tryAgain(1);
  return db;
}

const apartProblem = (app: string) =>
  problem.schemaInUse(reasonFor("appElsewhere", { app }), { field: app });
