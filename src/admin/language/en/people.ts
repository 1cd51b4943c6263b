import type { Child } from "hono/jsx";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { sentence } from "#admin/language/sentence.ts";
import { plural, type Words } from "./words.ts";

const deletedWith = (): Record<CollectionKind, string> => ({
  app: "Deleted with its app",
  form: "Deleted with its form",
});

/** The search for the data of a person. */
export const people = ({ formatCount, quantity }: Words) => ({
  titleOf: (text: string) => `Find a person: ${text}`,
  labels: { text: "Person" },
  textHint:
    "Enter an email address, a phone number or a name. Spaces, hyphens, accents and case don’t matter. The search covers all values in all forms and apps, and their history.",
  search: "Search everything",
  searches: "Searches",
  columns: {
    person: "Person",
    result: "Result",
    started: "Started",
    erased: "Deleted on",
    delete: "Delete",
  },
  running: (found: number, searched: number) =>
    `Searching: ${quantity(found, "item")} found in ${formatCount(searched)} so far`,
  noneFound: "No data found",
  found: (found: number) => `${quantity(found, "item")} found`,
  firstFound: (found: number) => `The first ${quantity(found, "item")} found`,
  status: (progress: Child) => sentence`${progress}.`,
  refresh: "Refresh",
  moreMatches:
    "More items may match. Permanently delete these first, or enter something more specific.",
  foundItems: "Found items",
  groupTitle: (name: Child, items: string) => sentence`${name}: ${items}`,
  searchedPlaces:
    "Searched: the current values of all items, names of files, former values in the history, removed fields, and items, forms and apps that can still be restored.",
  otherPlaces:
    "Not searched: the contents of files, member accounts, the audit, and data that was downloaded or sent by webhooks.",
  itemColumns: {
    item: "Item",
    created: "Created",
    place: "Found in",
    erase: "Permanently delete",
  },
  /** An item that members can still restore. */
  deletedItem: "Deleted",
  values: "Current values",
  formerValues: "Former values",
  deletedWith: deletedWith(),
  erase: "Permanently delete…",
  nothingYet: "Nothing found yet.",
  tryAgain: "Try a part of the name, an email address or a phone number.",
  nothingLeft: "Nothing left to delete.",
  gone: (count: number) =>
    `${quantity(count, "item")} no longer ${plural(count, "exists", "exist")} here.`,
  more: "More",
  expiry: (day: Child) => sentence`This search is deleted on ${day}.`,
  deleteSearch: "Delete search",
  deleted: "Search deleted",
});
