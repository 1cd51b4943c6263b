import type { Words } from "./words.ts";

/** “British English” or “German (Austria)”. */
const nameLocale = (locale: string): string =>
  new Intl.DisplayNames("en", { type: "language" }).of(locale) ?? locale;

const downloads = () => ({
  menu: "Download",
  /** The menu on phones, which also contains the import. */
  more: "More",
  spreadsheet: "For spreadsheets",
  spreadsheetHint: (zone: string) => `CSV with labels, times in ${zone}`,
  local: "For spreadsheets, in your format",
  localHint: (locale: string, zone: string) =>
    `Dates and numbers as in ${nameLocale(locale)}, times in ${zone}`,
  lines: "For spreadsheets, one line per row",
  linesHint: (zone: string) => `CSV of the line items, times in ${zone}`,
  csv: "CSV with exact values",
  csvHint: "Keys and stored values, times in UTC",
  ndjson: "JSON lines with exact values",
  ndjsonHint: "One item per line, as in the API",
});

const table = () => ({
  caption: "Items",
  select: "Select",
  selectPage: "Select this page",
  selectItem: (name: string) => `Select ${name}`,
  /** Takes a count like “1,204 submissions”. */
  selectAll: (items: string) => `Select all ${items}`,
  edit: "Edit",
  editItem: (name: string) => `Edit ${name}`,
  withSelected: "With selected",
  downloadSelected: "Download selected",
  editSelected: "Edit selected…",
  closeSelected: "Close selected…",
  reopenSelected: "Reopen selected…",
  deleteSelected: "Delete selected…",
});

const tools = () => ({
  views: "Views",
  all: (items: string) => `All ${items}`,
  ownFilter: "Only you can see this view",
  columns: "Columns",
  saveColumns: "Save columns",
  sort: "Sort",
  sortedBy: (field: string, direction: "asc" | "desc") =>
    `Sort: ${field} ${direction === "asc" ? "↑" : "↓"}`,
  sortBy: "Sort by",
  newestFirst: "Newest first",
  direction: "Direction",
  directions: { asc: "Ascending", desc: "Descending" },
  saveNew: "Save as a new view",
  saveChanges: {
    view: (name: string) => `Save changes to view “${name}”`,
    filter: (name: string) => `Save changes to view “${name}”`,
  },
  editTab: { view: "Edit view", filter: "Edit view" },
  rename: "Rename",
  moveColumn: {
    up: (column: string) => `Move ${column} up`,
    down: (column: string) => `Move ${column} down`,
  },
  withColumns: "Include the visible columns",
  saveOwn: "Save for me",
  saveView: "Save for everyone",
  deleteFilter: "Delete view",
  deleteFilterTitle: (filter: string) => `Delete “${filter}”?`,
  deleteFilterWarning: "Only you can see this view. Its items don’t change.",
  shareFilter: "Share this view",
  shareFilterEffect: "Shows this view to all members.",
  shareView: "Share with an external system…",
  shareViewEffect: "Creates a credential that can access only this view.",
  stopSharing: "Stop sharing",
  stopSharingEffect: "Makes this view private. Only you keep it.",
  stopSharingTitle: (view: string) => `Stop sharing “${view}”?`,
  stopSharingWarning:
    "Other members no longer see the view, and API requests can no longer use it. You keep it as a private view.",
  deleteView: "Delete view",
  deleteViewTitle: (view: string) => `Delete “${view}”?`,
  deleteViewWarning: (items: string) =>
    `This removes the view for everyone. It doesn’t affect ${items}.`,
});

const saved = () => ({
  columns: "Columns saved for you",
  filter: (name: string) => `View “${name}” saved`,
  filterDeleted: "View deleted",
  view: (name: string) => `View “${name}” saved`,
  viewShared: (name: string) => `View “${name}” shared with all members`,
  viewNotShared: (name: string) => `View “${name}” is now private`,
  viewDeleted: (name: string) => `View “${name}” deleted`,
  textInView:
    "A shared view can’t include a text search. Remove it, or save the view for yourself.",
  daysInView:
    "A shared view needs fixed dates. Replace “is in” with dates, or save the view for yourself.",
});

/** Pages about a view. */
const views = ({ quantity }: Words) => ({
  inUse: "You can’t delete this view while it is in use. Change or delete these first:",
  inUseShared: "You can’t stop sharing this view while it is in use. Change or delete these first:",
  credentials: (count: number) => quantity(count, "credential"),
  webhooks: (count: number) => quantity(count, "webhook"),
  changeTitle: (view: string) => `Save changes to view “${view}”?`,
  before: "Now",
  after: "After saving",
  changedSince: "The definition has changed since you opened this page. Check the change again.",
  changeEffect: "These use the view, so the change affects what they see or receive:",
});

/** The list of a form's or an app's items. Counts are like “1,204 submissions”. */
export const itemList = (words: Words) => ({
  search: "Search",
  searchItems: (items: string) => `Search ${items}`,
  searchLabel: (items: string) => `Search ${items} by text in any field`,
  searchHint: "Searches text in searchable fields. To find the label of an option, add a filter.",
  notAllSearched: (total: string) => `Not all ${total} searched yet`,
  searched: (count: number, total: string) => `Searched ${words.formatCount(count)} of ${total}`,
  noMatchesYet: "No matches yet",
  noMatches: (items: string) => `No matching ${items}`,
  noFields: "No fields yet. Add fields to collect data.",
  addFields: "Add fields",
  none: (items: string) => `No ${items} yet`,
  create: (item: string) => `Create ${item}`,
  import: "Import",
  importItems: (items: string) => `Import ${items}`,
  connect: "Connect a system",
  useApi: "Use the API",
  position: (first: number, last: number, total: string) =>
    `${words.formatCount(first)}–${words.formatCount(last)} of ${total}`,
  onlyPage: (total: string) => total.charAt(0).toUpperCase() + total.slice(1),
  pages: "Pages",
  previous: "← Previous",
  next: "Next →",
  keepSearching: "Keep searching",
  noNext: "This is the last item in the list",
  noPrevious: "This is the first item in the list",
  downloads: downloads(),
  table: table(),
  tools: tools(),
  saved: saved(),
  views: views(words),
});
