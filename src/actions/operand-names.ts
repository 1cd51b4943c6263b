import type { Role } from "#domain/credential/permissions.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { findNamedOperands } from "#domain/search/named-operands.ts";
import { findTitles, type RecordTitle } from "#store/data/reference-titles.ts";
import { listLabels, type StoredLabel, type StoredLabels } from "#store/home/collection-labels.ts";
import type { LabelChoice } from "#store/home/label-sql.ts";
import { listActorNames, visibleActorName } from "./audit.ts";
import type { ActionContext } from "./context.ts";
import { limitViews } from "./limit-views.ts";
import { mayReadApp } from "./references.ts";

/** The names of records, members and credentials in conditions, by ID. Contains only names that the reader may see. */
export type OperandNames = ReadonlyMap<string, string>;

/** An app or form that a credential or webhook can select. */
export interface CollectionLabel extends StoredLabel {
  names: OperandNames;
}

/** The member who reads a page. */
export interface Reader extends Pick<ActionContext, "permissions" | "resources"> {
  member: { id: string; role: Role };
}

function visibleNames(
  reader: Reader,
  records: readonly RecordTitle[],
  actorNames: ReadonlyMap<string, string>,
): OperandNames {
  const names = new Map<string, string>();
  for (const { id, app, title, receiptNumber } of records)
    if (mayReadApp(reader, app)) names.set(id, title ?? receiptNumber);
  for (const [actor, actorName] of actorNames) {
    const name = visibleActorName(actor, actorName, reader.member);
    if (name !== undefined) names.set(actor, name);
  }
  return names;
}

/** Returns the labels for a reader. All of them share the same names. */
export function visibleLabels(
  reader: Reader,
  { labels, records, actorNames }: StoredLabels,
): CollectionLabel[] {
  const names = visibleNames(reader, records, actorNames);
  return labels.map((label) => ({ ...label, names }));
}

/** Lists the labels of all collections that a credential or a webhook can select. They have no views without a choice. */
export async function listSelectableCollections(
  ctx: ActionContext & Reader,
  choice: LabelChoice | null,
): Promise<CollectionLabel[]> {
  return limitViews(visibleLabels(ctx, await listLabels(ctx.databases, [], choice)), [], choice);
}

/** The maximum number of records and of actors whose names a page loads. */
const maxNames = 500;

/** Loads the names in conditions on these fields of a collection. Reads nothing if the conditions contain no IDs. */
export async function loadOperandNames(
  ctx: ActionContext & Reader,
  { id }: Pick<Collection, "id">,
  fields: readonly Field[],
  conditions: unknown,
): Promise<OperandNames> {
  const { records, actors } = findNamedOperands(conditions);
  const apps = [...new Set(listApps(fields))].filter((app) => mayReadApp(ctx, app));
  const ids = apps.length === 0 ? [] : records.slice(0, maxNames);
  // All apps that one collection refers to are in its database.
  const [titles, names] = await Promise.all([
    findTitles(ctx.databases.of({ id }), ids, apps),
    listActorNames(ctx, actors.slice(0, maxNames)),
  ]);
  return visibleNames(ctx, titles, names);
}

/** Returns the apps that fields and columns refer to. */
const listApps = (fields: readonly Field[]): string[] =>
  fields.flatMap((field) => {
    if (field.type === "line_items") return listApps(field.fields);
    return field.type === "reference" ? [field.app] : [];
  });
