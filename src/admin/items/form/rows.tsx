import { inputId, useExactFieldErrors } from "#html/form-errors.tsx";
import type { RowField, LineItemsField } from "#domain/definition/field.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";
import { Cell } from "./cells.tsx";
import { type FormRow, blankRow, rowsToRender, storedRows } from "./read-form.ts";
import { SelectOptions } from "#html/inputs.tsx";
import type { FormValues } from "#admin/form-input.ts";
import { editableColumns } from "./values.ts";

/** Shows the errors of the whole list. Each cell shows its own errors. */
function ListErrors({ name }: { name: string }) {
  const errors = useExactFieldErrors(name);
  if (errors.length === 0) return null;
  return (
    <p class="error" id={inputId(name)} tabindex={-1}>
      {errors.join(" ")}
    </p>
  );
}

const moves = [
  { direction: "up", sign: "↑", label: "moveUp" },
  { direction: "down", sign: "↓", label: "moveDown" },
] as const;

/** Returns a hint for the cells of a column: its help text and its limits. */
function columnHint(column: RowField, { range }: Catalogue["itemForm"]): string {
  const limits = column.type === "number" ? range(column.minimum, column.maximum) : "";
  return [column.help, limits].filter((part) => part).join(" · ");
}

function RowInputs({
  name,
  index,
  columns,
  row,
  zone,
  datalistPrefix,
}: {
  name: string;
  index: number;
  columns: readonly RowField[];
  row: FormRow;
  zone: string;
  /** The id prefix of the columns' datalists. Undefined if cells render their options. */
  datalistPrefix: string | undefined;
}) {
  const { itemForm } = useText();
  const text = itemForm.rows;
  const number = index + 1;
  return (
    <tr>
      {columns.map((column) => (
        <td
          data-label={[column.label, columnHint(column, itemForm)]
            .filter((part) => part !== "")
            .join(" · ")}
        >
          <Cell
            {...{
              field: column,
              name: `${name}.${column.key}`,
              label: text.cell(column.label, number),
              value: row.cells[column.key],
              isSent: row.isSent,
              zone,
              list: datalistPrefix && `${datalistPrefix}-${column.key}`,
            }}
          />
        </td>
      ))}
      <td class="remove">
        {row.was === null ? null : (
          <input type="hidden" name={`${name}.#`} value={String(row.was)} />
        )}
        <label class="choice">
          <input
            type="checkbox"
            name={`${name}.-`}
            checked={row.removed}
            aria-label={text.removeRow(number)}
          />
          <span>{text.remove}</span>
        </label>
        {moves.map(({ direction, sign, label }) => (
          <button
            type="submit"
            class="quiet little"
            name="$move"
            value={`${name.replace("[", ":").replace("]", "")}:${direction}`}
            data-move={direction}
            aria-label={text[label](number)}
          >
            {sign}
          </button>
        ))}
      </td>
    </tr>
  );
}

interface LineItemRowsProps {
  field: LineItemsField;
  stored: unknown;
  form: FormValues | undefined;
  zone: string;
  withMoreRows: boolean;
}

const emptyRowCount = 2;
const addedRowCount = 10;
/** The maximum number of options that cells render in total. Above it, each column shares one datalist. */
const maxInlineOptions = 20_000;

/** Renders the rows of line items, followed by blank rows. Rows that stay blank are not stored. */
export function LineItemRows({ field, stored, form, zone, withMoreRows }: LineItemRowsProps) {
  const { itemForm, terms } = useText();
  const text = itemForm.rows;
  const { key, label } = field;
  const columns = editableColumns(field.fields);
  const hintOf = (column: RowField) => columnHint(column, itemForm);
  const rows = form ? rowsToRender(field, form) : storedRows(stored);
  // A form that is rendered again contains the rows that the member left in it.
  const furtherCount = form ? 0 : 1;
  const blankCount = rows.length > 0 ? furtherCount : emptyRowCount;
  const count = Math.min(
    withMoreRows ? addedRowCount : blankCount,
    Math.max(0, field.max_rows - rows.length),
  );
  const inputRows = [...rows, ...Array.from({ length: count }, blankRow)];
  const choiceColumns = columns.filter((column) => "options" in column);
  const optionsPerRow = choiceColumns.reduce((sum, { options }) => sum + options.length, 0);
  const datalistPrefix =
    optionsPerRow * inputRows.length > maxInlineOptions ? `options-${key}` : undefined;
  return (
    <fieldset class="wide">
      <legend>
        {label} {field.required ? <span class="needed">{terms.required}</span> : null}
      </legend>
      {field.help ? <p class="hint">{field.help}</p> : null}
      <ListErrors name={key} />
      <table class="rows" id={`rows-${key}`}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={column.type}>
                {column.label}{" "}
                {column.required ? <span class="needed">{terms.required}</span> : null}
                {hintOf(column) === "" ? null : <small class="hint">{hintOf(column)}</small>}
              </th>
            ))}
            <th scope="col">
              <span class="unseen">{text.remove}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {inputRows.map((row, index) => (
            <RowInputs
              {...{ name: `${key}[${index}]`, index, columns, row, zone, datalistPrefix }}
            />
          ))}
        </tbody>
      </table>
      <template id={`new-${key}`}>
        <RowInputs
          {...{ name: `${key}[999]`, index: 998, columns, row: blankRow(), zone, datalistPrefix }}
        />
      </template>
      {datalistPrefix === undefined
        ? null
        : choiceColumns.map((column) => (
            <datalist id={`${datalistPrefix}-${column.key}`}>
              <SelectOptions options={column.options} />
            </datalist>
          ))}
      <button type="button" class="quiet little" data-add-row={key} hidden>
        {text.add}
      </button>
      <noscript>
        <button type="submit" class="quiet little" name="$more" value={key}>
          {text.addMore}
        </button>
      </noscript>
    </fieldset>
  );
}
