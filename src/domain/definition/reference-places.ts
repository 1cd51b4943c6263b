import type { Field } from "./field.ts";

/** A place where a definition refers to an app. */
export interface ReferencePlace {
  app: string;
  /** The path of the field in the definition document. */
  path: (string | number)[];
}

/** Returns every field that refers to an app, including columns of line items. */
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

/** Returns the keys of the apps that fields refer to, including columns of line items. */
export const referencedApps = (fields: readonly Field[]): string[] => [
  ...new Set(referencePlaces(fields).map(({ app }) => app)),
];
