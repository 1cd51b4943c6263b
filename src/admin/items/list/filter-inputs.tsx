import { useContext } from "hono/jsx";
import { ChoiceGroup, dayInput, Field, Input, Select, TextArea, useField } from "#html/inputs.tsx";
import { choiceAttributes, RecordChoices, ReferencesContext } from "#admin/items/references.tsx";
import { useViewer } from "#html/viewer.tsx";
import { useText } from "#admin/language/index.tsx";
import {
  describeDays,
  describeFilter,
  operatorsOf,
  relativeDays,
  type FilterTarget,
} from "./filter-targets.ts";
import { buildSearchParams, jsonPath, searchPath, type Filter, type Query } from "./query.ts";

/** Hidden inputs that add the query to a form. */
export function HiddenQuery({ query }: { query: Partial<Query> }) {
  return (
    <>
      {[...buildSearchParams(query)].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

interface FilterProps {
  base: string;
  query: Query;
  targets: readonly FilterTarget[];
}

/** Lists the active filters. Each has a link that removes it and, except for a text search, one that edits it. */
export function FilterChips({ base, query, targets }: FilterProps) {
  const viewer = useViewer();
  const text = useText().filters;
  const { titles } = useContext(ReferencesContext);
  const without = (index: number) => query.filters.filter((_, i) => i !== index);
  const chips: { label: string; edit?: string; remove: string }[] = query.filters.map(
    (filter, index) => ({
      label: describeFilter(filter, targets, viewer, titles, text),
      edit: searchPath(base, query, { add: filter.path, change: String(index) }),
      remove: searchPath(base, { ...query, filters: without(index) }),
    }),
  );
  if (query.text !== "") {
    const remove = searchPath(base, { ...query, text: "" });
    chips.unshift({ label: text.text(query.text), remove });
  }
  if (query.conditions !== "") {
    const edit = searchPath(base, query, { add: jsonPath });
    const remove = searchPath(base, { ...query, conditions: "" });
    chips.push({ label: text.conditions, edit, remove });
  }
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label={text.active}>
      {chips.map(({ label, edit, remove }) => (
        <li>
          {edit === undefined ? (
            <span>{label}</span>
          ) : (
            <a href={edit} class="change" title={text.edit}>
              {label}
            </a>
          )}
          <a href={remove} aria-label={text.remove(label)}>
            ✕
          </a>
        </li>
      ))}
      {chips.length > 1 ? (
        <li class="plain">
          <a href={searchPath(base, { ...query, text: "", filters: [], conditions: "" })}>
            {text.clearAll}
          </a>
        </li>
      ) : null}
    </ul>
  );
}

/** Lists the fields that a filter can compare. Each opens the inputs of a new filter. */
export function AddFilterMenu({ base, query, targets }: FilterProps) {
  const text = useText().filters;
  const hasSearch = targets.length > 12;
  return (
    <details class="drop" id="add-filter">
      <summary class="button quiet">{text.menu}</summary>
      <div class="card">
        {hasSearch ? (
          <input
            type="search"
            data-filter="filter-target"
            placeholder={text.findField}
            aria-label={text.findField}
            hidden
          />
        ) : null}
        <ul class="menu-list">
          {targets.map(({ path, label }) => (
            <li data-filtered="filter-target">
              <a href={searchPath(base, query, { add: path })}>{label}</a>
            </li>
          ))}
        </ul>
        <p class="muted small" id="advanced-filters">
          {text.advanced}
        </p>
        <ul class="menu-list" aria-labelledby="advanced-filters">
          <li data-filtered="filter-target">
            <a href={searchPath(base, query, { add: jsonPath })}>{text.conditions}</a>
          </li>
        </ul>
      </div>
    </details>
  );
}

/** The inputs of the filter that the query adds or changes. */
export function FilterForm({ base, query, targets }: FilterProps) {
  const { editing } = query;
  const { filters: text, terms } = useText();
  if (!editing) return null;
  if (editing.path === jsonPath) return <JsonForm base={base} query={query} />;
  const filter = editing.change === undefined ? undefined : query.filters[editing.change];
  const target = targets.find(({ path }) => path === editing.path);
  if (!target) return null;
  const offeredOperators = operatorsOf(target);
  const op = filter ? inputOperator(filter) : offeredOperators[0]?.[0];
  const options = offeredOperators.map(([value, comparison]) => ({
    value,
    label: text.comparisons[comparison],
  }));
  // A link or a program may use operators that the menu does not contain.
  if (op !== undefined && !offeredOperators.some(([name]) => name === op))
    options.push({ value: op, label: op });
  const others = query.filters.filter((_, index) => index !== editing.change);
  return (
    <form method="get" action={base} class="card condition" aria-label={text.form(target.label)}>
      <HiddenQuery query={{ ...query, filters: others }} />
      <input type="hidden" name="field" value={target.path} />
      <Select name="op" label={target.label} options={options} value={op} autofocus={!filter} />
      <Operands target={target} values={filter?.values ?? []} op={op ?? ""} />
      <p class="actions">
        <button type="submit">{filter ? text.update : text.add}</button>
        <a class="button quiet" href={searchPath(base, query)}>
          {terms.cancel}
        </a>
      </p>
    </form>
  );
}

/** Returns the operator in the menu, which has a separate one for fields that are not empty. */
const inputOperator = ({ op, values }: Filter) =>
  op === "is_empty" && values[0] === "false" ? "filled" : op;

function JsonForm({ base, query }: { base: string; query: Query }) {
  const { filters: text, terms } = useText();
  return (
    <form method="get" action={base} class="card condition" aria-label={text.conditionsForm}>
      <HiddenQuery query={{ ...query, conditions: "" }} />
      <TextArea
        name="conditions"
        label={text.conditions}
        hint={
          <>
            {text.conditionsHint}{" "}
            <code>{'[{ "any": [{ "field": "a", "op": "eq", "value": 1 }] }]'}</code>
          </>
        }
        value={query.conditions}
        wide
      />
      <p class="actions">
        <button type="submit">{query.conditions === "" ? text.add : text.update}</button>
        <a class="button quiet" href={searchPath(base, query)}>
          {terms.cancel}
        </a>
      </p>
    </form>
  );
}

/** The maximum number of options to choose from. With more options, the member enters the stored value. */
const maxOptions = 500;

interface OperandProps {
  target: FilterTarget;
  values: readonly string[];
  op: string;
}

/** The inputs of the values of a filter. The style sheet shows the ones that the operator uses. */
function Operands({ target, values, op }: OperandProps) {
  const { type, options, label } = target;
  const { filters, terms } = useText();
  const text = filters.operands;
  const [first = "", second = ""] = op === "is_empty" || op === "filled" ? [] : values;
  switch (type) {
    case "number":
      return (
        <>
          <Input
            name="value"
            label={text.value}
            value={first}
            inputmode="decimal"
            class="operand"
          />
          <Input name="to" label={text.and} value={second} inputmode="decimal" class="second" />
        </>
      );
    case "date":
    case "datetime":
      return <DateOperands {...{ first, second, op }} />;
    case "boolean": {
      const yesNo = Object.entries(terms.booleans).map(([key, name]) => ({
        value: key,
        label: name,
      }));
      return (
        <Select name="value" label={text.value} options={yesNo} value={first} class="operand" />
      );
    }
    case "actor":
      return (
        <Select name="value" label={text.person} options={options} value={first} class="operand" />
      );
    case "select":
    case "multi_select":
      return options.length > maxOptions ? (
        <Input name="value" label={text.storedValue} value={values.join(",")} class="operand" />
      ) : (
        <div class="operand options">
          <ChoiceGroup
            name="values"
            label={text.options(label)}
            options={options}
            chosen={values}
            multiple
          />
        </div>
      );
    case "reference":
      return <ReferenceOperand app={target.app ?? ""} value={first} />;
    case "text":
    case "multiline_text":
    case "email":
    case "url":
    case "phone":
      return <Input name="value" label={text.text} value={values.join(",")} class="operand" />;
    case "files":
      return null;
  }
}

/** Programs may compare with exact times, which an input for days cannot display. */
const inputForDay = (text: string) =>
  /^(\d{4}-\d\d-\d\d)?$/.test(text) ? dayInput : { type: "text" };

function DateOperands({ first, second, op }: { first: string; second: string; op: string }) {
  const { filters } = useText();
  const text = filters.operands;
  const isRelative = op === "days";
  const day = isRelative ? "" : first;
  const periods: readonly string[] = relativeDays;
  const isOffered = !isRelative || first === "" || periods.includes(first);
  const options = (isOffered ? periods : [...periods, first]).map((value) => ({
    value,
    label: describeDays(value, filters),
  }));
  return (
    <>
      <Select name="days" label={text.period} options={options} value={first} class="days" />
      <Input name="value" label={text.day} {...inputForDay(day)} value={day} class="day" />
      <Input name="to" label={text.and} {...inputForDay(second)} value={second} class="second" />
    </>
  );
}

function ReferenceOperand({ app, value }: { app: string; value: string }) {
  const text = useText().filters.operands;
  const control = useField({ name: "value", hint: text.recordHint });
  const { id } = control.inputProps;
  return (
    <Field {...control} label={text.record} hint={text.recordHint}>
      <input
        {...control.inputProps}
        {...choiceAttributes(app, id)}
        data-record-ids=""
        class="operand"
        type="text"
        value={value}
      />
      <RecordChoices id={`${id}-records`} name="value" />
    </Field>
  );
}
