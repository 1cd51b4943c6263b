import type { Child } from "hono/jsx";
import type { FieldDiff } from "#domain/definition/diff.ts";
import type { Preview } from "#actions/preview-definition.ts";
import { formatQuantity } from "#html/viewer.tsx";

function differenceLine({ path, what, keys, options }: FieldDiff): Child {
  switch (what) {
    case "added":
      return (
        <>
          Adds <strong>{path}</strong>.
        </>
      );
    case "renamed":
      return (
        <>
          Renames the key of <strong>{path}</strong> from <code>{keys?.[0]}</code> to{" "}
          <code>{keys?.[1]}</code>. Its data stays. Requests with the old key fail and name the new
          one.
        </>
      );
    case "hidden":
      return (
        <>
          Hides <strong>{path}</strong>. Its data is kept, and restored with it.
        </>
      );
    case "restored":
      return (
        <>
          Restores <strong>{path}</strong> with its data.
        </>
      );
    case "retyped":
      return (
        <>
          Replaces <strong>{path}</strong> with a field of another type. The old data is kept.
        </>
      );
    case "changed":
      return options ? (
        <>
          Removes {options.map((option) => `“${option}”`).join(", ")} from <strong>{path}</strong>.
          Stored values stay.
        </>
      ) : (
        <>
          Changes <strong>{path}</strong>. Stored values stay valid.
        </>
      );
  }
}

const boldNames = (fields: readonly string[]) => <strong>{fields.join(", ")}</strong>;

/** Webhooks or credentials that a change concerns. Only some roles see their names. */
export interface Listeners {
  count: number;
  names: string[];
}

function eventLine({ count, names }: Listeners, total: number): Child {
  if (count === 0) return "Webhooks receive no events for recalculated items.";
  const webhooks = names.length > 0 ? boldNames(names) : formatQuantity(count, "webhook");
  return (
    <>
      {webhooks} {names.length === 1 || count === 1 ? "receives" : "receive"} up to{" "}
      {formatQuantity(total, "event")}
      {count > 1 ? " each" : ""}.
    </>
  );
}

/** The views that a change affects, and who uses them. */
export interface AffectedUsers {
  views: readonly string[];
  credentials: Listeners;
  webhooks: Listeners;
}

function viewLines({ views, credentials, webhooks }: AffectedUsers): Child[] {
  const listed = ({ count, names }: Listeners, noun: string) =>
    names.length > 0 ? boldNames(names) : formatQuantity(count, noun);
  return [
    <>
      Changes what {views.length === 1 ? "the view" : "the views"} {boldNames(views)}{" "}
      {views.length === 1 ? "matches or shows" : "match or show"}.
    </>,
    credentials.count > 0 ? (
      <>Credentials see other items or fields: {listed(credentials, "credential")}.</>
    ) : null,
    webhooks.count > 0 ? (
      <>Webhooks follow other items or fields: {listed(webhooks, "webhook")}.</>
    ) : null,
  ].filter((line) => line !== null);
}

function workLines(preview: Preview, items: string, listeners: Listeners | undefined): Child[] {
  const { indexedLabels, calculatedLabels, uniqueAdded, typeChanged, itemCount: count } = preview;
  if (count === 0) return [];
  const total = formatQuantity(count, items.slice(0, -1));
  return [
    uniqueAdded.length > 0 ? (
      <>
        Checks {total} for duplicate values in {boldNames(uniqueAdded)}.
      </>
    ) : null,
    typeChanged.length > 0 ? (
      <>
        Checks that none of {total} has a value of the old type in {boldNames(typeChanged)}.
      </>
    ) : null,
    indexedLabels.length > 0 ? (
      <>
        Indexes {total} for {boldNames(indexedLabels)}.
      </>
    ) : null,
    calculatedLabels.length > 0 ? (
      <>
        Recalculates {boldNames(calculatedLabels)} for {total}.
      </>
    ) : null,
    listeners ? eventLine(listeners, count) : null,
  ].filter((line) => line !== null);
}

/** Previews the effects of saving. */
export function SaveOutcome({
  preview,
  listeners,
  viewUsers,
  items,
  hasFieldErrors,
}: {
  preview: Preview | undefined;
  listeners: Listeners | undefined;
  viewUsers: AffectedUsers | undefined;
  items: string;
  /** Whether inputs show errors. */
  hasFieldErrors: boolean;
}) {
  return (
    <section class="card" id="outcome" aria-live="polite" data-live="">
      <h2>Changes</h2>
      {preview ? (
        <ChangeList {...{ preview, items, listeners, viewUsers }} />
      ) : (
        <p class="muted">
          {hasFieldErrors
            ? "Fix the highlighted fields first."
            : "Add options and formulas to finish."}
        </p>
      )}
    </section>
  );
}

function ChangeList({
  preview,
  items,
  listeners,
  viewUsers,
}: {
  preview: Preview;
  items: string;
  listeners: Listeners | undefined;
  viewUsers: AffectedUsers | undefined;
}) {
  const lines = [
    ...preview.differences.map(differenceLine),
    ...(viewUsers ? viewLines(viewUsers) : []),
    ...workLines(preview, items, listeners),
  ];
  if (lines.length === 0) return <p class="muted">No changes.</p>;
  return (
    <ul>
      {lines.map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  );
}
