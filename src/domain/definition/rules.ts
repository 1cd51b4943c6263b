import { errorAt } from "../problem/field-errors";
import type { FieldError } from "../problem/problem";
import { mostMatchSteps, tryPattern } from "../pattern/pattern";
import type { FieldDocument } from "./document";

/** An error of a definition, with its pointer. */
export function invalid(path: readonly (string | number)[], reason: string): FieldError {
  return errorAt(path, "invalid_definition", reason);
}

type Path = readonly (string | number)[];

/** Keys that stand twice, and rules of a field that contradict each other. */
export function fieldListErrors(fields: readonly FieldDocument[], path: Path): FieldError[] {
  const seen = new Set<string>();
  return fields.flatMap((each, index) => {
    const at = [...path, index];
    const twice = seen.has(each.key)
      ? [invalid([...at, "key"], `The key "${each.key}" stands here twice.`)]
      : [];
    seen.add(each.key);
    return [...twice, ...ruleErrors(each, at)];
  });
}

function ruleErrors(sent: FieldDocument, at: Path): FieldError[] {
  switch (sent.type) {
    case "text":
    case "multiline_text":
      return [
        ...ordered(sent.min_length, sent.max_length, [...at, "min_length"], "max_length"),
        ...patternErrors(sent, [...at, "pattern"]),
      ];
    case "number":
      return [
        ...ordered(sent.minimum, sent.maximum, [...at, "minimum"], "maximum"),
        ...(sent.integer && (sent.decimals ?? 0) > 0
          ? [invalid([...at, "decimals"], "An integer has no decimals.")]
          : []),
      ];
    case "select":
    case "multi_select":
      return optionErrors(sent.options, [...at, "options"]);
    case "line_items":
      return [
        ...ordered(sent.min_rows, sent.max_rows, [...at, "min_rows"], "max_rows"),
        ...fieldListErrors(sent.fields, [...at, "fields"]),
        ...sent.fields.flatMap((row, index) =>
          "unique" in row && row.unique
            ? [invalid([...at, "fields", index, "unique"], "Not possible inside line items.")]
            : [],
        ),
      ];
    case "computed":
      return sent.decimals !== undefined && sent.result !== "number"
        ? [invalid([...at, "decimals"], "Only a number has decimals.")]
        : [];
    case "boolean":
    case "date":
    case "datetime":
    case "email":
    case "url":
    case "phone":
      return [];
  }
}

function ordered(
  least: number | undefined,
  most: number | undefined,
  at: Path,
  name: string,
): FieldError[] {
  if (least === undefined || most === undefined || least <= most) return [];
  return [invalid(at, `Must not exceed ${name}, which is ${most}.`)];
}

function patternErrors(
  { pattern, max_length }: { pattern?: string | undefined; max_length: number },
  at: Path,
): FieldError[] {
  if (pattern === undefined) return [];
  const { fault, states = 0 } = tryPattern(pattern);
  if (fault !== undefined) return [invalid(at, fault)];
  if (states * max_length <= mostMatchSteps) return [];
  const longest = Math.floor(mostMatchSteps / states);
  return [invalid(at, `It takes ${states} states: with it, max_length is at most ${longest}.`)];
}

function optionErrors(list: { value: string }[], at: Path): FieldError[] {
  const seen = new Set<string>();
  return list.flatMap(({ value }, index) => {
    const error = seen.has(value)
      ? [invalid([...at, index, "value"], `The option "${value}" stands here twice.`)]
      : value !== value.normalize("NFC")
        ? [invalid([...at, index, "value"], "Must be in Unicode normal form C.")]
        : [];
    seen.add(value);
    return error;
  });
}
