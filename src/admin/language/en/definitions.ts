import type { Words } from "./words.ts";
import type { Child } from "hono/jsx";
import type { ClosedReason } from "#domain/definition/collection.ts";
import { sentence } from "#admin/language/sentence.ts";

const acceptance = ({ formatCount }: Words) => ({
  open: "Open",
  closed: {
    not_open_yet: "Not open yet",
    closed: "Closed",
    full: "Full",
  } satisfies Record<ClosedReason, string>,
  closes: (distance: Child) => sentence`closes ${distance}`,
  ofMost: (count: number, most: number) => `${formatCount(count)} of ${formatCount(most)}`,
});

const list = () => ({
  none: (many: string) => `No ${many.toLowerCase()} yet`,
  whoCreates: "Owners, admins and editors can create one.",
  deleted: "Deleted",
  state: "State",
  lastCreated: "Last created",
  fields: "Fields",
  fieldsOf: (name: string) => `Fields of ${name}`,
});

/** Lists of forms and apps, and the frame of the pages of each. */
export const definitions = (words: Words) => ({
  tabs: {
    summary: "Summary",
    fields: "Fields",
    settings: "Settings",
    access: "Access",
    api: "API",
  },
  acceptance: acceptance(words),
  dataIn: (location: string) => `Data in ${location}`,
  indexing: (done: number, total: number) =>
    `Updating search and formulas: ${words.formatCount(done)} of ${words.formatCount(total)}`,
  create: (one: string) => `Create ${one}`,
  timeZone: "Time zone",
  timeZoneHint: "Used for imports, downloads, formulas and dates. Example: Europe/Berlin.",
  conflict:
    "Not saved, because someone else changed this. Your input is still here. Review their changes, then save again.",
  list: list(),
});
