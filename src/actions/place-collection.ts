import { definitionError } from "#domain/definition/field.ts";
import { problem } from "#domain/problem/problem.ts";
import { findCollectionOf } from "#store/data/collections.ts";
import { abandonCreation, type NewCollection } from "#store/data/create-collection.ts";
import type { DataDatabase, Databases } from "#store/db/database.ts";
import {
  findSmallest,
  listSites,
  replacePlacement,
  reservePlacement,
  type PlacedSite,
  type Site,
} from "#store/home/placements.ts";
import type { ReadContext } from "./context.ts";
import { reservedKeyProblem } from "./reserved-key.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/**
 * Lists the databases in which a new collection can be placed: the database of the apps that it refers to (`group`), or
 * those in its location. Empty for an installation with a single database, which has no locations.
 */
export async function findSites(
  ctx: ReadContext,
  { location }: NewCollection["definition"],
  group: DataDatabase | null,
): Promise<Site[]> {
  const { databases } = ctx;
  const all = databases.directory ? await listSites(databases, ctx.now()) : [];
  const matching = all.filter((site) => location === undefined || site.location === location);
  if (location !== undefined && matching.length === 0) throw unknownLocation(location, all);
  if (!group) return matching.length > 0 ? matching : homeSites(databases);
  if (location !== undefined && matching.every(({ db }) => db.name !== group.name)) {
    const reason = reasonFor("referredAppElsewhere", { location });
    throw problem.schemaInUse(reason, { field: "location" });
  }
  return [{ db: group, location: location ?? null }];
}

/** While the first data database is being added, new collections still go to the home database. */
const homeSites = ({ home, dataDatabases }: Databases): Site[] =>
  dataDatabases().flatMap((db) => (db.name === home.name ? [{ db, location: null }] : []));

function unknownLocation(location: string, sites: readonly Site[]) {
  const known = [...new Set(sites.flatMap((site) => site.location ?? []))].toSorted();
  const reason =
    known.length === 0
      ? reasonFor("noDatabaseThere", { location })
      : reasonFor("noSuchDatabase", {
          known: known.map((name) => `"${name}"`).join(", "),
          location,
        });
  return problem.invalidInput([definitionError(["location"], reason)]);
}

/**
 * Reserves an id and a database for a new collection, or continues an earlier creation that did not finish. Returns
 * undefined if another request created it. Throws if its key belongs to a deleted collection.
 */
export async function placeCollection(
  ctx: ReadContext,
  { kind, key }: NewCollection,
  sites: readonly Site[],
): Promise<PlacedSite | undefined> {
  const { databases } = ctx;
  const site = await findSmallest(sites);
  if (!site) throw problem.tryAgain(2);
  const values = { kind, key, database: site.db.name };
  const placement = await reservePlacement(databases.home, values);
  const reserved = placement?.isCreating ? undefined : await reservedKeyProblem(ctx, kind, key);
  if (reserved) throw reserved;
  if (!placement) return undefined;
  const { collectionId, database, isCreating } = placement;
  const db = databases.dataDatabases().find(({ name }) => name === database);
  if (!db) throw problem.tryAgain(1);
  const collectionDb = db.unfenced({ id: collectionId });
  if (isCreating) {
    const isStillRight = sites.some((each) => each.db.name === database);
    if (isStillRight) return { placement, db };
    if (!(await abandonCreation(collectionDb))) return undefined;
  } else if (await findCollectionOf(collectionDb)) return undefined;
  await replacePlacement(databases.home, { ...values, collectionId });
  return undefined;
}
