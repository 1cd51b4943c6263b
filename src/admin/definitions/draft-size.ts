import type { Catalogue } from "#admin/language/index.tsx";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";

/**
 * The maximum number of fields of a draft, including columns. Each one takes part of a millisecond, so larger
 * definitions are edited as JSON.
 */
export const maxDraftFields = 500;

/** Whether these fields with their columns are too many for the editor. */
export const isTooLarge = (fields: readonly object[]) =>
  fields.reduce((sum, field) => sum + 1 + columnCount(field), 0) > maxDraftFields;

const columnCount = (field: { fields?: readonly unknown[] }) => field.fields?.length ?? 0;

export const tooManyFieldsProblem = ({ problems }: Catalogue["definitionEditor"]) =>
  problem.invalidInput([
    errorAt(["fields"], "invalid_definition", problems.tooManyFields(maxDraftFields)),
  ]);
