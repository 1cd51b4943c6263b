import type { FieldDocument } from "./document.ts";
import type { Field } from "./field.ts";

/** Creates a check of `renamed_from`. The check returns the reason why a rename is not possible, or undefined. */
export function createRenameCheck(
  liveFields: readonly Field[],
  documents: readonly FieldDocument[],
) {
  const liveKeys = new Set(liveFields.map(({ key }) => key));
  const continuedKeys = new Set(
    documents.filter(({ renamed_from }) => renamed_from === undefined).map(({ key }) => key),
  );
  return (key: string, oldKey: string): string | undefined => {
    if (key === oldKey) return `Must name another key than "${key}", or be left out.`;
    // Another field may take a freed key, but two existing fields cannot become one.
    if (!continuedKeys.has(oldKey) || !liveKeys.has(key)) return undefined;
    return `The field "${oldKey}" is kept, and "${key}" exists too. Leave renamed_from out.`;
  };
}
