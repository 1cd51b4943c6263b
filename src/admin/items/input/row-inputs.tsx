import type { RowField } from "../../../domain/definition/field";
import { Cell } from "./cell";
import type { Row } from "./drawn-rows";

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
