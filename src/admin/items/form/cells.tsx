import type { RowField } from "#domain/definition/field.ts";
import { Options, WrongWith, useField } from "#html/inputs.tsx";
import { lineAttributes, yesOrNo, optionsFor, textsOf, inputText } from "./values.ts";
import { textOf } from "#admin/form-input.ts";

export interface CellProps {
  field: RowField;
  name: string;
  label: string;
  value: unknown;
  isSent: boolean;
  zone: string;
  /** The id of the list in which its options stand; absent where the cell has them. */
  list: string | undefined;
}

export function CellInput({
  field,
  shared,
  text,
  value,
  list,
}: {
  field: RowField;
  shared: Record<string, string | undefined> & { name: string; id: string };
  text: string;
  value: unknown;
  list: string | undefined;
}) {
  switch (field.type) {
    case "multi_select": {
      const chosen = textsOf(value);
      const checked = new Set(chosen);
      const { id, name, "aria-label": label } = shared;
      return (
        <div role="group" id={id} aria-label={label} class="several">
          {optionsFor(field.options, chosen)
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
        return <input {...shared} type="text" list={list} value={text} />;
      }
      const own = field.type === "select" ? optionsFor(field.options, [text]) : [];
      const options = field.type === "select" ? [{ value: "", label: "" }, ...own] : yesOrNo;
      return (
        <select {...shared}>
          <Options options={options} value={text} />
        </select>
      );
    }
    case "multiline_text":
      return <textarea {...shared}>{`\n${text}`}</textarea>;
    case "text":
    case "number":
    case "date":
    case "datetime":
    case "email":
    case "url":
    case "phone":
    case "computed":
      return <input {...shared} {...lineAttributes(field, text)} value={text} />;
  }
}

/** The input of one cell, with what was wrong with it. */
export function Cell({ field, name, label, value, isSent, zone, list }: CellProps) {
  const { wired, wrong } = useField({ name });
  const shared = { ...wired, "aria-label": label };
  const text = isSent ? textOf(value) : inputText(field, value, zone);
  return (
    <>
      <CellInput {...{ field, shared, text, value, list }} />
      <WrongWith id={wired.id} wrong={wrong} />
    </>
  );
}
