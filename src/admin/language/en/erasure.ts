import { formatCount } from "#html/viewer.tsx";
import { plural } from "./words.ts";

/** The page that confirms the erasure of an item. */
export const erasure = () => ({
  title: (item: string) => `Erase ${item}`,
  warning: (item: string) => `This erases the ${item} for good. Nobody can restore it.`,
  values: (fields: number) =>
    `Values in ${formatCount(fields)} ${plural(fields, "field")}, and their search entries`,
  changes: (count: number, hasMore: boolean) =>
    `The former values of ${hasMore ? "more than " : ""}${formatCount(count)} ${plural(count, "change")}`,
  response: "The response that is stored for a retry with the same Idempotency-Key",
  note: (item: string) =>
    `The changes feed tells that the ${item} was deleted. The audit keeps who erased it, when, and its ID.`,
  erase: "Erase for good",
  done: (id: string) => `${id} is erased.`,
});
