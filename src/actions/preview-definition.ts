import { checkNew } from "#domain/data/check.ts";
import { compile } from "#domain/data/compile.ts";
import { showData } from "#domain/data/values.ts";
import { computedIds } from "#domain/data/index-entries.ts";
import type { CollectionKind, Definition } from "#domain/definition/collection.ts";
import { differences, type Difference, type Merged } from "#domain/definition/merge.ts";
import type { Field, FieldSet } from "#domain/definition/field.ts";
import { judgeDefinition } from "#domain/definition/validate.ts";
import { computeData } from "#domain/formula/compute.ts";
import type { Item } from "#domain/item/item.ts";
import type { CollectionNow } from "#store/data/collections.ts";
import type { ActionContext } from "./context.ts";
import { isSmall, unindexed } from "./definitions.ts";

/** What a definition would be, and what saving it would do; nothing is stored. */
export interface Preview {
  definition: Definition;
  differences: Difference[];
  /** Items that are stored: as many are looked at, indexed or calculated. */
  items: number;
  /** Labels of fields that change their type, which no item may have a value of. */
  emptied: string[];
  /** Labels of fields that become unique: no value may stand twice. */
  gained: string[];
  indexed: string[];
  calculated: string[];
  /** Whether items are looked at before the change holds, behind the answer. */
  isPending: boolean;
  /** An item as it would be: the newest one, or a made one where there is none. */
  example: Record<string, unknown>;
}

/** What a preview is made with. */
interface Basis {
  now: CollectionNow | undefined;
  newest: Item | undefined;
  /** Data for an item where none is stored. */
  sample: (fields: readonly Field[]) => Record<string, unknown>;
}

/** @throws Problem with everything that is wrong with the definition. */
export function previewDefinition(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  body: unknown,
  basis: Basis,
): Preview {
  const { now } = basis;
  const before = now?.collection.definition ?? null;
  const merged = judgeDefinition(kind, key, before, body);
  const { definition } = merged;
  const touched = now ? new Set(unindexed(now, merged)) : new Set<number>();
  const computed = computedIds(definition.fields);
  const labels = (wanted: (field: Field) => boolean) => labelsOf(definition.fields, wanted);
  return {
    definition,
    differences: differences(before, definition),
    items: now?.live ?? 0,
    ...looked(merged),
    indexed: labels(({ id }) => touched.has(id) && !computed.has(id)),
    calculated: labels(({ id }) => touched.has(id) && computed.has(id)),
    isPending: now !== undefined && !isSmall(now, merged),
    example: exampleOf(ctx, kind, key, definition, basis),
  };
}

function looked({ definition, emptied, gained }: Merged): Pick<Preview, "emptied" | "gained"> {
  const labelOf = (key: string) =>
    definition.fields.fields.find((field) => field.key === key)?.label ?? key;
  return {
    emptied: emptied.map(({ key }) => labelOf(key)),
    gained: gained.map(({ key }) => labelOf(key)),
  };
}

function labelsOf({ fields }: FieldSet, wanted: (field: Field) => boolean): string[] {
  return fields.flatMap((field) => {
    const own = wanted(field) ? [field.label] : [];
    if (field.type !== "line_items") return own;
    const rows = field.fields.filter(wanted).map(({ label }) => `${field.label} › ${label}`);
    return [...own, ...rows];
  });
}

/** An item as it would be shown if the definition held. */
function exampleOf(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  definition: Definition,
  { newest, sample }: Basis,
): Record<string, unknown> {
  const known = { id: 0, version: 0, revision: 0, stamp: "", pending: null, fieldsVersion: 0 };
  const compiled = compile({ ...known, kind, key, definition });
  const made = () => checkNew(compiled, sample(definition.fields.fields), true).data;
  return showData(compiled, computeData(compiled, newest?.data ?? made(), ctx.now()).data);
}
