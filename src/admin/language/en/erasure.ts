import { plural, type Words } from "./words.ts";

/** The page that confirms the erasure of an item. */
export const erasure = ({ formatCount }: Words) => ({
  title: (title: string) => `Permanently delete ${title}`,
  warning: (item: string) =>
    `This deletes the ${item} now, with history, files and stored responses. You can’t undo this.`,
  values: (fields: number) => `The values of ${formatCount(fields)} ${plural(fields, "field")}`,
  changes: (count: number, hasMore: boolean) =>
    `The earlier values from ${hasMore ? "more than " : ""}${formatCount(count)} ${plural(count, "edit")}`,
  response: "Copies of what programs sent, which are otherwise kept for up to 24 hours",
  note: (item: string) =>
    `Connected systems receive an event that the ${item} was deleted. The audit keeps its ID, who deleted it and when.`,
  erase: "Permanently delete",
  done: (title: string) => `${title} permanently deleted`,
});
