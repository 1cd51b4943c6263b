import type { Child } from "hono/jsx";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { sentence } from "#admin/language/sentence.ts";
import { formatCount } from "#html/viewer.tsx";
import { plural, quantity } from "./words.ts";

const deletedWith = (): Record<CollectionKind, string> => ({
  app: "Deleted with its app",
  form: "Deleted with its form",
});

/** The search for the data of a person. */
export const people = () => ({
  titleOf: (text: string) => `Find a person: ${text}`,
  labels: { text: "Person" },
  textHint:
    "An email address, a phone number or a name. All values of all forms and apps are searched, with their history.",
  search: "Search everything",
  searches: "Searches",
  columns: {
    person: "Person",
    result: "Result",
    started: "Started",
    erased: "Erased",
    delete: "Delete",
  },
  running: (found: number, searched: number) =>
    `Searching: ${quantity(found, "item")} found in ${formatCount(searched)} so far`,
  found: (found: number) => `${quantity(found, "item")} found`,
  firstFound: (found: number) => `The first ${quantity(found, "item")} found`,
  status: (progress: Child) => sentence`${progress}.`,
  refresh: "Refresh",
  moreMatches: "More items may match. Erase these, or search for something rarer.",
  foundItems: "Found items",
  itemColumns: {
    item: "Item",
    collection: "App or form",
    created: "Created",
    place: "Found in",
    erase: "Erase",
  },
  values: "Values",
  formerValues: "Former values",
  deletedWith: deletedWith(),
  erase: "Erase…",
  nothingYet: "Nothing found yet.",
  nothingLeft: "Nothing is left to erase.",
  gone: (count: number) =>
    `${quantity(count, "item")} no longer ${plural(count, "exists", "exist")} here.`,
  more: "More",
  expiry: (day: Child) => sentence`This search and its text are erased on ${day}.`,
  deleteSearch: "Delete search",
  deleted: "The search is erased.",
});
