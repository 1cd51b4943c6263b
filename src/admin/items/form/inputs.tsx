import type { Child } from "hono/jsx";
import type { ComputedField, Field, ReferenceField, RowField } from "#domain/definition/field.ts";
import { choiceAttributes, RecordChoices, useReferenceText } from "#admin/items/references.tsx";
import { ChoiceGroup, Field as Box, Select, TextArea, useField } from "#html/inputs.tsx";
import { useText } from "#admin/language/index.tsx";
import { textOf, type FormValues } from "#admin/form-input.ts";
import { inputAttributes, yesNoOptions, inputText, optionsFor, nonEmptyTexts } from "./values.ts";
import { FilesInput } from "#admin/items/files/files-input.tsx";
import { fieldsWithInputs } from "./read-form.ts";
import { LineItemRows } from "./rows.tsx";

interface SingleInputProps {
  field: RowField;
  value: unknown;
  isSent: boolean;
  zone: string;
  required: boolean;
}

function SingleInput({ field, value, isSent, zone, required }: SingleInputProps) {
  const texts = useText();
  const { key: name } = field;
  const label = field.required ? (
    <>
      {field.label} <span class="needed">{texts.terms.required}</span>
    </>
  ) : (
    field.label
  );
  const hint = field.help || undefined;
  const text = isSent ? textOf(value) : inputText(field, value, zone);
  // With the attribute `required`, browsers would not submit drafts.
  const ariaRequired = required ? "true" : undefined;
  switch (field.type) {
    case "multi_select": {
      const chosen = nonEmptyTexts(value);
      const options = optionsFor(field.options, chosen, texts);
      return <ChoiceGroup {...{ name, label, hint, options, chosen }} multiple />;
    }
    case "select": {
      const options = [{ value: "", label: "" }, ...optionsFor(field.options, [text], texts)];
      return (
        <Select {...{ name, label, hint, options, value: text, "aria-required": ariaRequired }} />
      );
    }
    case "boolean": {
      const options = yesNoOptions(texts);
      return (
        <Select {...{ name, label, hint, options, value: text, "aria-required": ariaRequired }} />
      );
    }
    case "multiline_text":
      // Browsers drop the first line break of a textarea, so the value starts with an extra one.
      return (
        <TextArea
          {...{ name, label, hint, value: `\n${text}`, "aria-required": ariaRequired }}
          wide
        />
      );
    case "reference":
      return <ReferenceInput {...{ field, label, text, required }} />;
    case "text":
    case "number":
    case "date":
    case "datetime":
    case "email":
    case "url":
    case "phone":
    case "computed":
      return <LineInput {...{ field, label, text, zone, required }} />;
  }
}

function LineInput({
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
  const { range } = useText().itemForm;
  const zoneName = field.type === "datetime" ? zone.replaceAll("_", " ") : "";
  const limits = field.type === "number" ? range(field.minimum, field.maximum) : "";
  const hint = [field.help, limits, zoneName].filter((part) => part).join(" · ") || undefined;
  const control = useField({ name: field.key, hint });
  return (
    <Box {...control} label={label} hint={hint}>
      <input
        {...control.inputProps}
        {...inputAttributes(field, text)}
        value={text}
        aria-required={required ? "true" : undefined}
      />
    </Box>
  );
}

function ReferenceInput({
  field: { key: name, app, help },
  label,
  text,
  required,
}: {
  field: ReferenceField;
  label: Child;
  text: string;
  required: boolean;
}) {
  const { referenceHint } = useText().itemForm;
  const hint = help || referenceHint;
  const control = useField({ name, hint });
  const { id } = control.inputProps;
  return (
    <Box {...control} label={label} hint={hint}>
      <input
        {...control.inputProps}
        {...choiceAttributes(app, id)}
        type="text"
        value={useReferenceText(text)}
        aria-required={required ? "true" : undefined}
      />
      <RecordChoices id={`${id}-records`} name={name} />
    </Box>
  );
}

interface ItemInputsProps {
  fields: readonly Field[];
  /** The stored values. Empty for a new item. */
  data: Record<string, unknown>;
  /** The rejected form. Edited fields show its values instead of the stored ones. */
  form?: FormValues | undefined;
  /** The keys of the edited fields. Undefined for all fields. */
  written?: ReadonlySet<string> | undefined;
  zone: string;
  /** The collection in the format of uploads. Previews of forms have none. */
  place?: string;
  /** The key of the list that gets additional empty rows. */
  listToExtend?: string | undefined;
}

/** Renders an input for each field that is not computed, below the headings of their sections. */
export function ItemInputs(props: ItemInputsProps) {
  const { fields, data } = props;
  const isNew = Object.keys(data).length === 0;
  const fieldsToRender = new Set(fieldsWithInputs(fields, data));
  return (
    <>
      {fields.map((field) => (
        <>
          {field.section ? <h2 class="section">{field.section}</h2> : null}
          {field.type === "computed" ? null : (
            <FieldInput {...props} {...{ field, isNew, fits: fieldsToRender.has(field) }} />
          )}
        </>
      ))}
    </>
  );
}

/** The input of one field. Lists that do not fit on the page have no input. */
function FieldInput({
  field,
  isNew,
  fits,
  data,
  form,
  written,
  zone,
  place,
  listToExtend,
}: ItemInputsProps & { field: Exclude<Field, ComputedField>; isNew: boolean; fits: boolean }) {
  const { key } = field;
  const stored = data[key] ?? (isNew ? field.default : undefined);
  const fieldForm = form && (written?.has(key) ?? true) ? form : undefined;
  if (field.type === "line_items") {
    if (!fits) return <TooManyRows field={field} rows={data[key]} />;
    const withMoreRows = listToExtend === key;
    return <LineItemRows {...{ field, stored, form: fieldForm, zone, withMoreRows }} />;
  }
  if (field.type === "files") return <FilesInput {...{ field, stored, form: fieldForm, place }} />;
  const required = field.required && (isNew || !isEmpty(stored));
  const value = fieldForm ? fieldForm[key] : stored;
  return <SingleInput {...{ field, value, isSent: fieldForm !== undefined, zone, required }} />;
}

function TooManyRows({ field, rows }: { field: Field; rows: unknown }) {
  return (
    <fieldset class="wide">
      <legend>{field.label}</legend>
      <p class="muted">{useText().itemForm.rows.tooMany(Array.isArray(rows) ? rows.length : 0)}</p>
    </fieldset>
  );
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && !value.length);
