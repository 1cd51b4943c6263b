import type { Child } from "hono/jsx";
import type { Difference } from "#domain/definition/merge.ts";
import type { Preview } from "#actions/preview-definition.ts";
import { showCount } from "#html/viewer.tsx";

export function differenceLine({ path, what, keys, options }: Difference): Child {
  switch (what) {
    case "added":
      return (
        <>
          <strong>{path}</strong> is added.
        </>
      );
    case "renamed":
      return (
        <>
          <strong>{path}</strong> gets the key <code>{keys?.[1]}</code>; its data stays. Programs
          that say <code>{keys?.[0]}</code> are told the new one.
        </>
      );
    case "hidden":
      return (
        <>
          <strong>{path}</strong> is hidden. Its data is kept, and comes back with it.
        </>
      );
    case "restored":
      return (
        <>
          <strong>{path}</strong> comes back, with its data.
        </>
      );
    case "retyped":
      return (
        <>
          <strong>{path}</strong> takes the place of a field of another type, whose data is kept.
        </>
      );
    case "changed":
      return options ? (
        <>
          <strong>{path}</strong> loses the options {options.join(", ")}: what has them keeps them.
        </>
      ) : (
        <>
          <strong>{path}</strong> changes. What is stored stays valid.
        </>
      );
  }
}

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

/** What saving does, before it is done. */
export function Outcome({
  preview,
  items,
  isMarked,
}: {
  preview: Preview | undefined;
  items: string;
  /** Whether what is wrong is told beside an input. */
  isMarked: boolean;
}) {
  return (
    <section class="card" id="outcome" aria-live="polite" data-live="">
      <h2>What will happen</h2>
      {preview ? (
        <Changes preview={preview} items={items} />
      ) : (
        <p class="muted">
          {isMarked
            ? "Mend what is marked first."
            : "Options and formulas are still to be written."}
        </p>
      )}
    </section>
  );
}

function Changes({ preview, items }: { preview: Preview; items: string }) {
  const lines = [...preview.differences.map(differenceLine), ...workLines(preview, items)];
  if (lines.length === 0) return <p class="muted">No field is added or changed.</p>;
  return (
    <ul>
      {lines.map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  );
}
