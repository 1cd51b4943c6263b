import type { Field, LineItemsField } from "#domain/definition/field.ts";
import { Value, Values, By, NamesContext, StatusBadge, titleOf } from "#admin/items/value.tsx";
import type { ItemView } from "#domain/item/item.ts";
import { Time } from "#html/viewer.tsx";
import { type Frame, AdminPage } from "#admin/layout.tsx";
import type { Collection } from "#domain/definition/collection.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { wrongIn, type Wrong } from "#html/form-errors.tsx";
import { words, dataAssets } from "#admin/definitions/layout.tsx";
import { textOf, type Sent } from "#admin/form-input.ts";
import type { Seen } from "./changes.ts";
import { Inputs } from "./inputs.tsx";

export function Choice({
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
          <Values fields={[{ ...field, label: "" }]} data={{ [field.key]: value }} />
        ) : (
          <Value field={field} value={value} />
        )}
      </span>
    </label>
  );
}

/** Fields that two people changed at the same time. */
export interface Clash {
  /** The item as it is stored now. */
  now: ItemView;
  both: readonly Field[];
  /** Fields that only the other one changed: they are taken as they are now. */
  theirs: readonly Field[];
  /** What was written here, by key. */
  mine: Record<string, unknown>;
  /** What those are called who changed it. */
  names: ReadonlyMap<string, string>;
}

/** Both values of each field, to choose from; nothing of either is lost before somebody has chosen. */
export function Conflict({ clash, frame }: { clash: Clash; frame: Frame }) {
  const { now, both, theirs, mine, names } = clash;
  const others = theirs.filter((field) => !both.includes(field));
  return (
    <section class="notice warn conflict" aria-labelledby="conflict">
      <h2 id="conflict">
        Changed <Time at={now.updatedAt} as="distance" /> by{" "}
        <NamesContext.Provider value={names}>
          <By actor={now.updatedBy} frame={frame} />
        </NamesContext.Provider>
      </h2>
      {both.map((field) => (
        <fieldset>
          <legend>{field.label}</legend>
          <Choice field={field} name="mine" title="What you wrote" value={mine[field.key]} />
          <Choice
            field={field}
            name="theirs"
            title="What is stored now"
            value={now.data[field.key]}
          />
        </fieldset>
      ))}
      {others.length > 0 ? (
        <p>Taken over as it is now: {others.map(({ label }) => label).join(", ")}.</p>
      ) : null}
    </section>
  );
}

export function Buttons({ kind, view }: { kind: "app" | "form"; view: ItemView | undefined }) {
  if (kind === "app" || view?.status === "submitted") {
    return <button type="submit">{view ? "Save changes" : "Save record"}</button>;
  }
  return (
    <>
      <button type="submit" name="$status" value="submitted">
        Submit
      </button>
      <button type="submit" name="$status" value="draft" class="quiet" formnovalidate>
        {view ? "Save draft" : "Keep as a draft"}
      </button>
    </>
  );
}

export interface FormShown {
  frame: Frame;
  collection: Collection;
  /** Absent for one that is being written. */
  view?: ItemView | undefined;
  /** What is stored of the fields, so that only what differs is a change. */
  seen: Seen;
  sent?: Sent | undefined;
  /** The keys of the fields that were written; the others are shown as they are stored. */
  written?: ReadonlySet<string> | undefined;
  /** Fields that somebody else changed as well. */
  clash?: Clash | undefined;
  problem?: Problem | undefined;
}

/** An item as a form: a new one, or one that is changed. */
export function ItemFormPage(shown: FormShown) {
  const { frame, collection, view, seen, sent, written, clash, problem } = shown;
  const { kind, key, definition } = collection;
  const { path, many, item } = words[kind];
  const base = `${path}/${key}/items`;
  const { fields } = definition.fields;
  const at = view ? `${base}/${view.id}` : base;
  const zone = textOf(sent?.["$zone"]) || frame.reader.zone;
  const crumbs: [string, string][] = [
    [many, path],
    [definition.name, base],
  ];
  if (view) crumbs.push([titleOf(view, fields), at]);
  const calculated = fields.filter(({ type }) => type === "computed");
  return (
    <AdminPage
      {...dataAssets}
      frame={frame}
      title={view ? `Edit ${item}` : `New ${item}`}
      crumbs={crumbs}
      badges={view ? <StatusBadge status={view.status} /> : null}
      problem={problem}
      labels={labelsOf(fields, wrongIn(problem))}
    >
      <form method="post" action={at} class="item">
        {clash ? <Conflict clash={clash} frame={frame} /> : null}
        {view ? <input type="hidden" name="$version" value={String(view.version)} /> : null}
        <input type="hidden" name="$seen" value={JSON.stringify(seen)} />
        <input type="hidden" name="$zone" value={zone} />
        <div class="inputs">
          <Inputs
            fields={fields}
            data={view?.data ?? {}}
            sent={sent}
            written={written}
            zone={zone}
            more={textOf(sent?.["$more"])}
          />
        </div>
        {calculated.length > 0 ? (
          <p class="muted">
            {calculated.map(({ label }) => label).join(", ")}{" "}
            {calculated.length === 1 ? "is" : "are"} calculated when it is saved.
          </p>
        ) : null}
        <p class="actions sticky">
          <Buttons kind={kind} view={view} />
          <a class="button quiet" href={at}>
            Cancel
          </a>
        </p>
      </form>
    </AdminPage>
  );
}

/** What people call the inputs; those of rows where something is wrong with them. */
function labelsOf(fields: readonly Field[], wrong: readonly Wrong[]): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((field) => [
      [field.key, field.label],
      ...(field.type === "line_items" ? cellLabels(field, wrong) : []),
    ]),
  );
}

function cellLabels({ key, fields }: LineItemsField, wrong: readonly Wrong[]) {
  return wrong.flatMap((each) => {
    const [, list, index, column] = /^(\w+)\[(\d+)\]\.(\w+)$/.exec(each.field) ?? [];
    const label = fields.find((one) => one.key === column)?.label;
    if (list !== key || label === undefined) return [];
    return [[each.field, `${label}, row ${Number(index) + 1}`]];
  });
}
