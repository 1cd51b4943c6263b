import type { Child } from "hono/jsx";
import type { Flag, Rule } from "#admin/definitions/draft.ts";
import { capitalize } from "#domain/text.ts";
import { sentence } from "#admin/language/sentence.ts";
import { optionLabels } from "#admin/language/option-labels.ts";
import { plural, fileTypes, type Words } from "./words.ts";

interface RuleText {
  label: string;
  hint?: string;
}

type MoreRule = Exclude<Rule, "help" | "app" | "options" | "formula" | "result">;

/** The rules in the summary of a closed row. */
type SummarizedRule = Exclude<Rule, "help" | "result">;

/** The rules under “More”. */
const rules = (): Record<MoreRule, RuleText> => ({
  section: {
    label: "Section heading",
    hint: "Starts a section of the form with this heading.",
  },
  min_length: { label: "Minimum length" },
  max_length: { label: "Maximum length" },
  pattern: { label: "Pattern", hint: "A regular expression that the text must match." },
  minimum: { label: "Minimum" },
  maximum: { label: "Maximum" },
  decimals: { label: "Decimal places" },
  min_rows: { label: "Minimum rows" },
  max_rows: { label: "Maximum rows" },
  max_files: { label: "Maximum files" },
  max_bytes: { label: "Maximum file size (bytes)" },
  accept: {
    label: "Accepted types",
    hint: "Like application/pdf or image/*. Leave blank for all.",
  },
  default: { label: "Default", hint: "Used when left blank." },
});

/** The summary of the rules that are set, in the closed row. */
const setRules = ({
  formatBytes,
  formatNumber,
}: Words): Record<SummarizedRule, (value: string) => string> => {
  const counted = (limit: string, value: string, one: string) =>
    `${limit} ${formatNumber(value)} ${plural(Number(value), one)}`;
  return {
    section: (value) => `Section “${value}”`,
    app: (value) => `App ${value}`,
    options: (value) => optionLabels(value).join(", "),
    formula: (value) => `= ${value}`,
    min_length: (value) => counted("At least", value, "character"),
    max_length: (value) => counted("At most", value, "character"),
    pattern: (value) => `Pattern ${value}`,
    minimum: (value) => `Minimum ${formatNumber(value)}`,
    maximum: (value) => `Maximum ${formatNumber(value)}`,
    decimals: (value) => `${value} decimal ${plural(Number(value), "place")}`,
    min_rows: (value) => counted("At least", value, "row"),
    max_rows: (value) => counted("At most", value, "row"),
    max_files: (value) => counted("At most", value, "file"),
    max_bytes: (value) => `At most ${formatBytes(Number(value))} each`,
    accept: (value) => capitalize(fileTypes(value.split(", "))),
    default: (value) => `Default ${formatNumber(value)}`,
  };
};

const flags = (): Record<Flag, string> => ({
  required: "Required",
  unique: "Unique",
  integer: "Whole numbers only",
  searchable: "Searchable and sortable",
});

const formula = () => ({
  label: "Formula",
  hint: (names: Child, example: Child) => sentence`Fields: ${names}. Example: ${example}`,
  hintWithoutNames: (example: Child) =>
    sentence`Use the keys of the other fields. Example: ${example}`,
  exampleResult: "Result for an example: ",
  resultFor: (item: string) => `Result for ${item}: `,
  resultForRow: (item: string) => `Result for row 1 of ${item}: `,
  result: "Result",
  /** A prefix for the errors of formulas. */
  atCharacter: (position: number, reason: string) => `Character ${position}: ${reason}`,
  didYouMean: (key: string, label: string) => `Did you mean "${key}" (${label})?`,
  example: (example: string) => `Example: ${example}`,
});

/** The row of a field in the editor of a definition. */
export const fieldEditor = (words: Words) => ({
  addField: "Add field",
  addColumn: "Add column",
  addColumnTo: (list: string) => `Add column to ${list}`,
  actions: { up: "Move up", down: "Move down", copy: "Duplicate", remove: "Remove" },
  actionOn: (action: string, field: string) => `${action}: ${field}`,
  flags: flags(),
  notSearchable: "Not searchable",
  errors: (count: number) => words.quantity(count, "error"),
  label: "Label",
  labelOf: (field: string) => `Label of ${field}`,
  help: "Help text",
  options: "Options",
  optionsHint: "One option per line. To store a different value: Label | value",
  app: "App",
  appHint: "People choose one of its records.",
  chooseApp: "Choose an app",
  noApps: "Create an app first.",
  columnsOf: (list: string) => `Columns of ${list}`,
  more: "More",
  newKeyHint: "Used in the API. Leave blank to derive it from the label.",
  askKey: (label: string, key: string) =>
    `Enter a key for “${label}” in Latin letters. It is used in the API. If left blank: ${key}.`,
  keyHint: "Changing the key renames the field. Its data stays.",
  rules: rules(),
  setRules: setRules(words),
  formula: formula(),
});
