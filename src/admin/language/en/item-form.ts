import type { Child } from "hono/jsx";
import { sentence } from "#admin/language/sentence.ts";
import type { Words } from "./words.ts";

const rows = ({ formatCount, quantity }: Words) => ({
  /** The label of a cell. */
  cell: (column: string, row: number) => `${column}, row ${row}`,
  remove: "Remove",
  removeRow: (row: number) => `Remove row ${row}`,
  moveUp: (row: number) => `Move row ${row} up`,
  moveDown: (row: number) => `Move row ${row} down`,
  add: "Add row",
  addMore: "Add more rows",
  tooMany: (count: number) =>
    `A list of ${quantity(count, "row")} can’t be edited on this page. Use the API to edit it.`,
  tooManyCells: (max: number, cells: number) =>
    `This page can edit up to ${formatCount(max)} cells. With this list, there would be ${formatCount(cells)}. Use the API to edit it.`,
});

/** Shown when two people changed the same fields concurrently. */
const conflict = () => ({
  changed: (distance: Child, actor: Child) => sentence`Updated ${distance} by ${actor}`,
  mine: "Your value",
  theirs: "Saved value",
  merged: (labels: readonly string[]) =>
    `Other changes made meanwhile were kept: ${labels.join(", ")}.`,
  notSaved: (labels: readonly string[]) =>
    `Not saved. ${labels.join(", ")} changed while you were editing. Choose which value to keep.`,
});

const outcomes = () => ({
  saved: (title: string) => `${title} saved`,
  created: (title: string) => `${title} created`,
  submitted: (title: string) => `${title} submitted`,
  savedDraft: (title: string) => `${title} saved as a draft`,
  unchanged: (title: string) => `No changes to save in ${title}`,
  merged: (title: string, labels: readonly string[]) =>
    `${title} saved. Changes made meanwhile were kept: ${labels.join(", ")}.`,
});

/** The range of a number, under its input. Empty without limits. */
const range =
  ({ formatNumber }: Words) =>
  (minimum: number | undefined, maximum: number | undefined): string => {
    const [least, most] = [minimum, maximum].map((limit) =>
      limit === undefined ? undefined : formatNumber(String(limit)),
    );
    if (least !== undefined && most !== undefined) return `From ${least} to ${most}`;
    if (least !== undefined) return `At least ${least}`;
    return most === undefined ? "" : `At most ${most}`;
  };

/** The form that creates or edits an item. */
export const itemForm = (words: Words) => ({
  create: (item: string) => `Create ${item}`,
  edit: (item: string) => `Edit ${item}`,
  submit: "Submit",
  another: "Create another",
  anotherHint: "Keeps choices, dates and references. Clears the other fields.",
  /** The link that leaves the form after “Create another”. */
  done: "Done",
  saveDraft: "Save draft",
  calculated: "Calculated",
  formerOption: (value: string) => `${value} (former option)`,
  referenceHint: "Enter the record’s title, receipt number or other text",
  duplicate: (label: string) => `Another item already has this value in “${label}”.`,
  range: range(words),
  rows: rows(words),
  /** A hint for a text that matched several records. */
  candidates: (labels: readonly string[]) => `Did you mean: ${labels.join(", ")}?`,
  /** Follows “saved” and lists the records that texts matched. */
  guessed: (message: string, records: readonly { text: string; label: string }[]) =>
    [
      message.replace(/\.$/, ""),
      ...records.map(({ text, label }) => `“${text}” was saved as ${label}`),
    ].join(". "),
  conflict: conflict(),
  outcomes: outcomes(),
});
