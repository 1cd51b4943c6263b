import { type Field, type LineItemsField, valueType } from "../../../domain/definition/field";
import { Table } from "../../../html/parts/table";
import { Value } from "../value/value";

type Data = Record<string, unknown>;

/** What an item says, in the order of its fields. */
export function Values({ fields, data }: { fields: readonly Field[]; data: Data }) {
  return (
    <dl class="values">
      {fields.map((field) => (
        <div class={field.type === "line_items" || isLong(field) ? "full" : undefined}>
          <dt>{field.label}</dt>
          <dd>
            {field.type === "line_items" ? (
              <Lines field={field} rows={data[field.key]} />
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

function Lines({ field, rows }: { field: LineItemsField; rows: unknown }) {
  if (!Array.isArray(rows) || rows.length === 0) return <span class="muted">–</span>;
  return (
    <Table
      caption={field.label}
      heads={field.fields.map((column) => ({ name: column.label, number: isNumber(column) }))}
    >
      {(rows as Data[]).map((row) => (
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
}
