import type { Field } from "./field.ts";

/** Where a definition refers to an app. */
export interface ReferencePlace {
  app: string;
  /** The path of the field in the definition document. */
  path: (string | number)[];
}

/** Every field that refers to an app, columns of line items included. */
export function referencePlaces(
  fields: readonly Field[],
  path: readonly (string | number)[] = ["fields"],
): ReferencePlace[] {
  return fields.flatMap((field, index): ReferencePlace[] => {
    const fieldPath = [...path, index];
    if (field.type === "reference") return [{ app: field.app, path: fieldPath }];
    return field.type === "line_items"
      ? referencePlaces(field.fields, [...fieldPath, "fields"])
      : [];
  });
}

/** The keys of the apps to which fields refer, columns of line items included. */
export const referencedApps = (fields: readonly Field[]): string[] => [
  ...new Set(referencePlaces(fields).map(({ app }) => app)),
];
