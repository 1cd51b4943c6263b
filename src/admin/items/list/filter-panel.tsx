import { useReader } from "#html/viewer.tsx";
import { type Filterable, describeFilter } from "./filters.ts";
import { searchParams, type Query, type Filter } from "./query.ts";
import { Choices, Input, Select, Options, TextArea } from "#html/inputs.tsx";

/** The filters that are on, each with the way to be without it. */
export function Chips({
  base,
  query,
  by,
}: {
  base: string;
  query: Query;
  by: readonly Filterable[];
}) {
  const reader = useReader();
  const without = (changed: Partial<Query>) =>
    `${base}?${searchParams({ ...query, ...changed }).toString()}`;
  const chips = query.filters.map((filter) => ({
    text: describeFilter(filter, by, reader),
    href: without({ filters: query.filters.filter((each) => each !== filter) }),
  }));
  if (query.text !== "") {
    chips.unshift({ text: `Text “${query.text}”`, href: without({ text: "" }) });
  }
  if (query.conditions !== "") {
    chips.push({ text: "Conditions as JSON", href: without({ conditions: "" }) });
  }
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters that are on">
      {chips.map(({ text, href }) => (
        <li>
          {text}
          <a href={href} aria-label={`Without: ${text}`}>
            ✕
          </a>
        </li>
      ))}
    </ul>
  );
}

const relativeDays = [
  { value: "", label: "" },
  { value: "today", label: "today" },
  { value: "yesterday", label: "yesterday" },
  { value: "-7", label: "the last 7 days" },
  { value: "-30", label: "the last 30 days" },
  { value: "7", label: "the next 7 days" },
  { value: "30", label: "the next 30 days" },
];

const yesOrNo = [
  { value: "", label: "" },
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** The inputs that filter by one of them. */
export function FilterInputs({ by, filters }: { by: Filterable; filters: readonly Filter[] }) {
  const { path, label, type } = by;
  const name = (op: string) => `f.${path}.${op}`;
  const given = (op: string) =>
    filters.find((filter) => filter.path === path && filter.op === op)?.values ?? [];
  const one = (op: string) => given(op)[0] ?? "";
  switch (type) {
    case "number":
      return (
        <fieldset class="pair range">
          <legend>{label}</legend>
          <Input name={name("gte")} label="from" value={one("gte")} inputmode="decimal" />
          <Input name={name("lte")} label="to" value={one("lte")} inputmode="decimal" />
        </fieldset>
      );
    case "date":
    case "datetime":
      return (
        <div class="pair days">
          <Select
            name={name("days")}
            label={`${label} in`}
            options={relativeDays}
            value={one("days")}
          />
          <Input name={name("gte")} label="or from" type="date" value={one("gte")} />
          <Input name={name("lte")} label="to" type="date" value={one("lte")} />
        </div>
      );
    case "boolean":
      return <Select name={name("eq")} label={label} options={yesOrNo} value={one("eq")} />;
    case "select":
    case "multi_select": {
      const op = type === "select" ? "in" : "has_any";
      return (
        <Choices
          name={name(op)}
          label={label}
          options={by.options.slice(0, mostOptions)}
          chosen={given(op)}
          many
        />
      );
    }
    case "text":
    case "multiline_text":
    case "email":
    case "url":
    case "phone":
      return <Input name={name("contains")} label={`${label} contains`} value={one("contains")} />;
  }
}

const mostOptions = 50;

const inputs: Record<Filterable["type"], readonly string[]> = {
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
};

/** Whether this filter has an input. */
export function hasInput({ path, type }: Filterable, filter: Filter): boolean {
  return path === filter.path && (filter.op === "is_empty" || inputs[type].includes(filter.op));
}

/** An input or two for each of them, by label. */
export function Panel({
  base,
  query,
  shown,
  by,
  isWrong,
}: {
  base: string;
  query: Query;
  shown: readonly Filterable[];
  by: readonly Filterable[];
  isWrong: boolean;
}) {
  const { filters, conditions } = query;
  const emptiness = [
    { value: "", label: "" },
    ...by.map(({ path, label }) => ({ value: path, label })),
  ];
  const empty = (is: boolean) =>
    filters.find(({ op, values }) => op === "is_empty" && values[0] === String(is))?.path;
  return (
    <details class="drop filters" open={isWrong}>
      <summary class="button quiet">
        Filter{filters.length > 0 ? ` (${filters.length})` : ""}
      </summary>
      <div class="card">
        <div class="grid">
          {shown.map((each) => (
            <FilterInputs by={each} filters={filters} />
          ))}
          <label>
            Is empty
            <select name="empty">
              <Options options={emptiness} value={empty(true)} />
            </select>
          </label>
          <label>
            Is not empty
            <select name="filled">
              <Options options={emptiness} value={empty(false)} />
            </select>
          </label>
        </div>
        <details open={conditions !== ""}>
          <summary>Conditions as the API takes them</summary>
          <TextArea
            name="conditions"
            label="Conditions as JSON"
            hint={
              <>
                Also groups and rows:{" "}
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
            Clear all
          </a>
        </p>
      </div>
    </details>
  );
}

const mostInputs = 60;

/** The box that finds text, and filters by label; a form that an address says all of. */
export function Find({
  base,
  query,
  by,
  name,
  isWrong,
}: {
  base: string;
  query: Query;
  by: readonly Filterable[];
  /** What is searched, in the plural. */
  name: string;
  /** Whether a filter was refused, which is told beside its input. */
  isWrong: boolean;
}) {
  const { sort, filters } = query;
  const shown = by.slice(0, mostInputs);
  // What has no input here stays as it is.
  const kept = filters.filter((filter) => !shown.some((each) => hasInput(each, filter)));
  return (
    <form method="get" action={base} role="search" class="find">
      {sort ? <input type="hidden" name="sort" value={sort.key} /> : null}
      {sort?.direction === "desc" ? <input type="hidden" name="direction" value="desc" /> : null}
      {kept.flatMap(({ path, op, values }) =>
        values.map((value) => <input type="hidden" name={`f.${path}.${op}`} value={value} />),
      )}
      <div class="bar">
        <input
          type="search"
          class="grow"
          name="q"
          value={query.text}
          placeholder={`Search ${name}`}
          aria-label={`Search ${name}: text in any field`}
        />
        <button type="submit" class="quiet">
          Search
        </button>
        <Panel {...{ base, query, shown, by, isWrong }} />
      </div>
    </form>
  );
}
