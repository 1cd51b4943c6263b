import type { Child } from "hono/jsx";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AuditedItemAction } from "#domain/item/change.ts";
import type { RowDiff } from "#domain/item/row-diff.ts";
import { sentence } from "#admin/language/sentence.ts";
import type { Words } from "./words.ts";

const actions = () => ({
  edit: "Edit",
  submit: "Submit",
  close: "Close submission",
  reopen: "Reopen submission",
  delete: "Delete",
  deleteTitle: (item: string) => `Delete this ${item}?`,
  deleteConfirm: "You can restore it for 7 days.",
  /** A link to the erasure, inside the confirmation of a deletion. */
  eraseInstead: (erase: Child) =>
    sentence`Did a person ask you to delete their data? ${erase} deletes it now, with history, files and stored responses. You can’t undo this.`,
  erase: "Permanently delete…",
  previous: "← Previous",
  next: "Next →",
  neighbors: "Items in the list",
});

const outcomes = () => ({
  closed: (title: string) => `${title} closed`,
  reopened: (title: string) => `${title} reopened`,
  /** Takes the names of the fields whose former values were restored. */
  reverted: (title: string, fields: string) => `${fields} of ${title} reverted`,
  deleted: (title: string) => `${title} deleted`,
});

const actors = () => ({
  you: "you",
  otherMember: "another member",
  recalculation: "a recalculation",
  integration: "an integration",
});

type HistoryEntry = (actor: Child, time: Child) => Child;

const by =
  (verb: string): HistoryEntry =>
  (actor, time) =>
    sentence`${verb} by ${actor}, ${time}`;

const recalculated: HistoryEntry = (_, time) => sentence`Recalculated automatically, ${time}`;

const historyEntries = (): Record<AuditedItemAction, HistoryEntry> => ({
  "record.create": by("Created"),
  "record.update": by("Updated"),
  "record.recalculate": recalculated,
  "record.delete": by("Deleted"),
  "record.restore": by("Restored"),
  "record.erase": by("Permanently deleted"),
  "submission.create": by("Created"),
  "submission.update": by("Updated"),
  "submission.close": by("Closed"),
  "submission.reopen": by("Reopened"),
  "submission.recalculate": recalculated,
  "submission.delete": by("Deleted"),
  "submission.restore": by("Restored"),
  "submission.erase": by("Permanently deleted"),
});

const history = () => ({
  title: "History",
  /** An update that restored the values before an earlier change. */
  reverted: by("Reverted"),
  entries: historyEntries(),
  older: "Older changes are not shown.",
  notStored: "The previous values are no longer stored.",
  revert: "Revert",
  revertField: (label: string) => `Revert ${label}`,
  revertAll: "Revert all",
  notRevertible: "Choose a change whose previous values are stored.",
});

/** The changed rows of line items. */
const changedRows = (): Record<RowDiff["what"], (row: number, cells: Child) => Child> => ({
  added: (row, cells) => sentence`Row ${row} added: ${cells}`,
  removed: (row, cells) => sentence`Row ${row} removed: ${cells}`,
  changed: (row, cells) => sentence`Row ${row}: ${cells}`,
});

const untitled = (): Record<CollectionKind, (idEnd: string) => string> => ({
  app: (idEnd) => `Record …${idEnd}`,
  form: (idEnd) => `Submission …${idEnd}`,
});

/** The page of an item, and its values on all pages. */
export const itemPage = ({ formatCount, quantity }: Words) => ({
  actions: actions(),
  outcomes: outcomes(),
  /** The titles of items that have neither a receipt number nor a text. */
  untitled: untitled(),
  closed: "This submission is closed. Reopen it to edit it.",
  closedForViewers: "This submission is closed. Owners, admins and editors can reopen it.",
  data: "Data",
  noFields: "No fields yet.",
  addFields: "Add fields",
  about: (item: string) => `About this ${item}`,
  summary: {
    id: "ID",
    created: "Created",
    changed: "Updated",
    by: (actor: Child) => sentence`by ${actor}`,
    changedBy: (actor: Child, version: number) => sentence`by ${actor}, version ${version}`,
  },
  actors: actors(),
  rowCount: (count: number) => quantity(count, "row"),
  firstRows: (shown: number, count: number) =>
    `Showing the first ${formatCount(shown)} of ${quantity(count, "row")}. Download the list to see all of them.`,
  tooManyRows: (count: number) => `${quantity(count, "row")}. Download the list to see them.`,
  history: history(),
  became: "became",
  changedRows: changedRows(),
  /** The separator between the cells of a changed row. */
  cellSeparator: ", ",
  moreRows: (count: number) => `${formatCount(count)} more rows changed.`,
  referrers: {
    title: "Referenced by",
    notSearchable: "not searchable",
    moreThan: (count: number) => `more than ${formatCount(count)}`,
  },
});
