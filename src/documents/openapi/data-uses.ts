import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";

/**
 * The request that sends the data. A draft has no required fields. A change may contain increments. An upsert otherwise
 * has the rules of a change.
 */
export type DataUse = "create" | "draft" | "change" | "draftChange" | "upsert";

/** The suffix of the schema name for each use. */
export const dataSuffixes = {
  create: "Input",
  draft: "DraftInput",
  change: "ChangeInput",
  draftChange: "DraftChangeInput",
  upsert: "UpsertInput",
} as const satisfies Record<DataUse, string>;

/** The uses with their own schema. Without a number, nothing can be incremented, so fewer schemas are enough. */
export function dataUses(kind: CollectionKind, fields: readonly Field[]): DataUse[] {
  const hasNumber = fields.some(({ type }) => type === "number");
  if (kind === "app") return ["create", "change", ...(hasNumber ? (["upsert"] as const) : [])];
  return ["create", "draft", "change", ...(hasNumber ? (["draftChange"] as const) : [])];
}

/**
 * Returns the suffix of the schema name for this use. A use without its own schema has the suffix of the use with the same
 * rules, which exists when nothing can be incremented.
 */
export function dataSuffix(use: DataUse, uses: readonly DataUse[]): string {
  if (uses.includes(use)) return dataSuffixes[use];
  return use === "draftChange" ? dataSuffixes.draft : dataSuffixes.change;
}

export const isDraftUse = (use: DataUse) => use === "draft" || use === "draftChange";
export const isChangeUse = (use: DataUse) => use === "change" || use === "upsert";
