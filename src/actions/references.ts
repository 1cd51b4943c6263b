import { hasWholeAccess, isVisible } from "#domain/credential/credential.ts";
import { permissionsAllow } from "#domain/credential/permissions.ts";
import { unknownReferenceReason } from "#domain/data/check-scalar.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CollectionAccess, NarrowCollection } from "#domain/data/narrow.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { mapReferences, UnknownReference, type PlacedReference } from "#domain/data/references.ts";
import { isObject, toCanonicalJson } from "#domain/json.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { Problem, problem, type FieldError } from "#domain/problem/problem.ts";
import { toStoredText } from "#domain/text.ts";
import { toUtcDateTime } from "#domain/time.ts";
import {
  findRecordIds,
  type AppRecordName,
  type GuardedReference,
  type RecordName,
} from "#store/data/references.ts";
import type { ActionContext } from "./context.ts";
import { visibleErrors } from "./narrow-write.ts";
import { resolveFiles } from "./resolve-files.ts";
import {
  findViewedApp,
  findViewedRecords,
  recordsBudget,
  seesView,
  type ViewedRecords,
} from "./viewed-records.ts";

/** Whether the caller may refer to any record of the app by its ID. A view limits the caller to its records. */
const mayRefer = ({ resources }: Pick<ActionContext, "resources">, app: string) =>
  hasWholeAccess(resources, "app", app);

/** Whether the caller may also find the records by other values and see them in responses. */
export const mayReadApp = (
  ctx: Pick<ActionContext, "resources" | "permissions">,
  app: string,
): boolean => mayRefer(ctx, app) && permissionsAllow(ctx.permissions, "records:read");

/** Whether the caller sees the records of the app, or of its view, with `expand`. */
export const maySeeRecords = (
  { resources, permissions }: Pick<ActionContext, "resources" | "permissions">,
  app: string,
): boolean => isVisible(resources, "app", app) && permissionsAllow(permissions, "records:read");

/** The maximum length of a record's name, which equals the maximum length of a stored text. */
const maxNameLength = 100_000;

/** Parses the name that a request uses for a record. Returns undefined for values that the field itself rejects. */
function recordName(value: unknown): RecordName | undefined {
  if (typeof value === "string" && value !== "" && value.length <= maxNameLength)
    return value.startsWith("rec_") ? { id: value } : { receipt: value };
  if (!isObject(value)) return undefined;
  const [[key, given] = ["", undefined], ...others] = Object.entries(value);
  if (others.length > 0 || key === "" || key.startsWith("$")) return undefined;
  if (typeof given === "number" || typeof given === "boolean")
    return { key, value: given, instant: null };
  const text = typeof given === "string" ? toStoredText(given) : undefined;
  if (text === undefined || text.length > maxNameLength) return undefined;
  const instant = toUtcDateTime(text);
  return { key, value: text, instant: "value" in instant ? instant.value : null };
}

/** Returns the app to search. Null if the caller may not use the name. Response times do not reveal which case it is. */
function searchedApp(
  ctx: ActionContext,
  app: string,
  name: RecordName,
  views: Views = noViews,
): string | null {
  const view = views.get(app);
  const isShown = !("key" in name) || view?.fields.byKey.has(name.key);
  if (view) return isShown && ("id" in name || maySeeRecords(ctx, app)) ? app : null;
  const isAllowed = "id" in name ? mayRefer(ctx, app) : mayReadApp(ctx, app);
  return isAllowed ? app : null;
}

/** The views through which the caller sees apps, by app key. */
type Views = ReadonlyMap<string, NarrowCollection>;

const noViews: Views = new Map();

async function findViews(
  ctx: ActionContext,
  collection: Pick<Collection, "id">,
  apps: Iterable<string>,
): Promise<Views> {
  const viewed = [...new Set(apps)].filter((app) => seesView(ctx, app));
  const found = await Promise.all(
    viewed.map(async (app) => [app, await findViewedApp(ctx, collection, app)] as const),
  );
  return new Map(found.flatMap(([app, access]) => (access ? [[app, access]] : [])));
}

/**
 * Finds the records that items of the collection refer to, as far as the caller sees them. Their apps are in the same
 * database. Each result has the index of its name.
 */
async function findRecords(
  ctx: ActionContext,
  collection: Pick<Collection, "id">,
  names: readonly AppRecordName[],
): Promise<Map<number, string>> {
  const ids = await findRecordIds(ctx.databases.of(collection), names);
  const viewed = new Set(
    names.flatMap(({ app }) => (app !== null && seesView(ctx, app) ? app : [])),
  );
  const budget = recordsBudget();
  for (const app of viewed) {
    const places = [...ids.keys()].filter((place) => names[place]?.app === app);
    const named = places.map((place) => ids.get(place) ?? "");
    const records = await findViewedRecords(ctx, collection, app, named, budget);
    // The view may have lost the field since the cached definition.
    const isShown = ({ name }: AppRecordName) =>
      !("key" in name) || records?.access.fields.byKey.has(name.key) === true;
    for (const place of places) {
      const name = names[place];
      if (!name || !isShown(name) || !records?.versions.has(ids.get(place) ?? ""))
        ids.delete(place);
    }
  }
  return ids;
}

const keyOf = (app: string, value: unknown) => `${app} ${toCanonicalJson(value)}`;

/**
 * Replaces the names of records in the data of item bodies by their IDs, and looks up the files. The batch of a write
 * checks the IDs of records itself. They are looked up here only with `checksIds`, when the response has to report
 * every error.
 */
export async function resolveReferences(
  ctx: ActionContext,
  access: CollectionAccess,
  bodies: readonly unknown[],
  checksIds: boolean,
): Promise<unknown[]> {
  const resolved = await resolveRecords(ctx, access, bodies, checksIds);
  return resolveFiles(ctx, access, resolved);
}

async function resolveRecords(
  ctx: ActionContext,
  { collection, fields }: CollectionAccess,
  bodies: readonly unknown[],
  checksIds: boolean,
): Promise<unknown[]> {
  if (!fields.hasReferences) return [...bodies];
  const names = new Map<string, { app: string; name: RecordName; place: number }>();
  mapBodies(fields, bodies, (app, value) => {
    const name = recordName(value);
    if (!name || ("id" in name && !checksIds)) return value;
    const key = keyOf(app, value);
    if (!names.has(key)) names.set(key, { app, name, place: names.size });
    return value;
  });
  if (names.size === 0) return [...bodies];
  const sent = [...names.values()];
  const apps = sent.map(({ app }) => app);
  const views = await findViews(ctx, collection, apps);
  const searched = sent.map(({ app, name }) => ({
    app: searchedApp(ctx, app, name, views),
    name,
  }));
  const ids = await findRecords(ctx, collection, searched);
  return mapBodies(fields, bodies, (app, value) => {
    const lookup = names.get(keyOf(app, value));
    if (!lookup) return value;
    const { name, place } = lookup;
    return ids.get(place) ?? new UnknownReference("id" in name ? name.id : null);
  });
}

function mapBodies(
  fields: CompiledCollection["fields"],
  bodies: readonly unknown[],
  replace: (app: string, value: unknown) => unknown,
): unknown[] {
  return bodies.map((body) =>
    isObject(body) && isObject(body["data"])
      ? { ...body, data: mapReferences(fields, body["data"], replace) }
      : body,
  );
}

/**
 * Runs `check` on a body whose references are IDs. If there are errors, looks up all IDs and runs it again, so that one
 * response reports every error.
 */
export async function checkWithReferences<T>(
  ctx: ActionContext,
  access: CollectionAccess,
  body: unknown,
  check: (resolvedBody: unknown) => T,
): Promise<T> {
  const [resolved] = await resolveReferences(ctx, access, [body], false);
  try {
    return check(resolved);
  } catch (error) {
    const isInvalid = error instanceof Problem && error.code === "invalid_input";
    if (!isInvalid || !access.fields.hasReferences) throw error;
    const [checked] = await resolveReferences(ctx, access, [body], true);
    return check(checked);
  }
}

/** Finds records that items of the collection refer to, by receipt number. Each result has the index of its name. */
export const findNamedRecords = (
  ctx: ActionContext,
  collection: Pick<Collection, "id">,
  names: readonly { app: string; receipt: string }[],
): Promise<Map<number, string>> =>
  findRecords(
    ctx,
    collection,
    names.map(({ app, receipt }) => ({
      app: searchedApp(ctx, app, { receipt }),
      name: { receipt },
    })),
  );

/** Whether only other callers have set the field, as this one does not see it. Submitting a draft checks it too. */
const isOfOthers = ({ extent, fields }: CollectionAccess, { path }: PlacedReference) =>
  extent === "narrow" && !fields.byKey.has(String(path[1]));

/** Returns the references of a write in the form that its guard needs, without duplicates. */
export async function guardedReferences(
  ctx: ActionContext,
  access: CollectionAccess,
  references: readonly PlacedReference[],
): Promise<GuardedReference[]> {
  const viewed = references.filter(
    (reference) => !isOfOthers(access, reference) && seesView(ctx, reference.app),
  );
  const records = new Map<string, ViewedRecords | undefined>();
  const budget = recordsBudget();
  for (const app of new Set(viewed.map((reference) => reference.app))) {
    const ids = viewed.filter((reference) => reference.app === app).map(({ id }) => id);
    records.set(app, await findViewedRecords(ctx, access.collection, app, ids, budget));
  }
  const guarded = references.map((reference): GuardedReference => {
    const { app, id } = reference;
    if (isOfOthers(access, reference) || mayRefer(ctx, app)) return [id, app];
    const found = records.get(app);
    const version = found?.versions.get(id);
    if (!found || version === undefined) return [id, null];
    return [id, app, version, found.access.whole.collection.revision];
  });
  return [...new Map(guarded.map((each) => [JSON.stringify(each), each])).values()];
}

/**
 * Throws the errors of references without a record. Returns normally if all records exist now, so the write runs again.
 */
export async function rejectUnknownReferences(
  ctx: ActionContext,
  access: CollectionAccess,
  references: readonly PlacedReference[],
): Promise<void> {
  const errors = await unknownReferenceErrors(ctx, access, references);
  if (errors.length === 0) return;
  const ownErrors = errors.map(({ error }) => error);
  throw problem.invalidInput(visibleErrors(access, ownErrors));
}

/** Returns the references that have no record, each with its error. */
export async function unknownReferenceErrors<Reference extends PlacedReference>(
  ctx: ActionContext,
  access: CollectionAccess,
  references: readonly Reference[],
): Promise<{ reference: Reference; error: FieldError }[]> {
  const apps = references.map(({ app }) => app);
  const views = await findViews(ctx, access.collection, apps);
  const nameOf = (reference: Reference): AppRecordName => {
    const { app, id } = reference;
    const name = { id };
    return { app: searchedApp(ctx, app, name, views), name };
  };
  const others = references.filter((reference) => isOfOthers(access, reference));
  const own = references.filter((reference) => !isOfOthers(access, reference));
  const otherNames = others.map(({ app, id }) => ({ app, name: { id } }));
  const db = ctx.databases.of(access.collection);
  const [otherIds, ownIds] = await Promise.all([
    findRecordIds(db, otherNames),
    findRecords(ctx, access.collection, own.map(nameOf)),
  ]);
  const known = new Set<Reference | undefined>([
    ...Array.from(otherIds.keys(), (place) => others[place]),
    ...Array.from(ownIds.keys(), (place) => own[place]),
  ]);
  return references.flatMap((reference) => {
    if (known.has(reference)) return [];
    const { app, path } = reference;
    const error = errorAt(path, "unknown_reference", unknownReferenceReason(app));
    return [{ reference, error }];
  });
}
