import type { Collection } from "../../../../domain/definition/collection";
import type { Field, LineItemsField } from "../../../../domain/definition/field";
import type { ItemView } from "../../../../domain/item/item-view";
import type { Problem } from "../../../../domain/problem/problem";
import { wrongIn, type Wrong } from "../../../../html/form/wrong";
import { words } from "../../../definitions/words";
import { dataAssets } from "../../../definitions/assets";
import type { Frame } from "../../../frame/frame";
import { AdminPage } from "../../../frame/layout";
import { textOf, type Sent } from "../../../frame/sent";
import type { Seen } from "../../input/changes";
import { Inputs } from "../../input/inputs";
import { StatusBadge } from "../../status";
import { Conflict, type Clash } from "./conflict";
import { titleOf } from "../title";
import { Buttons } from "./save-buttons";

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
