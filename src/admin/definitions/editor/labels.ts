import type { Draft } from "../draft/draft";
import { labelOf } from "../draft/draft";
import { inputName } from "../draft/sent-draft";

const parts = [
  "label",
  "key",
  "options",
  "formula",
  "result",
  "decimals",
  "min_length",
  "max_length",
  "pattern",
  "minimum",
  "maximum",
  "min_rows",
  "max_rows",
  "default",
];

/** What people call each input, for the summary of what was wrong. */
export function inputLabels({ fields }: Draft): Record<string, string> {
  const own: [string, string][] = [
    ["name", "Name"],
    ["key", "Key"],
    ["sure", "Hide what is taken away"],
  ];
  const inFields = fields.flatMap((field, index) => [
    ...labelsAt([index], labelOf(field)),
    ...field.fields.flatMap((column, at) =>
      labelsAt([index, at], `${labelOf(field)} › ${labelOf(column)}`),
    ),
  ]);
  return Object.fromEntries([...own, ...inFields]);
}

function labelsAt(path: readonly number[], label: string): [string, string][] {
  return parts.map((part) => [inputName(path, part), `${label}, ${part.replaceAll("_", " ")}`]);
}
