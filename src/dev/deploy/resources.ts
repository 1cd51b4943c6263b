import { homeName } from "#domain/bookmarks.ts";
import { staysInJurisdiction, type Location } from "#domain/definition/location.ts";
import type { Cloudflare } from "./cloudflare.ts";
import type { Deployment } from "./deployment.ts";
import type { DeploymentOptions } from "./options.ts";
import { listDatabases } from "./query.ts";
import {
  isAssignedId,
  isDataDatabase,
  jurisdictionBinding,
  placeOf,
  saveSettings,
} from "./settings.ts";
import { stop } from "./wrangler.ts";

type Place = Pick<DeploymentOptions, "location" | "jurisdiction">;

/**
 * Ensures that the databases, namespaces and buckets exist. Uses known ids, otherwise finds them by name, otherwise
 * creates them.
 */
export async function ensureResources(deployment: Deployment, place: Place): Promise<void> {
  const { environment, settings, cloudflare } = deployment;
  await checkPlace(deployment, place);
  await ensureDatabases(deployment, place);
  for (const namespace of settings.kv_namespaces) {
    // A namespace contains copies of data in the database, so a new one can replace it.
    if (isAssignedId(namespace.id) && (await hasNamespace(cloudflare, namespace.id))) continue;
    const title = `${settings.name}-${namespace.binding.toLowerCase()}`;
    namespace.id =
      (await findNamespaceId(cloudflare, title)) ?? (await createNamespace(cloudflare, title));
  }
  const home = settings.d1_databases[0]?.database_id ?? "";
  await placeFiles(deployment);
  for (const bucket of settings.r2_buckets) {
    if (await hasBucket(cloudflare, bucket.bucket_name, bucket.jurisdiction)) continue;
    // Files must not leave the jurisdiction of the home database.
    const jurisdiction =
      bucket.jurisdiction ?? place.jurisdiction ?? (await findJurisdiction(cloudflare, home));
    await createBucket(cloudflare, bucket.bucket_name, { ...place, jurisdiction });
    if (jurisdiction) bucket.jurisdiction = jurisdiction;
  }
  saveSettings(environment, settings);
}

/**
 * Checks the place that the command names for a home database that exists, which cannot move. Stops if the database is
 * outside the named jurisdiction. Cloudflare does not report the location, so a named location gets a warning.
 */
async function checkPlace({ settings, cloudflare }: Deployment, place: Place): Promise<void> {
  const [home] = settings.d1_databases;
  if (!home || !isAssignedId(home.database_id)) return;
  const name = home.database_name;
  if (place.jurisdiction) {
    const jurisdiction = await findJurisdiction(cloudflare, home.database_id);
    if (jurisdiction === place.jurisdiction) return;
    stop(
      `The database ${name} exists already, ${jurisdiction ? `in the jurisdiction ${jurisdiction}` : "without a jurisdiction"}. ` +
        `--jurisdiction ${place.jurisdiction} cannot move it. Nothing was changed. Leave the option out, or deploy another ` +
        "environment with --env.",
    );
  }
  if (place.location)
    console.warn(
      `The database ${name} exists already and keeps its location. --location ${place.location} does not move it.`,
    );
}

/** Gives the service the jurisdictions of its databases, and names the buckets that it needs in them. */
async function placeFiles({ settings, cloudflare }: Deployment): Promise<void> {
  const { name, vars, d1_databases: ours, r2_buckets: buckets } = settings;
  const databases = await listDatabases(cloudflare);
  const jurisdictions = new Map<string, string>();
  for (const { binding, database_id: id } of ours) {
    const jurisdiction = databases.find(({ uuid }) => uuid === id)?.jurisdiction;
    if (jurisdiction) jurisdictions.set(binding, jurisdiction);
  }
  vars["JURISDICTIONS"] = Array.from(jurisdictions, (pair) => pair.join("=")).join(",");
  for (const jurisdiction of new Set(jurisdictions.values())) {
    const binding = jurisdictionBinding(jurisdiction);
    if (
      jurisdiction === jurisdictions.get(homeName) ||
      buckets.some((each) => each.binding === binding)
    )
      continue;
    buckets.push({ binding, bucket_name: `${name}-files-${jurisdiction}`, jurisdiction });
  }
}

/**
 * Creates missing databases: the home database in the chosen location, and each data database in the location in its
 * name.
 */
async function ensureDatabases(
  { environment, settings, cloudflare }: Deployment,
  homePlace: Place,
): Promise<void> {
  for (const database of settings.d1_databases) {
    const { database_id: id, database_name: name } = database;
    if (isAssignedId(id)) continue;
    const existing = await findDatabase(cloudflare, name);
    if (existing) database.database_id = existing.uuid;
    else {
      const place = isDataDatabase(database) ? parsePlace(placeOf(database)) : homePlace;
      database.database_id = await createDatabase(cloudflare, name, requirePlace(place));
      console.log(`Created the database ${name}.`);
    }
    saveSettings(environment, settings);
  }
}

function parsePlace(place: string | null): Place {
  if (place === null) return {};
  return staysInJurisdiction({ location: place as Location })
    ? { jurisdiction: place }
    : { location: place };
}

function requirePlace(place: Place): Place {
  if (place.location || place.jurisdiction) return place;
  return stop(
    "Choose where to create the database, which cannot be changed later: --location weur (or eeur, wnam, enam, apac, " +
      "oc), or --jurisdiction eu (or us, fedramp).",
  );
}

const findDatabase = async (cloudflare: Cloudflare, name: string) =>
  (await listDatabases(cloudflare)).find((database) => database.name === name);

/** Creates a database. Returns its ID. */
export async function createDatabase(
  cloudflare: Cloudflare,
  name: string,
  { location, jurisdiction }: Place,
): Promise<string> {
  const place = jurisdiction ? { jurisdiction } : { primary_location_hint: location };
  const { uuid } = await cloudflare.call<{ uuid: string }>("POST", "/d1/database", {
    body: { name, ...place },
  });
  return uuid;
}

/** Deletes a database if the account has it. */
export async function deleteDatabase(cloudflare: Cloudflare, name: string): Promise<void> {
  const database = await findDatabase(cloudflare, name);
  if (database) await cloudflare.call("DELETE", `/d1/database/${database.uuid}`);
}

/** Finds the jurisdiction of a database. Returns undefined if it has none. */
export async function findJurisdiction(
  cloudflare: Cloudflare,
  id: string,
): Promise<string | undefined> {
  const path = `/d1/database/${id}`;
  const { jurisdiction } = await cloudflare.call<{ jurisdiction?: string | null }>("GET", path);
  return jurisdiction ?? undefined;
}

/** Returns the header that selects the jurisdiction of a bucket. */
export const inJurisdiction = (jurisdiction: string | undefined): Record<string, string> =>
  jurisdiction ? { "cf-r2-jurisdiction": jurisdiction } : {};

async function hasBucket(
  cloudflare: Cloudflare,
  name: string,
  jurisdiction: string | undefined,
): Promise<boolean> {
  const headers = inJurisdiction(jurisdiction);
  return (await cloudflare.find(`/r2/buckets/${name}`, { headers })) !== undefined;
}

async function createBucket(
  cloudflare: Cloudflare,
  name: string,
  { location, jurisdiction }: Place,
): Promise<void> {
  const body = { name, ...(location && !jurisdiction ? { locationHint: location } : {}) };
  await cloudflare.call("POST", "/r2/buckets", { body, headers: inJurisdiction(jurisdiction) });
  console.log(`Created the bucket ${name}.`);
}

/** Creates a bucket unless the account has it in this jurisdiction. */
export async function ensureBucket(
  cloudflare: Cloudflare,
  name: string,
  place: Place,
): Promise<void> {
  if (!(await hasBucket(cloudflare, name, place.jurisdiction)))
    await createBucket(cloudflare, name, place);
}

const namespacesPath = "/storage/kv/namespaces";

async function findNamespaceId(cloudflare: Cloudflare, title: string): Promise<string | undefined> {
  const namespaces = await cloudflare.list<{ title: string; id: string }>(namespacesPath);
  return namespaces.find((namespace) => namespace.title === title)?.id;
}

/** Creates a namespace. Returns its ID. */
export async function createNamespace(cloudflare: Cloudflare, title: string): Promise<string> {
  const { id } = await cloudflare.call<{ id: string }>("POST", namespacesPath, { body: { title } });
  console.log(`Created the KV namespace ${title}.`);
  return id;
}

/** Deletes a namespace. Does nothing if an interrupted run has already deleted it. */
export async function deleteNamespace(cloudflare: Cloudflare, id: string): Promise<void> {
  if (await hasNamespace(cloudflare, id))
    await cloudflare.call("DELETE", `${namespacesPath}/${id}`);
}

const hasNamespace = async (cloudflare: Cloudflare, id: string) =>
  (await cloudflare.find(`${namespacesPath}/${id}`)) !== undefined;
