import type { Child } from "hono/jsx";
import type { RestoreRefusal } from "#actions/restore-items.ts";
import { sentence } from "#admin/language/sentence.ts";

/** The reasons why an item was not restored. `field` and `value` are the unique value that another item has. */
const refusals = (): Record<
  RestoreRefusal["reason"],
  (field: string, value: string) => string
> => ({
  gone: () => "no longer exists",
  changed: () => "restored and deleted again since then",
  exists: () => "another item has its ID",
  full: () => "the form has reached its maximum number of submissions",
  taken: (field, value) => `another item has “${value}” in ${field}, which must be unique`,
  retyped: (field) => `the type of ${field} is being changed`,
  too_large: () => "too large for the present definition",
});

/** The items that members deleted and can restore. */
export const deletedItems = () => ({
  title: "Deleted items",
  none: (items: string) => `Deleted ${items} stay here for 7 days, so that you can restore them.`,
  note: (items: string) =>
    `You can restore these ${items} until they are permanently deleted. Other systems no longer see them.`,
  columns: {
    item: "Item",
    deleted: "Deleted",
    erased: "Permanently deleted on",
  },
  by: (actor: Child) => sentence`by ${actor}`,
  restore: "Restore",
  restoreItem: (title: string) => `Restore ${title}`,
  restored: (title: string) => `${title} restored`,
  refusals: refusals(),
  notRestored: (reason: string) => `Not restored: ${reason}.`,
  erase: "Permanently delete",
  eraseTitle: (title: string) => `Permanently delete ${title}?`,
  eraseConfirm: "Deletes it now, with history, files and stored responses. You can’t undo this.",
  more: "Older deletions",
  view: "View deleted items",
});
