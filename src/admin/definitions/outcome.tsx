import type { Child } from "hono/jsx";
import type { FieldDiff } from "#domain/definition/merge.ts";
import type { Preview } from "#actions/preview-definition.ts";
import { formatCount } from "#html/viewer.tsx";

function differenceLine({ path, what, keys, options }: FieldDiff): Child {
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

const boldNames = (fields: readonly string[]) => <strong>{fields.join(", ")}</strong>;

function workLines(preview: Preview, items: string): Child[] {
  const { indexedLabels, calculatedLabels, uniqueAdded, typeChanged, itemCount: count } = preview;
  if (count === 0) return [];
  const total = `${formatCount(count)} ${count === 1 ? items.slice(0, -1) : items}`;
  return [
    uniqueAdded.length > 0 ? (
      <>
        {total} are looked at: {boldNames(uniqueAdded)} must not have a value twice.
      </>
    ) : null,
    typeChanged.length > 0 ? (
      <>
        {total} are looked at: none may have a value of the old type of {boldNames(typeChanged)}.
      </>
    ) : null,
    indexedLabels.length > 0 ? (
      <>
        {total} are indexed for {boldNames(indexedLabels)}.
      </>
    ) : null,
    calculatedLabels.length > 0 ? (
      <>
        {boldNames(calculatedLabels)} {calculatedLabels.length === 1 ? "is" : "are"} recalculated
        for {total}.
      </>
    ) : null,
  ].filter((line) => line !== null);
}

/** Previews the effects of saving. */
export function SaveOutcome({
  preview,
  items,
  hasFieldErrors,
}: {
  preview: Preview | undefined;
  items: string;
  /** Whether inputs show errors. */
  hasFieldErrors: boolean;
}) {
  return (
    <section class="card" id="outcome" aria-live="polite" data-live="">
      <h2>What will happen</h2>
      {preview ? (
        <ChangeList preview={preview} items={items} />
      ) : (
        <p class="muted">
          {hasFieldErrors
            ? "Mend what is marked first."
            : "Options and formulas are still to be written."}
        </p>
      )}
    </section>
  );
}

function ChangeList({ preview, items }: { preview: Preview; items: string }) {
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
