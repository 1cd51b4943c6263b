import type { Field } from "../../../domain/definition/field";
import type { FieldChange } from "../../../domain/item/history";

/** What a change can be changed back to: the former values of the fields that people write. */
export function formerData(
  changes: readonly FieldChange[],
  fields: readonly Field[],
): Record<string, unknown> {
  const written = new Set(fields.filter(({ type }) => type !== "computed").map(({ key }) => key));
  return Object.fromEntries(
    changes.filter(({ key }) => written.has(key)).map(({ key, from }) => [key, from]),
  );
}
