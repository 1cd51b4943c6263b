import type { Field } from "#domain/definition/field.ts";
import type { ItemView } from "#domain/item/item.ts";
import type { MatchCount } from "#store/data/search/count.ts";
import { Select } from "#html/inputs.tsx";
import { useText } from "#admin/language/index.tsx";
import { ItemInputs } from "#admin/items/form/inputs.tsx";
import { isFiltered } from "#admin/items/list/query.ts";
import { buildFilterTargets, describeFilter } from "#admin/items/list/filter-targets.ts";
import type { FormValues } from "#admin/form-input.ts";
import { Count, useViewer } from "#html/viewer.tsx";
import { itemTitle, StatusBadge, Value } from "#admin/items/value.tsx";
import { Table } from "#html/parts.tsx";
import {
  actionOf,
  basePathOf,
  BulkPage,
  HiddenSelection,
  type BulkPageProps,
} from "./bulk-page.tsx";
import { isSharable, readData, type BulkAct } from "./change.ts";

interface QuestionProps extends BulkPageProps {
  act: BulkAct;
  form: FormValues;
  /** The number of selected items, and of selected items whose status allows the action. */
  matches: MatchCount;
  allowed: MatchCount;
  /** Identifies the meaning of the selection and of the edit. */
  mark: string;
  /** The items that the member selected one by one. */
  named: readonly ItemView[];
}

/** Describes the selected items. */
function SelectionSummary({ collection, selection, listPath, named }: QuestionProps) {
  const viewer = useViewer();
  const text = useText();
  const { query, ids } = selection;
  if (ids !== null) {
    return (
      <ul>
        {named.map((view) => (
          <li>
            <a href={`${basePathOf(listPath)}/${view.id}`}>
              {itemTitle(view, collection.definition.fields.fields, text)}
            </a>{" "}
            <StatusBadge status={view.status} />
          </li>
        ))}
      </ul>
    );
  }
  const { definition, kind } = collection;
  const { filters, terms } = text;
  if (!isFiltered(query)) return <p>{text.bulk.concernsAll(terms.collections[kind].items)}</p>;
  const targets = buildFilterTargets(definition.fields.fields, kind, text);
  const view = (definition.views ?? []).find(({ key }) => key === query.view);
  const parts = [
    ...(view ? [filters.view(view.name)] : []),
    ...(query.text === "" ? [] : [filters.text(query.text)]),
    ...query.filters.map((filter) => describeFilter(filter, targets, viewer, new Map(), filters)),
    ...(query.conditions === "" ? [] : [filters.conditions]),
  ];
  return (
    <ul class="chips" aria-label={filters.active}>
      {parts.map((words) => (
        <li>
          <span>{words}</span>
        </li>
      ))}
    </ul>
  );
}

/** Asks which field to edit. */
export function FieldPage(props: QuestionProps) {
  const { frame, collection, selection, matches, listPath, act } = props;
  const { bulk: text, terms } = frame.text;
  const count = terms.collections[collection.kind].itemCount(matches.count, matches.exact);
  const options = collection.definition.fields.fields
    .filter(isSharable)
    .map(({ key, label }) => ({ value: key, label }));
  return (
    <BulkPage {...props} title={text.actions.edit(count)}>
      <SelectionSummary {...props} />
      {options.length === 0 ? <p class="muted">{text.noFields}</p> : null}
      <form method="post" action={actionOf(listPath)} data-warn="">
        <HiddenSelection {...{ selection, act }} />
        {options.length === 0 ? null : (
          <Select name="field" label={text.labels.field} options={options} />
        )}
        <p class="actions">
          {options.length === 0 ? null : <button type="submit">{terms.continue}</button>}
          <a class="button quiet" href={listPath}>
            {terms.cancel}
          </a>
        </p>
      </form>
    </BulkPage>
  );
}

/** Returns the field with the name of its input on this page, which no other input of the form has. */
export const valueField = (field: Field): Field => ({ ...field, key: "value", required: false });

/** Shows the effects of a bulk action in numbers. An edit also asks for the value. */
export function ConfirmPage(props: QuestionProps & { field: Field | undefined }) {
  const { frame, collection, selection, act, form, matches, allowed, mark, listPath, field } =
    props;
  const { bulk: text, terms } = frame.text;
  const { itemCount } = terms.collections[collection.kind];
  const count = itemCount(allowed.count, allowed.exact);
  const name = field ? text.setField(field.label, count) : text.actions[act](count);
  const leftOut = matches.exact && allowed.exact ? matches.count - allowed.count : 0;
  return (
    <BulkPage {...props} title={text.question(name)}>
      <SelectionSummary {...props} />
      {leftOut > 0 ? (
        <p class="notice warn">{text.leftOut(act, leftOut, itemCount(matches.count))}</p>
      ) : null}
      {act === "edit" ? null : <p>{text.explanations[act]}</p>}
      {field ? <PresentValues field={field} views={props.named} total={matches.count} /> : null}
      <form method="post" action={actionOf(listPath)} data-warn="">
        <HiddenSelection {...{ selection, act }} />
        <input type="hidden" name="mark" value={mark} />
        <input type="hidden" name="total" value={String(matches.count)} />
        {field ? (
          <>
            <input type="hidden" name="field" value={field.key} />
            <ItemInputs
              fields={[{ ...valueField(field), label: text.labels.value }]}
              data={{ value: readData(form)?.[field.key] ?? null }}
              form={form["value"] === undefined ? undefined : form}
              zone={frame.viewer.zone}
            />
            <label class="choice">
              <input type="checkbox" name="clear" value="yes" />
              <span>{text.clear}</span>
            </label>
          </>
        ) : null}
        <p class="actions">
          {allowed.count > 0 ? (
            <button
              type="submit"
              name="sure"
              value="yes"
              class={act === "delete" ? "sure" : undefined}
            >
              {name}
            </button>
          ) : null}
          <a class="button quiet" href={listPath}>
            {terms.cancel}
          </a>
        </p>
      </form>
    </BulkPage>
  );
}

const maxPresentValues = 5;

/** Lists the values that an edit would replace, with their numbers among the loaded items. */
function PresentValues({
  field,
  views,
  total,
}: {
  field: Field;
  views: readonly ItemView[];
  total: number;
}) {
  const text = useText().bulk.present;
  const groups = Map.groupBy(views, ({ data }) => JSON.stringify(data[field.key] ?? null));
  const counted = [...groups].toSorted(([, a], [, b]) => b.length - a.length);
  const listed = counted.slice(0, maxPresentValues);
  const others = counted.length - listed.length;
  return (
    <>
      <Table
        caption={text.title(field.label)}
        columns={[text.title(field.label), { name: text.count, number: true }]}
      >
        {listed.map(([value, group]) => (
          <tr>
            <td>
              {isBlankValue(JSON.parse(value) as unknown) ? (
                <span class="muted">{text.none}</span>
              ) : (
                <Value field={field} value={JSON.parse(value) as unknown} short />
              )}
            </td>
            <td class="number" data-label={text.count}>
              <Count of={group.length} />
            </td>
          </tr>
        ))}
      </Table>
      {others > 0 ? <p class="muted">{text.others(others)}</p> : null}
      {total > views.length ? <p class="muted">{text.first(views.length)}</p> : null}
    </>
  );
}

const isBlankValue = (value: unknown) =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);
