import type { Child } from "hono/jsx";
import type { ShownDefinitions } from "#actions/context.ts";
import type { CollectionLabel } from "#actions/operand-names.ts";
import { definitionMark } from "#actions/store-with-views.ts";
import { describeView } from "#admin/describe-view.ts";
import { textOf, type FormValues } from "#admin/form-input.ts";
import { useText } from "#admin/language/index.tsx";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { InputErrors, useField } from "#html/inputs.tsx";
import { toTextList } from "./describe.ts";

/** The input that selects apps, forms and views. */

const filterThreshold = 8;
/** The maximum length of a list without its own scroll bar. */
const maxFullList = 30;

interface ResourceChoicesProps {
  reachable: readonly CollectionLabel[];
  values: FormValues;
  label?: string;
  /** Returns the path of the page that lists all views of an app or form. Without it, views are not offered. */
  viewsPath?: (name: string) => string;
  /** Whether each app and form has a link to the page that chooses its data and fields. */
  offersParts?: boolean;
}

/** Offers everything or a selection. Without values, neither is selected. */
export function ResourceChoices({
  reachable,
  values,
  label,
  viewsPath,
  offersParts = false,
}: ResourceChoicesProps) {
  const { inputProps, wrong: errors } = useField({ name: "resources" });
  const text = useText();
  const selected = toTextList(values["resources"]);
  const isAll = values["scope"] === "all" || selected.includes("all");
  const isOnly = !isAll && (values["scope"] === "only" || selected.length > 0);
  const { resources: words } = text.credentialAccess;
  const hasViews = reachable.some(hasAnyView);
  // After another error, the member may not notice that a view has changed. The next attempt then reports it here.
  const marks =
    errors.length > 0 ? marksOf(reachable) : textOf(values["shown"]) || marksOf(reachable);
  return (
    <fieldset class="access" aria-describedby={inputProps["aria-describedby"]}>
      <legend>{label ?? text.credentials.labels.resources}</legend>
      <label class="choice">
        <input id={inputProps.id} type="radio" name="scope" value="all" checked={isAll} />
        <span>
          {words.all} <small>{words.allHint}</small>
        </span>
      </label>
      <label class="choice">
        <input type="radio" name="scope" value="only" checked={isOnly} />
        <span>{words.selected}</span>
      </label>
      <div class={`only${reachable.length > maxFullList ? " long" : ""}`} data-only="scope">
        {offersParts && reachable.length > 0 ? (
          <span class="hint">{hasViews ? words.parts : words.noViews}</span>
        ) : null}
        {reachable.length > filterThreshold ? (
          <input
            type="search"
            data-filter="resources"
            aria-label={words.search}
            placeholder={words.searchExample}
            hidden
          />
        ) : null}
        {(["form", "app"] as const).map((kind) => (
          <ResourceGroup {...{ kind, reachable, selected, viewsPath, offersParts }} />
        ))}
      </div>
      <InputErrors id={inputProps.id} wrong={errors} />
      {viewsPath && hasViews ? <input type="hidden" name="shown" value={marks} /> : null}
    </fieldset>
  );
}

const hasAnyView = ({ views, omits }: CollectionLabel) => views.length > 0 || omits !== "nothing";

const marksOf = (reachable: readonly CollectionLabel[]): string =>
  reachable
    .filter(hasAnyView)
    .map((label) => `${label.kind}:${label.key}=${definitionMark(label)}`)
    .join(" ");

const maxSelected = 500;

/** Returns the views that a page with `ResourceChoices` offers, for the opened app or form and the selected values. */
export const labelChoice = (opened: string | undefined, values: FormValues = {}) => ({
  opened,
  selected: toTextList(values["resources"]).slice(0, maxSelected),
});

/** Returns the definitions that the page of a form with `ResourceChoices` showed, for the selected views. */
export function shownDefinitions({ shown, resources }: FormValues): ShownDefinitions {
  const selected = new Set(
    toTextList(resources).flatMap((name) => (name.includes("/") ? name.split("/")[0] : [])),
  );
  const marks = textOf(shown).split(" ");
  return new Map(
    marks.map((each) => each.split("=") as [string, string]).filter(([name]) => selected.has(name)),
  );
}

interface ResourceGroupProps extends Required<
  Pick<ResourceChoicesProps, "reachable" | "offersParts">
> {
  viewsPath: ResourceChoicesProps["viewsPath"];
  kind: CollectionKind;
  selected: readonly string[];
}

/** Lists the apps or the forms with their views, selected ones first. */
function ResourceGroup({ kind, reachable, selected, viewsPath, offersParts }: ResourceGroupProps) {
  const text = useText();
  const isSelected = ({ key }: CollectionLabel) =>
    selected.some((resource) => resource.split("/")[0] === `${kind}:${key}`);
  const labels = reachable
    .filter((collection) => collection.kind === kind)
    .toSorted((a, b) => Number(isSelected(b)) - Number(isSelected(a)));
  const noun = text.terms.collections[kind].many;
  if (labels.length === 0) return null;
  return (
    <div role="group" aria-label={noun}>
      <small>{noun}</small>
      {labels.map(({ key, name, views, omits, fields, names }) => (
        <>
          <ResourceChoice
            value={`${kind}:${key}`}
            name={name}
            of={<code>{key}</code>}
            chosen={selected}
            partPath={offersParts ? `/admin/${kind}s/${key}/access` : undefined}
          />
          {(viewsPath ? views : []).map((view) => (
            <ResourceChoice
              value={`${kind}:${key}/${view.key}`}
              name={text.credentialAccess.resources.view(name, view.name)}
              of={describeView(view, text, { kind, fields, names })}
              chosen={selected}
            />
          ))}
          {viewsPath && omits !== "nothing" ? (
            <OmittedViews
              place={`${kind}:${key}`}
              {...{ name, selected, viewsPath }}
              isLong={omits === "all"}
            />
          ) : null}
        </>
      ))}
    </div>
  );
}

/** Links to the page that lists all views. Keeps the selected views that are too long to describe. */
function OmittedViews({
  place,
  name,
  selected,
  viewsPath,
  isLong,
}: {
  /** The app or form, like `form:purchase`. */
  place: string;
  name: string;
  selected: readonly string[];
  viewsPath: (name: string) => string;
  /** Whether the views that are selected are omitted too. */
  isLong: boolean;
}) {
  const { omitsViews, listViews, tooLong, view } = useText().credentialAccess.resources;
  const longViews = isLong ? selected.filter((each) => each.startsWith(`${place}/`)) : [];
  return (
    <>
      {longViews.map((value) => (
        <ResourceChoice
          value={value}
          name={view(name, value.slice(place.length + 1))}
          of={tooLong}
          chosen={selected}
        />
      ))}
      <p class="hint" data-filtered="resources">
        {omitsViews} <a href={viewsPath(place)}>{listViews(name)}</a>
      </p>
    </>
  );
}

function ResourceChoice({
  value,
  name,
  of,
  chosen,
  partPath,
}: {
  value: string;
  name: string;
  of: Child;
  chosen: readonly string[];
  partPath?: string | undefined;
}) {
  const { chooseParts, choosePartsOf } = useText().credentialAccess.resources;
  return (
    <div class="resource" data-filtered="resources">
      <label class="choice">
        <input type="checkbox" name="resources" value={value} checked={chosen.includes(value)} />
        <span>
          {name} <small>{of}</small>
        </span>
      </label>
      {partPath === undefined ? null : (
        <a href={`${partPath}?preset=report#give`} aria-label={choosePartsOf(name)}>
          {chooseParts}
        </a>
      )}
    </div>
  );
}
