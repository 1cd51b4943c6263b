/** The settings of a form or an app. */
export const definitionSettings = () => ({
  labels: {
    name: "Name",
    description: "Description",
    time_zone: "Time zone",
    receipt_prefix: "Receipt number prefix",
    title_field: "Title field",
    state: "Accept submissions",
    opens_at: "Opens",
    closes_at: "Closes",
    max_submissions: "Maximum submissions",
    retain_days: "Permanently delete after (days)",
    retain_only: "Applies to",
  },
  states: { open: "Yes", closed: "No" },
  retained: { closed: "Closed submissions", all: "All submissions" },
  hints: {
    receipt_prefix: "Like ORD- in ORD-000042.",
    title_field:
      "Shown where other items refer to a record. Without one, the receipt number is shown.",
    opens_at: (zone: string) => `${zone} time. Leave blank to open now.`,
    closes_at: (zone: string) => `${zone} time. Leave blank to stay open.`,
    max_submissions: "Leave blank for no limit.",
    retain_days:
      "Counted from creation. Leave blank to keep them. A new or shorter time takes effect after 7 days.",
  },
  theirs: (value: string) => `Someone else saved: ${value || "no value"}`,
  saved: "Settings saved",
  index: {
    title: "Search index",
    description: (items: string) =>
      `Checks the search entries of all ${items} and fixes missing or wrong ones.`,
    check: "Check search index",
    started: "Search index check started",
  },
  deletion: {
    title: "Delete",
    description: (one: string, items: string) =>
      `Deletes this ${one} with all its ${items}. You can restore it for 7 days.`,
    open: (one: string) => `Delete this ${one}…`,
  },
});
