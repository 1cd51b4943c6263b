import { checkNew } from "#domain/data/check.ts";
import { compileCollection } from "#domain/data/compile.ts";
import { presentData } from "#domain/data/values.ts";
import { computedIds } from "#domain/data/index-entries.ts";
import type { CollectionKind, Definition } from "#domain/definition/collection.ts";
import { diffDefinitions } from "#domain/definition/diff.ts";
import { type MergedDefinition, pendingRules } from "#domain/definition/merge.ts";
import type { Field, FieldSet } from "#domain/definition/field.ts";
import { validateDefinition } from "#domain/definition/validate.ts";
import { computeData } from "#domain/formula/compute.ts";
import type { Item } from "#domain/item/item.ts";
import { pendingDefinition, type CurrentCollection } from "#store/data/collections.ts";
import type { ActionContext } from "./context.ts";
import type { CountedDiff } from "./count-affected.ts";
import { isSmallChange } from "./definitions.ts";
import { fieldsToIndex } from "./fields-to-index.ts";

/** The definition after saving, and the effects of saving it. */
export interface Preview {
  definition: Definition;
  differences: CountedDiff[];
  /** The number of stored items, all of which are checked, indexed or calculated. */
  itemCount: number;
  /** Labels of fields that change their type. Items must have no values in them. */
  typeChanged: string[];
  /** Labels of fields that become unique. Items must not share a value in them. */
  uniqueAdded: string[];
  indexedLabels: string[];
  calculatedLabels: string[];
  /** Whether items are checked, after the response, before the change takes effect. */
  isPending: boolean;
  /** The newest item, or a sample when there is none, presented with this definition. */
  example: Record<string, unknown>;
}

/** The stored collection and example data for a preview. */
interface PreviewInput {
  current: CurrentCollection | undefined;
  newestItem: Item | undefined;
  /** Builds sample data when no item is stored. */
  buildSample: (fields: readonly Field[]) => Record<string, unknown>;
}

/** @throws Problem with every error of the definition. */
export function previewDefinition(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  body: unknown,
  input: PreviewInput,
): Preview {
  const { current } = input;
  const before = current?.collection.definition ?? null;
  const merged = validateDefinition(kind, key, before, body, pendingDefinition(current));
  const { definition } = merged;
  const affectedIds = current
    ? new Set(fieldsToIndex(current, merged).unindexed)
    : new Set<number>();
  const computed = computedIds(definition.fields);
  const labels = (isListed: (field: Field) => boolean) =>
    collectLabels(definition.fields, isListed);
  return {
    definition,
    differences: diffDefinitions(before, definition),
    itemCount: current?.itemCount ?? 0,
    ...checkedLabels(merged),
    indexedLabels: labels(({ id }) => affectedIds.has(id) && !computed.has(id)),
    calculatedLabels: labels(({ id }) => affectedIds.has(id) && computed.has(id)),
    isPending: current !== undefined && !isSmallChange(current, pendingRules(merged)),
    example: buildExample(ctx, kind, key, definition, input),
  };
}

function checkedLabels({
  definition,
  typeChanged,
  uniqueAdded,
}: MergedDefinition): Pick<Preview, "typeChanged" | "uniqueAdded"> {
  const labelOf = (key: string) =>
    definition.fields.fields.find((field) => field.key === key)?.label ?? key;
  return {
    typeChanged: typeChanged.map(({ key }) => labelOf(key)),
    uniqueAdded: uniqueAdded.map(({ key }) => labelOf(key)),
  };
}

function collectLabels({ fields }: FieldSet, isListed: (field: Field) => boolean): string[] {
  return fields.flatMap((field) => {
    const labels = isListed(field) ? [field.label] : [];
    if (field.type !== "line_items") return labels;
    const rowLabels = field.fields.filter(isListed).map(({ label }) => `${field.label} › ${label}`);
    return [...labels, ...rowLabels];
  });
}

/** Presents the newest item, or a sample, by this definition. */
function buildExample(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  definition: Definition,
  { newestItem, buildSample }: PreviewInput,
): Record<string, unknown> {
  const placeholders = {
    id: 0,
    version: 0,
    revision: 0,
    stamp: "",
    pending: null,
    fieldsVersion: 0,
  };
  const compiled = compileCollection({ ...placeholders, kind, key, definition });
  const sampleData = () => checkNew(compiled, buildSample(definition.fields.fields), true).data;
  return presentData(
    compiled,
    computeData(compiled, newestItem?.data ?? sampleData(), ctx.now()).data,
  );
}
