import { plural, type Words } from "./words.ts";

/** The page that confirms the erasure of an item. */
export const erasure = ({ formatCount }: Words) => ({
  title: (title: string) => `Permanently delete ${title}`,
  warning: (item: string) =>
    `This permanently removes the ${item} and everything below. It can’t be undone.`,
  values: (fields: number) =>
    `Values in ${formatCount(fields)} ${plural(fields, "field")}, and their search entries`,
  changes: (count: number, hasMore: boolean) =>
    `The former values of ${hasMore ? "more than " : ""}${formatCount(count)} ${plural(count, "change")}`,
  response: "The copy of what a program sent, which “Delete” keeps for up to 24 hours",
  note: (item: string) =>
    `Connected systems learn only that the ${item} was deleted. The audit keeps its ID, who deleted it and when.`,
  erase: "Permanently delete",
  done: (title: string) => `${title} permanently deleted`,
});
