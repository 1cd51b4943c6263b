import { fieldKeys, type DraftField } from "./draft.ts";

/**
 * Returns the decimal places of a new formula if their input is blank. These are the most decimal places of any number
 * in the formula, so that sums of money show both decimals. Empty if no number has any.
 */
export function defaultDecimals(
  { type, was, rules }: DraftField,
  siblings: readonly DraftField[],
): string {
  if (type !== "computed" || was !== "" || (rules.result || "number") !== "number") return "";
  const names = new Set((rules.formula ?? "").match(/[a-z_]\w*/gi));
  const decimals = namedNumbers(siblings, names).map((field) => Number(field.rules.decimals));
  return decimals.length === 0 ? "" : String(Math.max(...decimals));
}

/** Returns the number fields and columns with decimal places that a formula names. */
function namedNumbers(
  fields: readonly DraftField[],
  names: ReadonlySet<string>,
): readonly DraftField[] {
  const keys = fieldKeys(fields);
  return fields.flatMap((field, index) => {
    if (!names.has(keys[index] ?? "")) return [];
    if (field.type === "line_items") return namedNumbers(field.fields, names);
    return /^\d+$/.test(field.rules.decimals ?? "") ? [field] : [];
  });
}
