import type { Field, FieldOption, FieldSet, RowField } from "./field.ts";
import type { FieldDocument } from "./document.ts";
import { reasonFor, type Reason } from "#domain/problem/reasons.ts";

/** The maximum number of characters of all former options of a definition. The newest options are kept. */
const maxFormerLength = 100_000;

type OptionLists = {
  options: FieldOption[];
  formerOptions?: string[];
  hasDroppedOptions?: true;
};

/** Adds the former options, oldest first: values that the field no longer offers. Items may still have them. */
export function withFormerOptions(
  priorField: Field | undefined,
  options: FieldOption[],
): OptionLists {
  if (!priorField || !("options" in priorField)) return { options };
  const current = new Set(options.map(({ value }) => value));
  const priorValues = priorField.options.map(({ value }) => value);
  const formerOptions = [...(priorField.formerOptions ?? []), ...priorValues].filter(
    (value) => !current.has(value),
  );
  const dropped = priorField.hasDroppedOptions ? { hasDroppedOptions: true as const } : {};
  return formerOptions.length > 0
    ? { options, formerOptions: [...new Set(formerOptions)], ...dropped }
    : { options, ...dropped };
}

/** Drops the oldest former options of a definition that has too many. Searches then look for them in the index. */
export function limitFormerOptions({ fields, retired, ...others }: FieldSet): FieldSet {
  const budget = { charactersLeft: maxFormerLength };
  const limit = <F extends Field>(field: F): F => limitField(field, budget);
  return { fields: fields.map(limit), retired: retired.map(limit), ...others };
}

function limitField<F extends Field>(field: F, budget: { charactersLeft: number }): F {
  if (field.type === "line_items") {
    const limit = (column: RowField) => limitField(column, budget);
    return { ...field, fields: field.fields.map(limit), retired: field.retired.map(limit) };
  }
  if (!("options" in field) || !field.formerOptions) return field;
  const newestOptions: string[] = [];
  for (const value of field.formerOptions.toReversed()) {
    budget.charactersLeft -= JSON.stringify(value).length;
    if (budget.charactersLeft < 0) break;
    newestOptions.unshift(value);
  }
  if (newestOptions.length === field.formerOptions.length) return field;
  const { formerOptions: _formerOptions, ...otherMembers } = field;
  const remaining = newestOptions.length > 0 ? { formerOptions: newestOptions } : {};
  return { ...otherMembers, ...remaining, hasDroppedOptions: true } as F;
}

/** Creates a check of `renamed_from`. The check returns the reason why a rename is not possible, or undefined. */
export function createRenameCheck(
  liveFields: readonly Field[],
  documents: readonly FieldDocument[],
) {
  const liveKeys = new Set(liveFields.map(({ key }) => key));
  const continuedKeys = new Set(
    documents.filter(({ renamed_from }) => renamed_from === undefined).map(({ key }) => key),
  );
  return (key: string, oldKey: string): Reason | undefined => {
    if (key === oldKey) return reasonFor("renamedToItself", { key });
    // Another field may take a freed key, but two existing fields cannot become one.
    if (!continuedKeys.has(oldKey) || !liveKeys.has(key)) return undefined;
    return reasonFor("renamedOverAnother", { oldKey, key });
  };
}

/** Returns the field and its columns, including retired columns. */
export function withColumns(field: Field): Field[] {
  return field.type === "line_items" ? [field, ...field.fields, ...field.retired] : [field];
}

/** Returns the options that the new field lacks. */
export function removedOptions(oldField: Field, field: Field): FieldOption[] {
  if (!("options" in oldField) || !("options" in field)) return [];
  const values = new Set(field.options.map(({ value }) => value));
  return oldField.options.filter(({ value }) => !values.has(value));
}
