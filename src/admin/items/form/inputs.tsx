import type { Child } from "hono/jsx";
import type { Field, RowField } from "#domain/definition/field.ts";
import { Choices, Field as Box, Select, TextArea, useField } from "#html/inputs.tsx";
import { textOf, type Sent } from "#admin/form-input.ts";
import { lineAttributes, yesOrNo, inputText, optionsFor, textsOf } from "./values.ts";
import { fieldsWithInputs } from "./read-form.ts";
import { Rows } from "./rows.tsx";

interface One {
  field: RowField;
  value: unknown;
  isSent: boolean;
  zone: string;
  required: boolean;
}

export function OneInput({ field, value, isSent, zone, required }: One) {
  const { key: name } = field;
  const label = field.required ? (
    <>
      {field.label} <span class="needed">required</span>
    </>
  ) : (
    field.label
  );
  const text = isSent ? textOf(value) : inputText(field, value, zone);
  switch (field.type) {
    case "multi_select": {
      const chosen = textsOf(value);
      const options = optionsFor(field.options, chosen);
      return <Choices name={name} label={label} options={options} chosen={chosen} many />;
    }
    case "select": {
      const options = [{ value: "", label: "" }, ...optionsFor(field.options, [text])];
      return <Select {...{ name, label, options, value: text, required }} />;
    }
    case "boolean":
      return <Select {...{ name, label, options: yesOrNo, value: text, required }} />;
    case "multiline_text":
      // Browsers leave out a line break that stands first.
      return <TextArea {...{ name, label, value: `\n${text}`, required }} wide />;
    case "text":
    case "number":
    case "date":
    case "datetime":
    case "email":
    case "url":
    case "phone":
    case "computed":
      return <Line {...{ field, label, text, zone, required }} />;
  }
}

function Line({
  field,
  label,
  text,
  zone,
  required,
}: {
  field: Field;
  label: Child;
  text: string;
  zone: string;
  required: boolean;
}) {
  const hint = field.type === "datetime" ? zone.replaceAll("_", " ") : undefined;
  const tied = useField({ name: field.key, hint });
  return (
    <Box {...tied} label={label} hint={hint}>
      <input {...tied.wired} {...lineAttributes(field, text)} value={text} required={required} />
    </Box>
  );
}

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
