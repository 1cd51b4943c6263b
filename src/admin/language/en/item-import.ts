import type { Words } from "./words.ts";

interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

function forecast(
  { created, updated, unchanged, refused }: Counts,
  { formatCount, quantity }: Words,
): string {
  const parts = [
    [created, "new"],
    [updated, updated === 1 ? "update" : "updates"],
    [unchanged, "unchanged"],
    [refused, "rejected"],
  ] as const;
  const total = created + updated + unchanged + refused;
  const counts = parts
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${formatCount(count)} ${text}`);
  return `${quantity(total, "row")}: ${counts.join(", ")}.`;
}

const reasons = ({ formatCount, quantity }: Words) => ({
  columns: "Name a field for each column. Leave it empty to skip the column.",
  filledTwice: "Another column already fills this field.",
  unknownField: "This field does not exist.",
  noFile: "Choose a file, or paste its rows.",
  notUtf8: "The file is not in UTF-8 or Shift_JIS. In Excel, save it as “CSV UTF-8”.",
  uneven: (cells: number, columns: number) =>
    `The row has ${quantity(cells, "cell")}. The header has ${formatCount(columns)}.`,
  atLine: (line: number, reason: string) => `Line ${line}: ${reason}`,
  /** A value in a column. */
  value: (column: string, value: string) => `${column} “${value}”`,
  at: (place: string, reason: string) => `${place}: ${reason}`,
  row: (number: number) => `row ${number}`,
  date: (example: string) => `Must be a date like ${example}.`,
  dateTime: (date: string) => `Must be a date like ${date}, and a time like 10:00.`,
  noSuchDate: "This date does not exist.",
  sameAsLine: (line: number) => `Line ${line} of this file has the same value.`,
  chooseOption: (options: string) => `Must be one of ${options}.`,
  noRows: "Add at least one row below the header.",
  notAllowed: (allowed: string) => `Must be one of ${allowed}.`,
  tooLarge: "The file is larger than 1 MB.",
  tooManyColumns: (max: number) => `A file can have at most ${max} columns.`,
  tooManyCells: (cells: number, max: number) =>
    `The file has ${cells} filled cells. At most ${max} can be imported at once.`,
});

const scope = () => ({
  title: "What can be imported",
  points: [
    "You can import “CSV with exact values” downloads without changes. The same goes for “For spreadsheets” downloads, except for line items.",
    "Write line items as JSON in one cell. Write options as stored values or labels.",
    "Calculated fields, receipt numbers, versions, and columns about who created or changed an item aren’t imported.",
    "New submissions can be drafts or submitted, but not closed.",
  ],
});

/** The import of items from a file. */
export const itemImport = (words: Words) => ({
  title: (items: string) => `Import ${items}`,
  labels: {
    file: "File",
    csv: "Text",
    columns: "Columns",
    delimiter: "Delimiter",
    numbers: "Numbers",
    dates: "Dates",
  },
  fileHint: (rows: number, columns: number) =>
    `CSV in UTF-8 or Shift_JIS with a header row, separated by commas, semicolons or tabs. Up to 1 MB, ${words.formatCount(rows)} rows and ${columns} columns.`,
  paste: "Or paste the rows",
  pasteHint: "Copy them from the file or a spreadsheet, with the header row.",
  review: "Review import",
  cancel: "Cancel",
  reviewable: "You can review every change before anything is imported.",
  scope: scope(),
  reasons: reasons(words),
  formats: {
    delimiter: { auto: "Detect", comma: "Comma", semicolon: "Semicolon", tab: "Tab" },
    numbers: { auto: "Detect", point: "1,234.56", comma: "1.234,56" },
    dates: {
      iso: "2026-12-31 or 2026/12/31",
      day_first: "31.12.2026 or 31/12/2026",
      month_first: "12/31/2026",
    },
  },
  formatsHint: "If values are read wrongly, change these and review again.",
  /** The title above the errors of a file that cannot be read. */
  unreadable: "Could not read the file.",
  shiftJis: "The file was read as Shift_JIS.",
  forecast: (counts: Counts) => forecast(counts, words),
  leftOut: (count: number, items: string) =>
    `${words.quantity(count, "row")} of existing ${items} will be left out, even if values differ. To update them, change “Existing ${items}” below and review again.`,
  zone: (zone: string) => `Times without a time zone are read as ${zone}.`,
  importRows: (count: number) => `Import ${words.quantity(count, "row")}`,
  checkAgain: "Review again",
  downloadRejected: "Download rejected rows",
  downloadUpdates: "Download updates",
  notImported: "Don’t import",
  status: "Status",
  column: "Column",
  unnamedColumn: (position: number) => `Column ${position}`,
  firstRow: "First data row",
  field: "Field",
  fieldFor: (column: string) => `Field for ${column}`,
  existing: (items: string) => `Existing ${items}`,
  keepExisting: (items: string) => `Keep them, and add new ${items} only`,
  updateExisting: (field: string) => `Update those with the same ${field}, and add the rest`,
  rejectedRows: "Rejected rows",
  viewRejected: "View rejected rows",
  line: "Line",
  content: "Content",
  reason: "Reason",
  /** The heading of a column of the file. It must differ from “Reason”, which can be the label of a field. */
  rejectionReason: "Rejection reason",
  otherRejected: (count: number) =>
    `Download the rejected rows to see the other ${words.formatCount(count)}.`,
  updates: "Updates",
  changedFields: "Changed fields",
  otherUpdates: (count: number) =>
    `Download the updates to see the other ${words.formatCount(count)}.`,
  item: "Item",
  before: "Before",
  after: "After",
  badges: { created: "New", updated: "Update", unchanged: "No change", deleted: "Deleted" },
  firstRows: (count: number) => `First ${words.quantity(count, "row")}`,
  firstColumns: (shown: number, columns: number) =>
    `Showing ${words.formatCount(shown)} of ${words.quantity(columns, "column")}.`,
  result: "Result",
  importing: (items: string) => `Importing ${items}`,
  progress: "Import",
  importedSoFar: (count: number, total: number) =>
    `${words.formatCount(count)} of ${words.quantity(total, "row")} imported.`,
  tryAgain: "Try again",
  continue: "Continue",
  resumable: "You can stop and continue later. No row is imported twice.",
  finished: "Import finished",
  imported: (count: number) => `${words.quantity(count, "row")} imported.`,
  partlyImported: (count: number, total: number, rejected: number) =>
    `${words.formatCount(count)} of ${words.quantity(total, "row")} imported. ${words.formatCount(rejected)} rejected.`,
  rejectionsUnknown:
    "This page does not list the rejected rows, because checking all rows again takes too long. Import fewer rows at once to see the reasons.",
  outcomes: {
    created: "Created",
    updated: "Updated",
    unchanged: "Unchanged",
    refused: "Rejected",
  },
  view: (items: string) => `View ${items}`,
  importMore: "Import more",
});
