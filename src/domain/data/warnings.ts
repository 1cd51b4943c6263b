import { isObject } from "../json";
import type { CompiledFields } from "./compile";

/** Something that was sent, and did not come to what the caller may think. */
export interface Warning {
  field: string;
  code: "computed_value_ignored" | "formula_failed";
}

type Sent = Record<string, unknown>;

/** Whoever has so many looks at the first ones. */
export const mostWarnings = 100;

/** A warning for each value that was sent for a computed field. */
export function ignored(fields: CompiledFields, sent: Sent, path: string): Warning[] {
  return allIgnored(fields, sent, path).slice(0, mostWarnings);
}

function allIgnored({ byKey }: CompiledFields, sent: Sent, path: string): Warning[] {
  return Object.keys(sent).flatMap((key): Warning[] => {
    const { field, rows } = byKey.get(key) ?? {};
    if (field?.type === "computed") return [{ field: path + key, code: "computed_value_ignored" }];
    const value = sent[key];
    if (!rows || !Array.isArray(value)) return [];
    return value.flatMap((row: unknown, index) =>
      isObject(row) ? allIgnored(rows, row, `${path}${key}[${index}].`) : [],
    );
  });
}
