import { Choices } from "../../../../html/form/choices";
import { Input } from "../../../../html/form/input";
import { Select } from "../../../../html/form/select";
import type { Filter } from "../query";
import type { Filterable } from "./filterable";

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
