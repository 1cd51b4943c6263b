import { useViewer } from "#html/viewer.tsx";
import { type FilterTarget, describeFilter } from "./filters.ts";
import { buildSearchParams, type Query, type Filter } from "./query.ts";
import { ChoiceGroup, Input, Select, SelectOptions, TextArea } from "#html/inputs.tsx";

/** Lists the active filters, each with a link that removes it. */
export function FilterChips({
  base,
  query,
  targets,
}: {
  base: string;
  query: Query;
  targets: readonly FilterTarget[];
}) {
  const viewer = useViewer();
  const pathWith = (changes: Partial<Query>) =>
    `${base}?${buildSearchParams({ ...query, ...changes }).toString()}`;
  const chips = query.filters.map((filter) => ({
    text: describeFilter(filter, targets, viewer),
    href: pathWith({ filters: query.filters.filter((candidate) => candidate !== filter) }),
  }));
  if (query.text !== "") {
    chips.unshift({ text: `Text “${query.text}”`, href: pathWith({ text: "" }) });
  }
  if (query.conditions !== "") {
    chips.push({ text: "Conditions as JSON", href: pathWith({ conditions: "" }) });
  }
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {chips.map(({ text, href }) => (
        <li>
          {text}
          <a href={href} aria-label={`Remove filter: ${text}`}>
            ✕
          </a>
        </li>
      ))}
    </ul>
  );
}

const relativeDayOptions = [
  { value: "", label: "" },
  { value: "today", label: "today" },
  { value: "yesterday", label: "yesterday" },
  { value: "-7", label: "the last 7 days" },
  { value: "-30", label: "the last 30 days" },
  { value: "7", label: "the next 7 days" },
  { value: "30", label: "the next 30 days" },
];

const yesNoOptions = [
  { value: "", label: "" },
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** The inputs for one filter target. */
function FilterInputs({ target, filters }: { target: FilterTarget; filters: readonly Filter[] }) {
  const { path, label, type } = target;
  const name = (op: string) => `f.${path}.${op}`;
  const filterValues = (op: string) =>
    filters.find((filter) => filter.path === path && filter.op === op)?.values ?? [];
  const firstValue = (op: string) => filterValues(op)[0] ?? "";
  switch (type) {
    case "number":
      return (
        <fieldset class="pair range">
          <legend>{label}</legend>
          <Input name={name("gte")} label="from" value={firstValue("gte")} inputmode="decimal" />
          <Input name={name("lte")} label="to" value={firstValue("lte")} inputmode="decimal" />
        </fieldset>
      );
    case "date":
    case "datetime":
      return (
        <div class="pair days">
          <Select
            name={name("days")}
            label={`${label} in`}
            options={relativeDayOptions}
            value={firstValue("days")}
          />
          <Input name={name("gte")} label="or from" type="date" value={firstValue("gte")} />
          <Input name={name("lte")} label="to" type="date" value={firstValue("lte")} />
        </div>
      );
    case "boolean":
      return (
        <Select name={name("eq")} label={label} options={yesNoOptions} value={firstValue("eq")} />
      );
    case "select":
    case "multi_select": {
      const op = type === "select" ? "in" : "has_any";
      return (
        <ChoiceGroup
          name={name(op)}
          label={label}
          options={target.options.slice(0, maxOptions)}
          chosen={filterValues(op)}
          multiple
        />
      );
    }
    case "files":
      return null;
    case "reference":
      return (
        <Input name={name("eq")} label={`${label} (ID of the record)`} value={firstValue("eq")} />
      );
    case "text":
    case "multiline_text":
    case "email":
    case "url":
    case "phone":
      return (
        <Input name={name("contains")} label={`${label} contains`} value={firstValue("contains")} />
      );
  }
}

const maxOptions = 50;

const inputOperators: Record<FilterTarget["type"], readonly string[]> = {
  text: ["contains"],
  multiline_text: ["contains"],
  email: ["contains"],
  url: ["contains"],
  phone: ["contains"],
  number: ["gte", "lte"],
  date: ["days", "gte", "lte"],
  datetime: ["days", "gte", "lte"],
  boolean: ["eq"],
  select: ["in"],
  multi_select: ["has_any"],
  reference: ["eq"],
  files: [],
};

/** Whether the panel has an input for this filter. */
function hasInput({ path, type }: FilterTarget, filter: Filter): boolean {
  return (
    path === filter.path && (filter.op === "is_empty" || inputOperators[type].includes(filter.op))
  );
}

/** A drop-down with the inputs of the filter targets. */
function FilterPanel({
  base,
  query,
  inputTargets,
  targets,
  hasErrors,
}: {
  base: string;
  query: Query;
  /** The targets that get inputs. */
  inputTargets: readonly FilterTarget[];
  targets: readonly FilterTarget[];
  hasErrors: boolean;
}) {
  const { filters, conditions } = query;
  const emptiness = [
    { value: "", label: "" },
    ...targets.map(({ path, label }) => ({ value: path, label })),
  ];
  const emptinessPath = (isEmpty: boolean) =>
    filters.find(({ op, values }) => op === "is_empty" && values[0] === String(isEmpty))?.path;
  return (
    <details class="drop filters" open={hasErrors}>
      <summary class="button quiet">
        Filter{filters.length > 0 ? ` (${filters.length})` : ""}
      </summary>
      <div class="card">
        <div class="grid">
          {inputTargets.map((target) => (
            <FilterInputs target={target} filters={filters} />
          ))}
          <label>
            Is empty
            <select name="empty">
              <SelectOptions options={emptiness} value={emptinessPath(true)} />
            </select>
          </label>
          <label>
            Is not empty
            <select name="filled">
              <SelectOptions options={emptiness} value={emptinessPath(false)} />
            </select>
          </label>
        </div>
        <details open={conditions !== ""}>
          <summary>Advanced conditions</summary>
          <TextArea
            name="conditions"
            label="Conditions as JSON"
            hint={
              <>
                As in the API, with groups and rows:{" "}
                <code>{'[{ "any": [{ "field": "a", "op": "eq", "value": 1 }] }]'}</code>
              </>
            }
            value={conditions}
            wide
          />
        </details>
        <p class="actions">
          <button type="submit">Apply filters</button>
          <a class="button quiet" href={base}>
            {" "}
            Clear filters{" "}
          </a>
        </p>
      </div>
    </details>
  );
}

const maxInputs = 60;

/** The search box with the filter panel. It is a GET form, so that the URL contains the whole search. */
export function SearchForm({
  base,
  query,
  targets,
  name,
  hasErrors,
}: {
  base: string;
  query: Query;
  targets: readonly FilterTarget[];
  /** The plural name of the items. */
  name: string;
  /** Whether a filter has an error. The panel then opens to show it. */
  hasErrors: boolean;
}) {
  const { sort, filters } = query;
  const inputTargets = targets.slice(0, maxInputs);
  // Hidden inputs keep the filters that the panel has no input for.
  const hiddenFilters = filters.filter(
    (filter) => !inputTargets.some((target) => hasInput(target, filter)),
  );
  return (
    <form method="get" action={base} role="search" class="find">
      {sort ? <input type="hidden" name="sort" value={sort.key} /> : null}
      {sort?.direction === "desc" ? <input type="hidden" name="direction" value="desc" /> : null}
      {hiddenFilters.flatMap(({ path, op, values }) =>
        values.map((value) => <input type="hidden" name={`f.${path}.${op}`} value={value} />),
      )}
      <div class="bar">
        <input
          type="search"
          class="grow"
          name="q"
          value={query.text}
          placeholder={`Search ${name}`}
          aria-label={`Search ${name} by text in any field`}
        />
        <button type="submit" class="quiet">
          Search
        </button>
        <FilterPanel {...{ base, query, inputTargets, targets, hasErrors }} />
      </div>
    </form>
  );
}
