import { type Problem, type FieldError } from "#domain/problem/problem.ts";
import type { Catalogue } from "#admin/language/index.tsx";
import { readReason, type ReasonKey } from "#domain/problem/reasons.ts";
import { valueKinds } from "#domain/definition/field.ts";
import { findClosest } from "#domain/text-distance.ts";
import { fieldKeys, labelOf, type DraftField } from "./draft.ts";

/** Returns an example of a formula over these fields. */
export function exampleFormula(fields: readonly DraftField[]): string {
  const keys = fieldKeys(fields);
  const keyedFields = fields.map((field, index) => ({ field, key: keys[index] ?? "" }));
  const list = keyedFields.find(({ field }) => field.type === "line_items");
  const column = list && firstNumber(list.field.fields);
  if (list && column) return `sum(${list.key}.map(row, row.${column}))`;
  const numbers = keyedFields.filter(({ field }) => isNumber(field)).map(({ key }) => key);
  const [first, second] = numbers;
  if (first && second) return `${first} * ${second}`;
  if (first) return `${first} * 2`;
  const date = keyedFields.find(({ field }) => field.type === "date");
  if (date) return `days_between(today(), ${date.key})`;
  const text = keyedFields.find(({ field }) => valueKinds[field.type] === "text");
  return text ? `concat("No. ", ${text.key})` : "1 + 1";
}

function firstNumber(columns: readonly DraftField[]): string | undefined {
  const index = columns.findIndex(isNumber);
  return index === -1 ? undefined : fieldKeys(columns)[index];
}

const isNumber = ({ type }: DraftField) => type === "number";

/** Translates the errors of a draft to the language of the page. */
export function explainDraft(problem: Problem, fields: readonly DraftField[], text: Catalogue) {
  const errors = problem.members["errors"] as FieldError[] | undefined;
  if (!errors) return problem;
  const helped = withFormulaHelp(problem, fields, text).members["errors"] as FieldError[];
  return problem.withErrors(
    helped.map((error) =>
      // The page recognizes errors of views by the API's own sentences, so these stay unchanged.
      error.field.startsWith("views")
        ? error
        : { ...error, reason: text.problems.reason(error, undefined) },
    ),
  );
}

/**
 * Adds three hints to errors of formulas: the position, the key of a field that the formula names by its label, and an
 * example.
 */
function withFormulaHelp(
  problem: Problem,
  fields: readonly DraftField[],
  { fieldEditor, problems, terms }: Catalogue,
): Problem {
  const errors = (problem.members["errors"] ?? []) as (FieldError & { position?: number })[];
  if (!errors.some(({ field }) => field.endsWith("formula"))) return problem;
  const text = fieldEditor.formula;
  const explained = errors.map((error) => {
    const path = /^fields\[(\d+)\]\.(?:fields\[(\d+)\]\.)?formula$/.exec(error.field);
    if (!path) return error;
    const [, index, columnIndex] = path;
    const siblings = columnIndex === undefined ? fields : (fields[Number(index)]?.fields ?? []);
    const others = siblings.filter((_, i) => i !== Number(columnIndex ?? index));
    const labels = others.map((field) => labelOf(field, terms.fieldTypes));
    const reason = problems.reason(error, undefined);
    const { position } = error;
    const parts = [
      position === undefined ? reason : text.atCharacter(position + 1, reason),
      suggestKey(error.reason, others, labels, text),
    ];
    if (others.length > 0) parts.push(text.example(exampleFormula(others)));
    return { ...error, reason: parts.filter((part) => part !== "").join(" ") };
  });
  return problem.withErrors(explained);
}

/** Errors that do not contain a key. `unknownFieldLike` already suggests one. */
const unknownNames: ReadonlySet<ReasonKey> = new Set([
  "unknownField",
  "unknownFieldOf",
  "unknownColumn",
]);

function suggestKey(
  reason: string,
  fields: readonly DraftField[],
  labels: readonly string[],
  text: Catalogue["fieldEditor"]["formula"],
): string {
  const parts = readReason(reason);
  if (!parts || !unknownNames.has(parts.key) || !("name" in parts.values)) return "";
  const label = findClosest(parts.values.name, labels);
  if (label === undefined) return "";
  return text.didYouMean(fieldKeys(fields)[labels.indexOf(label)] ?? "", label);
}
