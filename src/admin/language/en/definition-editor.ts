import type { Child } from "hono/jsx";
import { sentence } from "#admin/language/sentence.ts";
import { plural, type Words } from "./words.ts";

/** The last part of an input's name, in the error summary. */
const inputs = () => ({
  label: "label",
  key: "key",
  help: "help",
  section: "section",
  app: "app",
  options: "options",
  formula: "formula",
  result: "result",
  decimals: "decimal places",
  min_length: "min length",
  max_length: "max length",
  pattern: "pattern",
  minimum: "minimum",
  maximum: "maximum",
  min_rows: "min rows",
  max_rows: "max rows",
  max_files: "max files",
  max_bytes: "max bytes",
  accept: "accept",
  default: "default",
});

/** The problems that keep the member from saving. */
const problems = () => ({
  enterName: "Enter a name.",
  invalidKey:
    "Use up to 63 lowercase letters, digits, hyphens and underscores. Start with a letter.",
  enterKey: (label: string, suggestion: string) =>
    `Enter a key for “${label}” in Latin letters, such as ${suggestion}.`,
  keyTaken: {
    app: (key: string) => `An app with the key ${key} already exists.`,
    form: (key: string) => `A form with the key ${key} already exists.`,
  },
  confirmHiding: (labels: readonly string[]) =>
    `This hides ${labels.join(", ")} and the stored data. Select “Hide removed fields” to confirm, or restore ${plural(labels.length, "it", "them")}.`,
  viewUsesField: (view: string, field: string) =>
    `The view “${view}” uses “${field}”. Change or delete the view before you remove the field.`,
  tooManyFields: (most: number) =>
    `This page can edit up to ${most} fields. Edit larger ones as JSON or through the API.`,
  conflict: (theirs: readonly string[], both: readonly string[]) =>
    [
      "Not saved, because someone else changed this. Your input is still here.",
      theirs.length > 0 ? `Their changes were added: ${theirs.join(", ")}.` : "",
      both.length > 0 ? `You both changed: ${both.join(", ")}. Your version is shown.` : "",
      "Review the changes, then save again.",
    ]
      .filter((part) => part !== "")
      .join(" "),
});

const page = ({ formatCount }: Words) => ({
  versions: "Versions",
  duplicate: "Duplicate",
  pending: (done: number, total: number) =>
    `A change is pending: ${formatCount(done)} of ${formatCount(total)} items checked. Until then, the fields below stay in effect.`,
  rejected: (detail: string) => `The last change was rejected: ${detail}`,
  readOnly: "Only owners, admins and editors can edit fields.",
  tooLarge: (most: number, link: Child) =>
    sentence`This page can edit up to ${formatCount(most)} fields. ${link}.`,
  editAsJson: "Edit all fields as JSON",
  noFields: "No fields yet",
  fields: "Fields",
  columns: { label: "Label", type: "Type", rules: "Rules" },
  rules: { required: "required", unique: "unique" },
});

/** The editor of a definition. Its rows are in `fieldEditor`, its effects in `definitionChanges`. */
export const definitionEditor = (words: Words) => ({
  page: page(words),
  inputs: inputs(),
  inputOf: (label: string, input: string) => `${label}, ${input}`,
  keyHint: "Used in API URLs. Can’t be changed later. Leave blank to derive it from the name.",
  askKey: (name: string) =>
    `Enter a key for “${name}” in Latin letters. Used in API URLs. Can’t be changed later.`,
  location: "Data location",
  locationHint:
    "Can’t be changed here later. Files stay in the storage that all forms and apps share.",
  anywhere: "Anywhere",
  hiddenFields: "Hidden fields",
  dataKept: "Their data is kept.",
  restore: "Restore",
  restoreField: (label: string) => `Restore ${label}`,
  firstField: "Add the first field with the buttons below.",
  withColumns: (key: string, columns: readonly string[]) => `${key} (with ${columns.join(", ")})`,
  beforeSaving: "Before saving",
  hide: "Hide removed fields",
  review: "Review changes",
  preview: {
    title: "Preview",
    legend: "Form preview",
    unavailable: "Preview unavailable until errors are fixed.",
    empty: "Add a field to see the preview.",
  },
  copyOf: (name: string) => `${name} (copy)`,
  problems: problems(),
  created: { app: "App created", form: "Form created" },
  unchanged: "No changes to save",
  checking: (items: string) => `Checking ${items}. The change takes effect afterwards.`,
  saved: "Fields saved",
});
