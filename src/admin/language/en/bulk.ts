import type { Words } from "./words.ts";

type Act = "edit" | "close" | "reopen" | "delete";

/** The past participles, as in “3 submissions closed”. */
const pastVerbs: Record<Act, string> = {
  edit: "updated",
  close: "closed",
  reopen: "reopened",
  delete: "deleted",
};

/** The past participles for undoing an action. */
const undoneVerbs: Record<Act, string> = {
  edit: "reverted",
  close: "reopened",
  reopen: "closed",
  delete: "restored",
};

interface Report {
  done: number;
  unchanged: number;
  refused: number;
}

interface Refusal {
  title: string;
  reason: string;
}

const hadValue = (count: number, { formatCount }: Words) =>
  count > 0 ? ` ${formatCount(count)} already had this value.` : "";

const results = (words: Words) => ({
  /** `what` describes the result of an edit, like “Department set to “Sales””. */
  all(act: Act, items: string, { unchanged }: Report, what?: string) {
    const text = what === undefined ? `${items} ${pastVerbs[act]}` : `${what} in ${items}`;
    return unchanged === 0 ? text : `${text}.${hadValue(unchanged, words)}`;
  },
  /** Takes the total, like “12 submissions”. Lists some omitted items by name, and counts the others. */
  partial(
    act: Act,
    items: string,
    { done, unchanged }: Report,
    named: readonly Refusal[],
    others: number,
  ) {
    const verb = pastVerbs[act];
    const names = named.map(({ title, reason }) => `${title} (${reason})`).join(", ");
    const more = others > 0 ? ` and ${words.formatCount(others)} more` : "";
    return `${words.formatCount(done)} of ${items} ${verb}.${hadValue(unchanged, words)} Not ${verb}: ${names}${more}.`;
  },
  title: (act: Act, items: string) => `${items} ${pastVerbs[act]}`,
  counts: (act: Act, { done, refused }: Report) =>
    `${words.formatCount(done)} ${pastVerbs[act]}, ${words.formatCount(refused)} not ${pastVerbs[act]}`,
  refused: (act: Act) => `Not ${pastVerbs[act]}`,
  reason: "Reason",
  listed: (count: number, total: number) =>
    `Showing the first ${words.formatCount(count)} of ${words.formatCount(total)}.`,
  back: (item: string) => `Back to the ${item} list`,
});

const ongoing: Record<Act, string> = {
  edit: "Editing",
  close: "Closing",
  reopen: "Reopening",
  delete: "Deleting",
};

/** The submissions to which an action does not apply. */
const skipped: Record<Act, string> = {
  edit: "closed submissions",
  close: "drafts and closed submissions",
  reopen: "drafts and open submissions",
  delete: "closed submissions",
};

/** Changes of many items at once. Counts are like “1,204 submissions”. */
export const bulk = (words: Words) => ({
  labels: { value: "New value", field: "Field" },
  nothingSelected: "Select at least one item first",
  /** The selected items to which an action does not apply. */
  appliesToNone(act: Act, selected: number) {
    if (selected === 0) return "The selected items don’t exist any more, or don’t match any more";
    if (act === "reopen") return "Nothing to reopen: no selected submission is closed";
    return act === "close"
      ? "Nothing to close: all selected submissions are closed already, or still drafts"
      : `Nothing to ${act}: all selected submissions are closed`;
  },
  concernsAll: (items: string) => `This affects all ${items}.`,
  noFields: "These items have no field that you can edit in bulk.",
  actions: {
    edit: (items: string) => `Edit ${items}`,
    close: (items: string) => `Close ${items}`,
    reopen: (items: string) => `Reopen ${items}`,
    delete: (items: string) => `Delete ${items}`,
  },
  setField: (field: string, items: string) => `Set ${field} in ${items}`,
  /** The question before a button runs its action. */
  question: (action: string) => `${action}?`,
  explanations: {
    close: "Closed submissions can’t be edited until they are reopened.",
    reopen: "Reopened submissions can be edited again.",
    delete: "You can restore them for 7 days.",
  },
  leftOut: (act: Act, count: number, items: string) =>
    `${words.formatCount(count)} of ${items} won’t change: ${skipped[act]} are skipped.`,
  /** The result of an edit of one field. */
  set: (field: string, value: string) => `${field} set to “${value}”`,
  cleared: (field: string) => `${field} cleared`,
  /** The result of undoing a bulk action. */
  undone: (act: Act, items: string, omitted: number, left: number) => {
    const others = [
      ...(omitted > 0 ? [`Skipped ${words.formatCount(omitted)} that changed since then.`] : []),
      ...(left > 0 ? [`To continue with the other ${words.formatCount(left)}, undo again.`] : []),
    ];
    const result = `${items} ${undoneVerbs[act]}`;
    return others.length === 0 ? result : [`${result}.`, ...others].join(" ");
  },
  /** The result of undoing a deletion. Lists some items that were not restored by name, and counts the others. */
  notRestored: (restored: number, items: string, named: readonly Refusal[], others: number) => {
    const names = named.map(({ title, reason }) => `${title} (${reason})`).join(", ");
    const more = others > 0 ? ` and ${words.formatCount(others)} more` : "";
    return `${words.formatCount(restored)} of ${items} restored. Not restored: ${names}${more}.`;
  },
  present: {
    title: (field: string) => `Current values of ${field}`,
    count: "Items",
    none: "No value",
    others: (count: number) => `${words.formatCount(count)} other values`,
    first: (count: number) => `Among the first ${words.formatCount(count)}.`,
  },
  clear: "Clear the field",
  blank: "Enter a value, or select “Clear the field”.",
  progress: {
    title: (act: Act, items: string) => `${ongoing[act]} ${items}`,
    counts: (act: Act, done: number, items: string, refused: number) =>
      `${words.formatCount(done)} of ${items}${refused > 0 ? `, ${words.formatCount(refused)} not ${pastVerbs[act]}` : ""}`,
    stop: "Stop",
  },
  /** The title of the error when the selected items may be others than the member confirmed. */
  stopped(act: Act, { done, refused }: Report) {
    if (done + refused === 0) return `Nothing was ${pastVerbs[act]}`;
    const others = refused > 0 ? `, ${words.formatCount(refused)} not ${pastVerbs[act]}` : "";
    return `Stopped: ${words.formatCount(done)} ${pastVerbs[act]} so far${others}`;
  },
  results: results(words),
  reasons: {
    gone: "no longer exists",
    closed: "already closed",
    open: "not closed",
    changed: "changed in the meantime",
    draft: "still a draft",
    noMatch: "no longer matches",
  },
});
