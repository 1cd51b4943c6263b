import type { Preview } from "../../../../actions/definitions/preview-definition";
import { differenceLine } from "./line";
import { workLines } from "./work";

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
