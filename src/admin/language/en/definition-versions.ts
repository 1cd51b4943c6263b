import type { Words } from "./words.ts";

/** The versions of a definition, and the differences between two of them. */
export const definitionVersions = ({ quantity }: Words) => ({
  title: "Versions",
  columns: { version: "Version", when: "When", who: "Who", changes: "Changes", compare: "Compare" },
  current: "current",
  noFieldsOrSettings: "No fields or settings",
  seeComparison: "See comparison",
  changesIn: (version: number) => `Changes in version ${version}`,
  kept: "The newest 30 versions are listed. 100 are kept.",
  andMore: (named: string, more: number) => `${named} and ${more} more`,
  version: (version: number) => `Version ${version}`,
  compare: { title: "Compare versions", from: "Compare", to: "with", submit: "Compare versions" },
  between: (from: number, to: number) => `Changes from version ${from} to ${to}`,
  all: "All versions",
  notStored: "These versions are no longer stored.",
  noChanges: "No changes",
  diffs: {
    title: "Changes",
    columns: { field: "Field", property: "Property", before: "Before", after: "After" },
  },
  settings: "Settings",
  /** Whether a version of the definition contains a view. */
  absent: "Not in the definition",
  present: "In the definition",
  retain: (days: number, isAll: boolean) =>
    `${quantity(days, "day")}, ${isAll ? "all submissions" : "closed submissions only"}`,
  sorted: (field: string, isDescending: boolean) =>
    `${field}, ${isDescending ? "descending" : "ascending"}`,
  /** A property of a field or a setting. */
  property: (name: string) => name.replaceAll("_", " "),
});
