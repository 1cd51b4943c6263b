import type { Child } from "hono/jsx";
import { textOf } from "#admin/form-input.ts";
import type { Field, LineItemsField } from "#domain/definition/field.ts";
import type { FieldChange } from "#domain/item/change.ts";
import { diffRows, type RowDiff } from "#domain/item/row-diff.ts";
import { useText } from "#admin/language/index.tsx";
import { Value } from "./value.tsx";

type Data = Record<string, unknown>;

interface ChangeListProps {
  changes: readonly FieldChange[];
  fields: readonly Field[];
  /** Renders the button that reverts one field. */
  action?: (change: FieldChange) => Child;
}

/** Lists changed fields with their values before and after, and the changed cells of line items. */
export function ChangeList({ changes, fields, action }: ChangeListProps) {
  const { properties } = useText().terms;
  const byKey = new Map(fields.map((field) => [field.key, field]));
  return (
    <dl class="changes">
      {changes.map((change) => {
        const field = byKey.get(change.key);
        return (
          <div>
            <dt>{change.key === "$status" ? properties.status : change.label}</dt>
            <dd>
              {field?.type === "line_items" ? (
                <ChangedRows field={field} change={change} />
              ) : (
                <FromTo field={field} {...change} />
              )}
            </dd>
            {action ? <dd class="act">{action(change)}</dd> : null}
          </div>
        );
      })}
    </dl>
  );
}

function FromTo({ field, from, to }: { field: Field | undefined; from: unknown; to: unknown }) {
  return (
    <>
      <ChangedValue field={field} value={from} />
      <span aria-label={useText().itemPage.became}> → </span>
      <ChangedValue field={field} value={to} />
    </>
  );
}

const maxListedRows = 20;

const rowsOf = (value: unknown) => (Array.isArray(value) ? (value as Data[]) : []);

function ChangedRows({ field, change }: { field: LineItemsField; change: FieldChange }) {
  const text = useText().itemPage;
  const diffs = diffRows(rowsOf(change.from), rowsOf(change.to));
  return (
    <ul>
      {diffs.slice(0, maxListedRows).map((diff) => (
        <li>
          {text.changedRows[diff.what](
            diff.row,
            <ChangedCells columns={field.fields} diff={diff} />,
          )}
        </li>
      ))}
      {diffs.length > maxListedRows ? <li>{text.moreRows(diffs.length - maxListedRows)}</li> : null}
    </ul>
  );
}

const maxListedCells = 10;

function ChangedCells({ columns, diff }: { columns: readonly Field[]; diff: RowDiff }) {
  const { cellSeparator } = useText().itemPage;
  const byKey = new Map(columns.map((column) => [column.key, column]));
  return (
    <>
      {diff.cells.slice(0, maxListedCells).map(({ key, from, to }, index) => {
        const column = byKey.get(key);
        return (
          <>
            {index > 0 ? cellSeparator : ""}
            {column?.label ?? key}{" "}
            {diff.what === "changed" ? (
              <FromTo field={column} from={from} to={to} />
            ) : (
              <ChangedValue field={column} value={diff.what === "added" ? to : from} />
            )}
          </>
        );
      })}
      {diff.cells.length > maxListedCells ? `${cellSeparator}…` : ""}
    </>
  );
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === "" ||
  (Array.isArray(value) && value.length === 0);

/** A value that belongs to no current field is a status or text. */
export function ChangedValue({ field, value }: { field: Field | undefined; value: unknown }) {
  const { empty, statuses } = useText().terms;
  if (isEmpty(value)) return <span class="muted">{empty}</span>;
  if (field) return <Value field={field} value={value} short />;
  const text = textOf(value);
  return <>{Object.entries(statuses).find(([status]) => status === text)?.[1] ?? text}</>;
}
