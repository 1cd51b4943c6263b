import type { Collection, Definition } from "./collection";
import type { Field } from "./field";

/** A field as a definition says it (contract, section 7), without what is the server's own. */
export function fieldDocument(field: Field): Record<string, unknown> {
  const { id: _, key, label, type, previous_keys, ...rules } = field;
  const { retired: __, uniqueId: ___, ...shown } = { retired: [], uniqueId: 0, ...rules };
  return {
    key,
    label,
    type,
    ...shown,
    ...(field.type === "computed" ? { required: undefined } : {}),
    ...(field.type === "line_items" ? { fields: field.fields.map(fieldDocument) } : {}),
    ...(previous_keys.length > 0 ? { previous_keys } : {}),
  };
}

/** What a definition says, whatever numbers its fields have: two that say the same are the same change. */
export function saying(kind: Collection["kind"], { fields, ...rest }: Definition): string {
  return JSON.stringify([kind, rest, fields.fields.map(fieldDocument)]);
}
