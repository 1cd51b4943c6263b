import type { Field } from "../../../domain/definition/field";
import type { Reader } from "../../../html/reader";

const numbers = new Map<string, Intl.NumberFormat>();

/** With the decimals of its field, or as many as it has. */
export function showNumber({ locale }: Reader, field: Field, value: number): string {
  const decimals = "decimals" in field ? field.decimals : undefined;
  const id = `${locale} ${decimals ?? ""}`;
  if (numbers.size > 200) numbers.clear();
  const format =
    numbers.get(id) ??
    new Intl.NumberFormat(locale, {
      minimumFractionDigits: decimals ?? 0,
      maximumFractionDigits: decimals ?? 15,
    });
  numbers.set(id, format);
  return format.format(value);
}
