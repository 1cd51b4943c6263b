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
    `${quantity(count, "row")} are too many to change on a page. They stay as they are; a program can change them.`,
  tooManyCells: (max: number, cells: number) =>
    `A form has at most ${formatCount(max)} cells, and up to this list there are ${formatCount(cells)}. A program can send them.`,
});

/** Fields that two people changed at the same time. */
const conflict = () => ({
  changed: (distance: Child, actor: Child) => sentence`Updated ${distance} by ${actor}`,
  mine: "Your value",
  theirs: "Saved value",
  merged: (labels: readonly string[]) => `Their other changes were added: ${labels.join(", ")}.`,
  notSaved: (labels: readonly string[]) =>
    `Not saved. Someone else changed ${labels.join(", ")}. Choose which value to keep.`,
});

const outcomes = () => ({
  saved: (title: string) => `${title} saved`,
  submitted: (title: string) => `${title} submitted`,
  savedDraft: (title: string) => `${title} saved as a draft`,
  unchanged: (title: string) => `No changes to save in ${title}`,
  merged: (title: string, labels: readonly string[]) =>
    `${title} saved. Changes by others were kept: ${labels.join(", ")}.`,
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
  /** Leaves the form after “Create another”. */
  done: "Done",
  saveDraft: "Save draft",
  calculated: "Calculated",
  formerOption: (value: string) => `${value} (former option)`,
  referenceHint: "A title, a receipt number or other text of the record",
  duplicate: (label: string) => `Another item already has this value of “${label}”.`,
  range: range(words),
  rows: rows(words),
  conflict: conflict(),
  outcomes: outcomes(),
});
