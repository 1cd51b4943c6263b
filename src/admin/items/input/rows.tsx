import type { LineItemsField } from "../../../domain/definition/field";
import { Options } from "../../../html/form/options";
import type { Sent } from "../../frame/sent";
import { blankRow, sentRows, storedRows } from "./drawn-rows";
import { writtenColumns } from "./written";
import { ListErrors } from "./list-errors";
import { RowInputs } from "./row-inputs";

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
  const rows = sent ? sentRows(field, sent) : storedRows(stored);
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
