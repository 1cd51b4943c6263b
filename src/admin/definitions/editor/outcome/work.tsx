import type { Child } from "hono/jsx";
import type { Preview } from "../../../../actions/definitions/preview-definition";
import { showCount } from "../../../../html/show-count";

const named = (fields: readonly string[]) => <strong>{fields.join(", ")}</strong>;

export function workLines(preview: Preview, items: string): Child[] {
  const { indexed, calculated, gained, emptied, items: count } = preview;
  if (count === 0) return [];
  const all = `${showCount(count)} ${count === 1 ? items.slice(0, -1) : items}`;
  return [
    gained.length > 0 ? (
      <>
        {all} are looked at: {named(gained)} must not have a value twice.
      </>
    ) : null,
    emptied.length > 0 ? (
      <>
        {all} are looked at: none may have a value of the old type of {named(emptied)}.
      </>
    ) : null,
    indexed.length > 0 ? (
      <>
        {all} are indexed for {named(indexed)}.
      </>
    ) : null,
    calculated.length > 0 ? (
      <>
        {named(calculated)} {calculated.length === 1 ? "is" : "are"} calculated anew for {all}.
      </>
    ) : null,
  ].filter((line) => line !== null);
}
