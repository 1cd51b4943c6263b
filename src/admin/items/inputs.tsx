import type { Field, LineItemsField, RowField } from "../../domain/definition/field";
import { textOf, type Sent } from "../frame/sent";

interface Values {
  fields: readonly Field[];
  data: Record<string, unknown>;
  /** What was sent and refused: shown in the place of what is stored. */
  sent: Sent | undefined;
}

/** An input for each field that is not calculated. */
export function Inputs({ fields, data, sent }: Values) {
  return (
    <>
      {fields.map((field) => {
        const value = sent ? sent[field.key] : (data[field.key] ?? field.default);
        if (field.type === "computed") return null;
        if (field.type === "line_items")
          return <Rows field={field} rows={rowsOf(field, data, sent)} />;
        if (field.type === "multi_select") return <Choices field={field} chosen={value} />;
        return (
          <label class={field.type === "multiline_text" ? undefined : "narrow"}>
            {field.label}
            {field.required ? " (required)" : ""}
            {field.type === "datetime" ? <small>UTC</small> : null}
            <Input field={field} name={field.key} value={value} />
          </label>
        );
      })}
    </>
  );
}

const inputTypes: Partial<Record<Field["type"], string>> = {
  email: "email",
  url: "url",
  phone: "tel",
  number: "number",
};

function Input({
  field,
  name,
  value,
  label,
}: {
  field: Field;
  name: string;
  value: unknown;
  label?: string;
}) {
  const shared = { name, "aria-label": label, required: label === undefined && field.required };
  switch (field.type) {
    case "multiline_text":
      return <textarea {...shared}>{textOf(value)}</textarea>;
    case "boolean":
      return (
        <select {...shared}>
          <option value=""></option>
          <option value="true" selected={textOf(value) === "true"}>
            yes
          </option>
          <option value="false" selected={textOf(value) === "false"}>
            no
          </option>
        </select>
      );
    case "select":
      return (
        <select {...shared}>
          <option value=""></option>
          {field.options.map((option) => (
            <option value={option.value} selected={textOf(value) === option.value}>
              {option.label}
            </option>
          ))}
        </select>
      );
    case "date":
      return (
        <input
          {...shared}
          value={textOf(value)}
          placeholder="2026-11-21"
          pattern="\d{4}-\d\d-\d\d.*"
        />
      );
    case "datetime":
      return (
        <input
          {...shared}
          type="datetime-local"
          step="0.001"
          value={textOf(value).replace(/Z$/, "")}
        />
      );
    case "number":
      return <input {...shared} type="number" step="any" value={textOf(value)} />;
    case "multi_select":
      return <input {...shared} value={Array.isArray(value) ? value.join(",") : textOf(value)} />;
    case "text":
    case "email":
    case "url":
    case "phone":
    case "line_items":
    case "computed":
      return <input {...shared} type={inputTypes[field.type] ?? "text"} value={textOf(value)} />;
  }
}

function Choices({
  field,
  chosen,
}: {
  field: Extract<Field, { type: "multi_select" }>;
  chosen: unknown;
}) {
  const values = Array.isArray(chosen) ? chosen : [chosen];
  return (
    <fieldset>
      <legend>{field.label}</legend>
      {field.options.map(({ value, label }) => (
        <label class="choice">
          <input type="checkbox" name={field.key} value={value} checked={values.includes(value)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

const emptyRows = 2;

/** What the rows hold, and a few empty ones: those that stay empty are not stored. */
function rowsOf(
  field: LineItemsField,
  data: Record<string, unknown>,
  sent: Sent | undefined,
): Sent[] {
  const stored = (data[field.key] ?? []) as Sent[];
  const rows = sent ? sentRows(field, sent) : stored;
  return [...rows, ...Array.from({ length: emptyRows }, () => ({}))];
}

function sentRows({ key, fields }: LineItemsField, sent: Sent): Sent[] {
  const rows: Sent[] = [];
  for (let index = 0; index < 500; index += 1) {
    const at = `${key}[${index}].`;
    const row = Object.fromEntries(fields.map((each) => [each.key, sent[at + each.key]]));
    if (Object.values(row).some((value) => value !== undefined && value !== "")) rows.push(row);
  }
  return rows;
}

function Rows({ field, rows }: { field: LineItemsField; rows: Sent[] }) {
  const { key, label, fields } = field;
  const inputs = fields.filter((each): each is RowField => each.type !== "computed");
  return (
    <fieldset>
      <legend>{label}</legend>
      <div class="scroll" role="region" aria-label={label} tabindex={0}>
        <table>
          <thead>
            <tr>
              {inputs.map((each) => (
                <th scope="col">{each.label}</th>
              ))}
            </tr>
          </thead>
          <tbody id={`rows-${key}`}>
            {rows.map((row, index) => (
              <tr>
                {inputs.map((each) => (
                  <td>
                    <Input
                      field={each}
                      name={`${key}[${index}].${each.key}`}
                      value={row[each.key]}
                      label={`${each.label}, row ${index + 1}`}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <button type="button" class="quiet" data-add-row={`rows-${key}`} hidden>
        Add a row
      </button>
    </fieldset>
  );
}
