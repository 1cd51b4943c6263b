import type { Field, Option } from "../../../domain/definition/field";

export function optionLabel(field: Field, value: string): string {
  const options: readonly Option[] = "options" in field ? field.options : [];
  return options.find((option) => option.value === value)?.label ?? value;
}
