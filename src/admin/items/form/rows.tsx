import { inputId, useWrongExactly } from "#html/form-errors.tsx";
import type { RowField, LineItemsField } from "#domain/definition/field.ts";
import { Cell } from "./cells.tsx";
import { type Row, blankRow, rowsToDraw, storedRows } from "./read-form.ts";
import { Options } from "#html/inputs.tsx";
import type { Sent } from "#admin/form-input.ts";
import { writtenColumns } from "./values.ts";

/** What was wrong with the list as a whole; what is wrong with a cell stands there. */
export function ListErrors({ name }: { name: string }) {
  const wrong = useWrongExactly(name);
  if (wrong.length === 0) return null;
  return (
    <p class="error" id={inputId(name)} tabindex={-1}>
      {wrong.join(" ")}
    </p>
  );
}

export function RowInputs({
  name,
  index,
  columns,
  row,
  zone,
  lists,
}: {
  name: string;
  index: number;
  columns: readonly RowField[];
  row: Row;
  zone: string;
  /** How the ids of the lists begin in which the options of columns stand; absent where cells have them. */
  lists: string | undefined;
}) {
  return (
    <tr>
      {columns.map((column) => (
        <td data-label={column.label}>
          <Cell
            {...{
              field: column,
              name: `${name}.${column.key}`,
              label: `${column.label}, row ${index + 1}`,
              value: row.cells[column.key],
              isSent: row.isSent,
              zone,
              list: lists && `${lists}-${column.key}`,
            }}
          />
        </td>
      ))}
      <td class="remove">
        {row.was === null ? null : (
          <>
            <input type="hidden" name={`${name}.#`} value={String(row.was)} />
            <label class="choice">
              <input type="checkbox" name={`${name}.-`} checked={row.removed} />
              <span>
                Remove<span class="unseen"> row {index + 1}</span>
              </span>
            </label>
          </>
        )}
      </td>
    </tr>
  );
}

interface Shown {
  field: LineItemsField;
  stored: unknown;
  sent: Sent | undefined;
  zone: string;
  more: boolean;
}

const emptyRows = 2;
const moreRows = 10;
/** Options that rows have in them; where there are more, each column has its own once, and cells lead to them. */
const mostOptions = 20_000;

/** The rows of line items: those that there are, and empty ones, which are not stored while they stay empty. */
export function Rows({ field, stored, sent, zone, more }: Shown) {
  const { key, label } = field;
  const columns = writtenColumns(field.fields);
  const rows = sent ? rowsToDraw(field, sent) : storedRows(stored);
  const count = Math.min(more ? moreRows : emptyRows, Math.max(0, field.max_rows - rows.length));
  const all = [...rows, ...Array.from({ length: count }, blankRow)];
  const listed = columns.filter((column) => "options" in column);
  const each = listed.reduce((sum, { options }) => sum + options.length, 0);
  const lists = each * all.length > mostOptions ? `options-${key}` : undefined;
  return (
    <fieldset class="wide">
      <legend>
        {label} {field.required ? <span class="needed">required</span> : null}
      </legend>
      <ListErrors name={key} />
      <table class="rows" id={`rows-${key}`}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">
                {column.label} {column.required ? <span class="needed">required</span> : null}
              </th>
            ))}
            <th scope="col">
              <span class="unseen">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map((row, index) => (
            <RowInputs {...{ name: `${key}[${index}]`, index, columns, row, zone, lists }} />
          ))}
        </tbody>
      </table>
      <template id={`new-${key}`}>
        <RowInputs
          {...{ name: `${key}[999]`, index: 998, columns, row: blankRow(), zone, lists }}
        />
      </template>
      {lists === undefined
        ? null
        : listed.map((column) => (
            <datalist id={`${lists}-${column.key}`}>
              <Options options={column.options} />
            </datalist>
          ))}
      <button type="button" class="quiet little" data-add-row={key} hidden>
        Add a row
      </button>
      <noscript>
        <button type="submit" class="quiet little" name="$more" value={key} formnovalidate>
          More rows
        </button>
      </noscript>
    </fieldset>
  );
}
