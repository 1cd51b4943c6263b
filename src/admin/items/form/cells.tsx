import type { RowField } from "#domain/definition/field.ts";
import { choiceAttributes, RecordChoices, useReferenceText } from "#admin/items/references.tsx";
import { SelectOptions, InputErrors, useField } from "#html/inputs.tsx";
import { inputAttributes, yesNoOptions, optionsFor, nonEmptyTexts, inputText } from "./values.ts";
import { useText } from "#admin/language/index.tsx";
import { textOf } from "#admin/form-input.ts";

export interface CellProps {
  field: RowField;
  name: string;
  label: string;
  value: unknown;
  isSent: boolean;
  zone: string;
  /** The id of the datalist with the options. Undefined if the cell renders its options. */
  list: string | undefined;
}

function CellInput({
  field,
  attributes,
  text,
  value,
  list,
}: {
  field: RowField;
  attributes: Record<string, string | undefined> & { name: string; id: string };
  text: string;
  value: unknown;
  list: string | undefined;
}) {
  const texts = useText();
  switch (field.type) {
    case "multi_select": {
      const chosenValues = nonEmptyTexts(value);
      const checked = new Set(chosenValues);
      const { id, name, "aria-label": label } = attributes;
      return (
        <div role="group" id={id} aria-label={label} class="several">
          {optionsFor(field.options, chosenValues, texts)
            .filter((option) => list === undefined || checked.has(option.value))
            .map((option) => (
              <label class="choice">
                <input
                  type="checkbox"
                  name={name}
                  value={option.value}
                  checked={checked.has(option.value)}
                />
                <span>{option.label}</span>
              </label>
            ))}
          {list === undefined ? null : <input name={name} aria-label={label} list={list} />}
        </div>
      );
    }
    case "select":
    case "boolean": {
      if (list !== undefined && field.type === "select") {
        return <input {...attributes} type="text" list={list} value={text} />;
      }
      const fieldOptions = field.type === "select" ? optionsFor(field.options, [text], texts) : [];
      const options =
        field.type === "select" ? [{ value: "", label: "" }, ...fieldOptions] : yesNoOptions(texts);
      return (
        <select {...attributes}>
          <SelectOptions options={options} value={text} />
        </select>
      );
    }
    case "reference":
      return (
        <>
          <input
            {...attributes}
            {...choiceAttributes(field.app, attributes.id)}
            value={useReferenceText(text)}
          />
          <RecordChoices id={`${attributes.id}-records`} name={attributes.name} />
        </>
      );
    case "multiline_text":
      return <textarea {...attributes}>{`\n${text}`}</textarea>;
    case "text":
    case "number":
    case "date":
    case "datetime":
    case "email":
    case "url":
    case "phone":
    case "computed":
      return <input {...attributes} {...inputAttributes(field, text)} value={text} />;
  }
}

/** The input of one cell, with its errors. */
export function Cell({ field, name, label, value, isSent, zone, list }: CellProps) {
  const { inputProps, wrong: errors } = useField({ name });
  const attributes = { ...inputProps, "aria-label": label };
  const text = isSent ? textOf(value) : inputText(field, value, zone);
  return (
    <>
      <CellInput {...{ field, attributes, text, value, list }} />
      <InputErrors id={inputProps.id} wrong={errors} />
    </>
  );
}
