import type { Field } from "../../../domain/definition/field";
import type { Sent } from "../../frame/sent";
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
  return (
    <>
      {fields.map((field) => {
        const { key } = field;
        if (field.type === "computed") return null;
        const stored = data[key] ?? (isNew ? field.default : undefined);
        const own = sent && (written?.has(key) ?? true) ? sent : undefined;
        if (field.type === "line_items") {
          return <Rows field={field} stored={stored} sent={own} zone={zone} more={more === key} />;
        }
        const required = field.required && (isNew || !isEmpty(stored));
        const value = own ? own[key] : stored;
        return <OneInput {...{ field, value, isSent: own !== undefined, zone, required }} />;
      })}
    </>
  );
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && !value.length);
