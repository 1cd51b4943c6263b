import type { Field } from "../../../domain/definition/field";
import type { Sent } from "../../frame/sent";
import { fieldsWithInputs } from "../rows-shown";
import { Rows } from "./rows";
import { OneInput } from "./one-input";

interface Values {
  fields: readonly Field[];
  /** What is stored; empty for a new item. */
  data: Record<string, unknown>;
  /** What was sent and refused: shown in the place of what is stored, for the fields that were written. */
  sent?: Sent | undefined;
  written?: ReadonlySet<string> | undefined;
  zone: string;
  /** Further empty rows, by the key of their list. */
  more?: string | undefined;
}

/** An input for each field that is not calculated. */
export function Inputs({ fields, data, sent, written, zone, more }: Values) {
  const isNew = Object.keys(data).length === 0;
  const drawn = new Set(fieldsWithInputs(fields, data));
  return (
    <>
      {fields.map((field) => {
        const { key } = field;
        if (field.type === "computed") return null;
        const stored = data[key] ?? (isNew ? field.default : undefined);
        const own = sent && (written?.has(key) ?? true) ? sent : undefined;
        if (field.type === "line_items") {
          if (!drawn.has(field)) return <TooManyRows field={field} rows={data[key]} />;
          return <Rows field={field} stored={stored} sent={own} zone={zone} more={more === key} />;
        }
        const required = field.required && (isNew || !isEmpty(stored));
        const value = own ? own[key] : stored;
        return <OneInput {...{ field, value, isSent: own !== undefined, zone, required }} />;
      })}
    </>
  );
}

function TooManyRows({ field, rows }: { field: Field; rows: unknown }) {
  return (
    <fieldset class="wide">
      <legend>{field.label}</legend>
      <p class="muted">
        {Array.isArray(rows) ? rows.length : 0} rows are too many to change on a page. They stay as
        they are; a program can change them.
      </p>
    </fieldset>
  );
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && !value.length);
