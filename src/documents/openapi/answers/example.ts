import type { Field } from "../../../domain/definition/field";
import { examplePattern } from "../../../domain/pattern/example";
import { compilePattern, type MatchBudget } from "../../../domain/pattern/pattern";

/** A value for each field that a create takes, so that the example can be sent as it is. */
export function exampleData(
  fields: readonly Field[],
  looks: MatchBudget = { steps: mostLooks },
): Record<string, unknown> {
  const sent = fields.filter((field) => field.type !== "computed");
  return Object.fromEntries(sent.map((field) => [field.key, exampleOf(field, looks)]));
}

/** What finding texts for all patterns of a definition may take together. */
const mostLooks = 400_000;

function exampleOf(field: Field, looks: MatchBudget): unknown {
  if (field.default !== undefined) return field.default;
  switch (field.type) {
    case "text":
    case "multiline_text":
      return field.pattern === undefined
        ? exampleText(field.label, field.min_length ?? 1, field.max_length)
        : examplePattern(
            compilePattern(field.pattern),
            field.min_length ?? 1,
            field.max_length,
            looks,
          );
    case "number":
      return exampleNumber(field.minimum, field.maximum);
    case "boolean":
      return true;
    case "date":
      return "2026-11-21";
    case "datetime":
      return "2026-11-21T09:30:00Z";
    case "email":
      return "yamada@example.com";
    case "url":
      return "https://example.com/";
    case "phone":
      return "+81 3-1234-5678";
    case "select":
      return field.options[0]?.value;
    case "multi_select":
      return field.options.slice(0, 1).map((option) => option.value);
    case "line_items":
      // One row, as often as it is needed.
      return Array<unknown>(Math.max(1, field.min_rows ?? 1)).fill(
        exampleData(field.fields, looks),
      );
    case "computed":
      return null;
  }
}

function exampleText(label: string, least: number, most: number): string {
  const characters = Array.from(label.normalize("NFC").padEnd(least, "x"));
  return characters.slice(0, most).join("");
}

/** A whole number where there is one between the bounds: it has no decimals to be too many. */
function exampleNumber(minimum = -Infinity, maximum = Infinity): number {
  if (minimum <= 1 && maximum >= 1) return 1;
  const whole = Number.isFinite(minimum) ? Math.ceil(minimum) : Math.floor(maximum);
  return whole >= minimum && whole <= maximum ? whole : minimum;
}
