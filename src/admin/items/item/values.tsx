import { type Field, type LineItemsField, valueType } from "../../../domain/definition/field";
import { Table } from "../../../html/parts/table";
import { rowsShown } from "../rows-shown";
import { Value } from "../value/value";

type Data = Record<string, unknown>;

/** What an item says, in the order of its fields. */
export function Values({ fields, data }: { fields: readonly Field[]; data: Data }) {
  const shown = rowsShown(fields, data);
  return (
    <dl class="values">
      {fields.map((field) => (
        <div class={field.type === "line_items" || isLong(field) ? "full" : undefined}>
          <dt>{field.label}</dt>
          <dd>
            {field.type === "line_items" ? (
              <Lines field={field} rows={data[field.key]} most={shown.get(field.key) ?? 0} />
            ) : (
              <Value field={field} value={data[field.key]} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const isLong = ({ type }: Field) => type === "multiline_text";
export const isNumber = (field: Field) => valueType(field) === "number";

interface ListShown {
  field: LineItemsField;
  rows: unknown;
  /** Rows that there is room for. */
  most: number;
}

function Lines({ field, rows, most }: ListShown) {
  if (!Array.isArray(rows) || rows.length === 0) return <span class="muted">–</span>;
  const table = (
    <Table
      caption={field.label}
      heads={field.fields.map((column) => ({ name: column.label, number: isNumber(column) }))}
    >
      {(rows as Data[]).slice(0, most).map((row) => (
        <tr>
          {field.fields.map((column) => (
            <td class={isNumber(column) ? "number" : undefined} data-label={column.label}>
              <Value field={column} value={row[column.key]} />
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
  if (most === rows.length) return table;
  return (
    <>
      {most > 0 ? table : null}
      <p class="muted">
        {most > 0 ? `The first ${most} of ${rows.length} rows.` : `${rows.length} rows.`} The
        downloads of the list have all of them.
      </p>
    </>
  );
}
