import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import type { ItemView } from "#domain/item/item.ts";
import { isObject } from "#domain/json.ts";
import { findTitles, type RecordTitle } from "#store/data/reference-titles.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { FieldChange } from "#domain/item/change.ts";
import type { ActionContext } from "./context.ts";
import type { ChangeDescription } from "./describe-changes.ts";
import { queryItems } from "./query-items.ts";
import { mayReadApp } from "./references.ts";
import { titleField } from "#domain/definition/field.ts";

export type Titles = ReadonlyMap<string, RecordTitle>;

/** The maximum number of titles that one page loads. */
const maxTitles = 2000;

/** Finds the titles of the referenced records that the caller may read. Does not load the titles in `known` again. */
export async function loadTitles(
  ctx: ActionContext,
  { id: collectionId, definition }: Collection,
  values: readonly Record<string, unknown>[],
  known: readonly RecordTitle[] = [],
): Promise<Titles> {
  const knownIds = new Set(known.map(({ id }) => id));
  const references = values.flatMap((data) => referencesOf(definition.fields.fields, data));
  const { ids, apps } = readableTargets(
    ctx,
    references.filter(({ id }) => !knownIds.has(id)),
  );
  // All apps that one collection refers to are in its database.
  const found = await findTitles(ctx.databases.of({ id: collectionId }), ids, apps);
  return new Map([...known, ...found].map((record) => [record.id, record]));
}

/**
 * Finds the titles of the records that changes of items in several collections refer to. Queries each database once,
 * and none if the changes contain no references.
 */
export async function loadTitlesOfChanges(
  ctx: ActionContext,
  changes: readonly Pick<ChangeDescription, "compiled" | "fields">[],
): Promise<Titles> {
  const references = changes.flatMap(({ compiled, fields: changed }) => {
    const { fields } = compiled.collection.definition.fields;
    return changedValues(changed ?? []).flatMap((data) => referencesOf(fields, data));
  });
  const { ids, apps } = readableTargets(ctx, references);
  const found = await Promise.all(
    ctx.databases.dataDatabases().map((db) => findTitles(db, ids, apps)),
  );
  return new Map(found.flat().map((record) => [record.id, record]));
}

/** Returns the IDs and the apps of the references that the caller may read, up to the number that a page loads. */
function readableTargets(ctx: ActionContext, references: readonly Reference[]) {
  const readable = references.filter(({ app }) => mayReadApp(ctx, app));
  const ids = [...new Set(readable.map(({ id }) => id))].slice(0, maxTitles);
  return { ids, apps: [...new Set(readable.map(({ app }) => app))] };
}

interface Reference {
  app: string;
  id: string;
}

/** Returns the former and the new values of changed fields, as data. */
export const changedValues = (fields: readonly FieldChange[]): Record<string, unknown>[] =>
  fields.flatMap(({ key, from, to }) => [{ [key]: from }, { [key]: to }]);

/** Returns the references in the data of an item, including those in line items. */
function referencesOf(fields: readonly Field[], data: Record<string, unknown>): Reference[] {
  return fields.flatMap((field) => {
    const value = data[field.key];
    if (field.type === "reference")
      return typeof value === "string" ? [{ app: field.app, id: value }] : [];
    if (field.type !== "line_items" || !Array.isArray(value)) return [];
    return value.flatMap((row: unknown) => (isObject(row) ? referencesOf(field.fields, row) : []));
  });
}

const maxChoices = 10;

/** Finds records of an app by a text in their title, receipt number or another field. */
export async function findRecordChoices(
  ctx: ActionContext,
  app: CompiledCollection,
  text: string,
): Promise<RecordTitle[]> {
  const search = { body: {}, text, isForPeople: true };
  const { prefixMatches, views } = await queryItems(ctx, app, search, null, maxChoices);
  const titleKey = titleField(app.collection.definition.fields)?.key;
  return [...prefixMatches, ...views]
    .slice(0, maxChoices)
    .map((view) => recordTitle(view, app.collection.key, titleKey));
}

function recordTitle(view: ItemView, app: string, titleKey: string | undefined): RecordTitle {
  const title = titleKey === undefined ? null : view.data[titleKey];
  return {
    id: view.id,
    app,
    receiptNumber: view.receiptNumber ?? "",
    title: typeof title === "string" ? title : null,
  };
}
