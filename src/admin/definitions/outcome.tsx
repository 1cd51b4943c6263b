import type { Child } from "hono/jsx";
import type { CountedDiff } from "#actions/count-affected.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Preview } from "#actions/preview-definition.ts";
import type { BrokenView } from "./view-help.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";

type ChangeTexts = Catalogue["definitionChanges"];

function differenceLine(
  { path, what, keys, formerLabel, options, isRequired, affectedCount }: CountedDiff,
  text: ChangeTexts["fields"],
  itemCount: (count: number, isExact?: boolean) => string,
): Child {
  const field = <strong>{path}</strong>;
  const items = affectedCount && {
    count: affectedCount.count,
    text: itemCount(affectedCount.count, affectedCount.exact),
  };
  switch (what) {
    case "hidden":
      return text.hidden(field, items);
    case "added":
    case "restored":
    case "retyped":
      return text[what](field);
    case "renamed":
      return text.renamed(field, <code>{keys?.[0]}</code>, <code>{keys?.[1]}</code>);
    case "relabeled":
      return text.relabeled(field, <strong>{formerLabel}</strong>);
    case "changed":
      if (options) return text.optionsRemoved(field, options, items);
      if (isRequired === undefined) return text.changed(field);
      return (isRequired ? text.becomesRequired : text.becomesOptional)(field);
  }
}

function Names({ names }: { names: readonly string[] }) {
  return <strong>{useText().terms.list(names)}</strong>;
}

const boldNames = (names: readonly string[]) => <Names names={names} />;

/** Webhooks or credentials that a change affects. Only some roles see their names. */
export interface Listeners {
  count: number;
  names: string[];
}

function eventLine({ count, names }: Listeners, total: number, text: ChangeTexts): Child {
  if (count === 0) return text.noEvents;
  return text.events(listed({ count, names }, text.webhookCount), count, total);
}

const listed = ({ count, names }: Listeners, counted: (count: number) => string): Child =>
  names.length > 0 ? boldNames(names) : counted(count);

/** The views that a change affects, and the credentials and webhooks that use them. */
export interface AffectedUsers {
  views: readonly string[];
  credentials: Listeners;
  webhooks: Listeners;
}

function viewLines({ views, credentials, webhooks }: AffectedUsers, text: ChangeTexts): Child[] {
  return [
    text.views(boldNames(views), views.length),
    credentials.count > 0 ? text.credentials(listed(credentials, text.credentialCount)) : null,
    webhooks.count > 0 ? text.webhooks(listed(webhooks, text.webhookCount)) : null,
  ].filter((line) => line !== null);
}

function workLines(
  preview: Preview,
  itemCount: (count: number) => string,
  listeners: Listeners | undefined,
  text: ChangeTexts,
): Child[] {
  const { indexedLabels, calculatedLabels, uniqueAdded, typeChanged, itemCount: count } = preview;
  if (count === 0) return [];
  const total = itemCount(count);
  const { work } = text;
  return [
    uniqueAdded.length > 0 ? work.checksUnique(total, boldNames(uniqueAdded)) : null,
    typeChanged.length > 0 ? work.checksType(total, boldNames(typeChanged)) : null,
    indexedLabels.length > 0 ? work.indexes(total, boldNames(indexedLabels)) : null,
    calculatedLabels.length > 0 ? work.recalculates(total, boldNames(calculatedLabels)) : null,
    listeners ? eventLine(listeners, count, text) : null,
  ].filter((line) => line !== null);
}

/** The parts that a draft still lacks. */
export interface MissingParts {
  options: boolean;
  formulas: boolean;
}

/** Previews the effects of saving. */
export function SaveOutcome({
  preview,
  listeners,
  viewUsers,
  kind,
  hasFieldErrors,
  brokenViews,
  missing,
  listPath,
}: {
  preview: Preview | undefined;
  listeners: Listeners | undefined;
  viewUsers: AffectedUsers | undefined;
  kind: CollectionKind;
  /** Whether inputs show errors. */
  hasFieldErrors: boolean;
  brokenViews: readonly BrokenView[];
  missing: MissingParts;
  /** The path of the list of items, which contains the views. */
  listPath: string;
}) {
  const text = useText().definitionChanges;
  return (
    <section class="card" id="outcome" aria-live="polite" data-live="">
      <h2>{text.title}</h2>
      {preview ? (
        <ChangeList {...{ preview, kind, listeners, viewUsers }} />
      ) : (
        <>
          {brokenViews.map(({ key, name, reason }) => (
            <p class="error">
              {reason} <a href={`${listPath}?view=${key}`}>{text.openView(name)}</a>
            </p>
          ))}
          {hasFieldErrors ? <p class="muted">{text.fixFields}</p> : null}
          {hasFieldErrors || brokenViews.length > 0 ? null : (
            <p class="muted">{text.finish(missing)}</p>
          )}
        </>
      )}
    </section>
  );
}

function ChangeList({
  preview,
  kind,
  listeners,
  viewUsers,
}: {
  preview: Preview;
  kind: CollectionKind;
  listeners: Listeners | undefined;
  viewUsers: AffectedUsers | undefined;
}) {
  const { definitionChanges: text, terms } = useText();
  const { itemCount } = terms.collections[kind];
  const lines = [
    ...preview.differences.map((difference) => differenceLine(difference, text.fields, itemCount)),
    ...(viewUsers ? viewLines(viewUsers, text) : []),
    ...workLines(preview, itemCount, listeners, text),
  ];
  if (lines.length === 0) return <p class="muted">{text.none}</p>;
  return (
    <ul>
      {lines.map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  );
}
