import { Value } from "../../../items/value/value";
import type { DraftField } from "../../draft/draft";
import { results } from "../../draft/types";

export function Result({
  field,
  own,
  example,
}: {
  field: DraftField;
  own: string;
  example: Record<string, unknown>;
}) {
  const result = results.find((each) => each === field.rules.result) ?? "number";
  const decimals = Number(field.rules.decimals || Number.NaN);
  const shown = {
    id: 0,
    key: own,
    label: "",
    required: false,
    searchable: false,
    previous_keys: [],
    type: "computed" as const,
    formula: "",
    result,
    ...(Number.isInteger(decimals) && decimals >= 0 && decimals <= 15 ? { decimals } : {}),
  };
  return <Value field={shown} value={example[own]} />;
}
