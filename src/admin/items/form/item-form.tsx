import type { Field, LineItemsField } from "#domain/definition/field.ts";
import { Value, ItemValues, StatusBadge, itemTitle } from "#admin/items/value.tsx";
import { ActorName, ActorNamesContext } from "#admin/items/actor-name.tsx";
import type { ItemView } from "#domain/item/item.ts";
import { Time } from "#html/viewer.tsx";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import type { Collection } from "#domain/definition/collection.ts";
import { withPlace, type Place } from "#admin/items/neighbors.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { formErrorsOf, type FormError } from "#html/form-errors.tsx";
import { collectionPath, dataAssets } from "#admin/definitions/layout.tsx";
import { textOf, type FormValues } from "#admin/form-input.ts";
import type { SeenDigests } from "./changes.ts";
import { ReferencesContext, type References } from "#admin/items/references.tsx";
import { explainItemProblem } from "#admin/explain-problem.ts";
import { EnterButton } from "#html/action-button.tsx";
import { ItemInputs } from "./inputs.tsx";

function ConflictChoice({
  field,
  name,
  title,
  value,
}: {
  field: Field;
  name: "mine" | "theirs";
  title: string;
  value: unknown;
}) {
  return (
    <label class="choice">
      <input type="radio" name={`$keep.${field.key}`} value={name} required />
      <span>
        <small>{title}</small>
        {field.type === "line_items" ? (
          <ItemValues fields={[{ ...field, label: "" }]} data={{ [field.key]: value }} />
        ) : (
          <Value field={field} value={value} />
        )}
      </span>
    </label>
  );
}

/** Fields that two people changed concurrently. */
interface EditConflict {
  /** The item that is stored now. */
  current: ItemView;
  both: readonly Field[];
  /** All fields that the other person changed, including those in `both`. */
  theirs: readonly Field[];
  /** The submitted values, by field key. */
  mine: Record<string, unknown>;
  /** Display names, by actor. */
  names: ReadonlyMap<string, string>;
}

/** Shows both values of each conflicting field and requires a choice before saving. */
function ConflictNotice({ conflict, frame }: { conflict: EditConflict; frame: PageContext }) {
  const { current, both, theirs, mine, names } = conflict;
  const text = useText().itemForm.conflict;
  const theirsOnly = theirs.filter((field) => !both.includes(field));
  return (
    <section class="notice warn conflict" aria-labelledby="conflict">
      <h2 id="conflict">
        <ActorNamesContext.Provider value={names}>
          {text.changed(
            <Time at={current.updatedAt} as="distance" />,
            <ActorName actor={current.updatedBy} frame={frame} />,
          )}
        </ActorNamesContext.Provider>
      </h2>
      {both.map((field) => (
        <fieldset>
          <legend>{field.label}</legend>
          <ConflictChoice field={field} name="mine" title={text.mine} value={mine[field.key]} />
          <ConflictChoice
            field={field}
            name="theirs"
            title={text.theirs}
            value={current.data[field.key]}
          />
        </fieldset>
      ))}
      {theirsOnly.length > 0 ? <p>{text.merged(theirsOnly.map(({ label }) => label))}</p> : null}
    </section>
  );
}

function SubmitButtons({ kind, view }: { kind: "app" | "form"; view: ItemView | undefined }) {
  const { itemForm: text, terms } = useText();
  if (kind === "app" || view?.status === "submitted") {
    const create = text.create(terms.collections[kind].item);
    return <button type="submit">{view ? terms.saveChanges : create}</button>;
  }
  return (
    <>
      <button type="submit" name="$status" value="submitted">
        {view ? text.submit : text.create(terms.collections[kind].item)}
      </button>
      <button type="submit" name="$status" value="draft" class="quiet">
        {text.saveDraft}
      </button>
    </>
  );
}

/** The first submit button of the form, which Enter presses. Without it, Enter could move a row. */
function SaveOnEnter({ kind, view }: { kind: "app" | "form"; view: ItemView | undefined }) {
  const isSubmitted = kind === "form" && view?.status !== "submitted";
  const status = isSubmitted ? { name: "$status", value: "submitted" } : {};
  return <EnterButton {...status}>{useText().terms.saveChanges}</EnterButton>;
}

/** The choice to create another item. The form is then rendered again with the values that items often share. */
function AnotherChoice({ isChosen }: { isChosen: boolean }) {
  const text = useText().itemForm;
  return (
    <label class="choice">
      <input type="checkbox" name="$another" value="yes" checked={isChosen} />
      <span>
        {text.another} <small>{text.anotherHint}</small>
      </span>
    </label>
  );
}

export interface ItemFormProps {
  frame: PageContext;
  collection: Collection;
  /** Undefined for a new item. */
  view?: ItemView | undefined;
  /** The initial values of a new item. */
  initial?: Record<string, unknown> | undefined;
  /** Digests of the stored values. Saving compares them to find the changed fields. */
  seen: SeenDigests;
  /** The submitted form, if the page renders it again. */
  sent?: FormValues | undefined;
  /** The keys of the edited fields. Other inputs show the stored values. */
  written?: ReadonlySet<string> | undefined;
  /** The results of computed fields for the values of the submitted form. */
  calculated?: Record<string, unknown> | undefined;
  /** Set if someone else changed the same fields. */
  clash?: EditConflict | undefined;
  problem?: Problem | undefined;
  /** The records that the values refer to. */
  references: References;
  /** The place of the item in the list that the member came from. */
  place?: Place | undefined;
}

const isFilled = (value: unknown) => textOf(value) !== "";

/** Returns the encoding of the form. Without scripts, files are part of the form. */
const encodingOf = (fields: readonly Field[]) =>
  fields.some(({ type }) => type === "files") ? "multipart/form-data" : undefined;

/** The form that creates or edits an item. */
export function ItemFormPage(props: ItemFormProps) {
  const { frame, collection, view, seen, sent: form, written, calculated, clash } = props;
  const { references } = props;
  const { kind, key, definition } = collection;
  const path = collectionPath[kind];
  const { itemForm: text, terms } = frame.text;
  const { many, item } = terms.collections[kind];
  const base = `${path}/${key}/items`;
  const { fields } = definition.fields;
  const problem = props.problem && explainItemProblem(props.problem, fields, frame.text);
  const action = view ? withPlace(`${base}/${view.id}`, props.place) : base;
  const zone = textOf(form?.["$zone"]) || frame.viewer.zone;
  const crumbs: [string, string][] = [
    [many, path],
    [definition.name, base],
  ];
  if (view) crumbs.push([itemTitle(view, fields, frame.text), action]);
  const computedFields = fields.filter(({ type }) => type === "computed");
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={view ? text.edit(item) : text.create(item)}
      crumbs={crumbs}
      badges={view ? <StatusBadge status={view.status} /> : null}
      problem={problem}
      labels={inputLabels(fields, formErrorsOf(problem), text.rows)}
    >
      <form
        method="post"
        action={action}
        class="item"
        enctype={encodingOf(fields)}
        data-warn={form ? "unsaved" : ""}
        data-new={view || form ? undefined : ""}
      >
        <ReferencesContext.Provider value={references}>
          {clash ? <ConflictNotice conflict={clash} frame={frame} /> : null}
        </ReferencesContext.Provider>
        {view ? <input type="hidden" name="$version" value={String(view.version)} /> : null}
        <input type="hidden" name="$seen" value={JSON.stringify(seen)} />
        <input type="hidden" name="$zone" value={zone} />
        <SaveOnEnter kind={kind} view={view} />
        <div class="inputs">
          <ReferencesContext.Provider value={references}>
            <ItemInputs
              fields={fields}
              data={view?.data ?? props.initial ?? {}}
              form={form}
              written={written}
              zone={zone}
              place={`${kind}:${key}`}
              listToExtend={textOf(form?.["$more"])}
            />
          </ReferencesContext.Provider>
        </div>
        {computedFields.length > 0 ? (
          <section class="card" aria-label={text.calculated} id="calculated" data-calculated="">
            <ItemValues fields={computedFields} data={calculated ?? view?.data ?? {}} />
          </section>
        ) : null}
        {view ? null : (
          <AnotherChoice isChosen={props.initial !== undefined || isFilled(form?.["$another"])} />
        )}
        <p class="actions sticky">
          <SubmitButtons kind={kind} view={view} />
          <a class="button quiet" href={action}>
            {props.initial === undefined ? terms.cancel : text.done}
          </a>
        </p>
      </form>
    </AdminPage>
  );
}

type RowTexts = Catalogue["itemForm"]["rows"];

/** Returns labels of the inputs for the error summary. Cells get a label only if they have an error. */
function inputLabels(
  fields: readonly Field[],
  errors: readonly FormError[],
  text: RowTexts,
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => [
      [field.key, field.label],
      ...(field.type === "line_items" ? cellLabels(field, errors, text) : []),
    ]),
  );
}

function cellLabels({ key, fields }: LineItemsField, errors: readonly FormError[], text: RowTexts) {
  return errors.flatMap((error) => {
    const [, list, index, columnKey] = /^(\w+)\[(\d+)\]\.(\w+)$/.exec(error.field) ?? [];
    const label = fields.find((column) => column.key === columnKey)?.label;
    if (list !== key || label === undefined) return [];
    return [[error.field, text.cell(label, Number(index) + 1)]];
  });
}
