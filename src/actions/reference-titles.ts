import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import type { ItemView } from "#domain/item/item.ts";
import { isObject } from "#domain/json.ts";
import { findTitles, type RecordTitle } from "#store/data/reference-titles.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { ActionContext } from "./context.ts";
import { queryItems } from "./query-items.ts";
import { mayReadApp } from "./references.ts";
import { titleField } from "#domain/definition/field.ts";

export type Titles = ReadonlyMap<string, RecordTitle>;

/** The maximum number of titles that one page loads. */
const maxTitles = 2000;

/** Finds the titles of the referenced records that the caller may read. Does not load those in `known` again. */
export async function loadTitles(
  ctx: ActionContext,
  { id: collectionId, definition }: Collection,
  values: readonly Record<string, unknown>[],
  known: readonly RecordTitle[] = [],
): Promise<Titles> {
  const knownIds = new Set(known.map(({ id }) => id));
  const ids = new Set<string>();
  const apps = new Set<string>();
  for (const data of values) {
    for (const { app, id } of referencesOf(definition.fields.fields, data)) {
      if (ids.size >= maxTitles || knownIds.has(id) || !mayReadApp(ctx, app)) continue;
      ids.add(id);
      apps.add(app);
    }
  }
  // All apps to which one collection refers are in its database.
  const found = await findTitles(ctx.databases.of({ id: collectionId }), [...ids], [...apps]);
  return new Map([...known, ...found].map((record) => [record.id, record]));
}

/** The references in the data of an item, including those in line items. */
function referencesOf(
  fields: readonly Field[],
  data: Record<string, unknown>,
): { app: string; id: string }[] {
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
