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
  response: "The response that is kept for 24 hours for retries, which “Delete” leaves",
  note: (item: string) =>
    `The changes feed lists the ${item} as deleted. The audit keeps its ID, who deleted it and when.`,
  erase: "Permanently delete",
  done: (title: string) => `${title} permanently deleted`,
});
