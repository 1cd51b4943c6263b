import type { Status, ItemView } from "#domain/item/item.ts";
import type { StoredFile } from "#domain/files/file.ts";
import { Badge, Table } from "#html/parts.tsx";
import {
  type Field,
  type FieldOption,
  valueType,
  type LineItemsField,
} from "#domain/definition/field.ts";
import { textOf } from "#admin/form-input.ts";
import {
  formatDay,
  formatDecimal,
  formatDigits,
  formatTime,
  useViewer,
  Time,
  type Viewer,
} from "#html/viewer.tsx";
import { type Child } from "hono/jsx";
import { ReferenceValue } from "./references.tsx";
import { FileList } from "./files/file-list.tsx";
import { filesOf } from "./files/sent-files.ts";
import { renderedRowCounts } from "#admin/items/form/read-form.ts";
import { type Catalogue, useText } from "#admin/language/index.tsx";

const statusTones = { draft: "warn", submitted: "good", closed: "quiet" } as const;

/** The status of a submission. Records have no status and no badge. */
export function StatusBadge({ status }: { status: Status | null }) {
  const { statuses } = useText().terms;
  return status === null ? null : <Badge tone={statusTones[status]}>{statuses[status]}</Badge>;
}

export const EmptyValue = () => <span class="muted">–</span>;

const maxShortLength = 80;

/** Returns the start of a text for lists. */
export function truncateText(text: string): string {
  const characters = Array.from(text.slice(0, maxShortLength * 4));
  return characters.length > maxShortLength
    ? `${characters.slice(0, maxShortLength).join("")}…`
    : text;
}

export function optionLabel(field: Field, value: string): string {
  const options: readonly FieldOption[] = "options" in field ? field.options : [];
  return options.find((option) => option.value === value)?.label ?? value;
}

interface ValueListProps {
  field: Field;
  values: readonly unknown[];
  short: boolean | undefined;
}

function ValueList({ field, values, short }: ValueListProps) {
  const { itemPage, terms } = useText();
  if (values.length === 0) return <EmptyValue />;
  if (field.type === "line_items") return <>{itemPage.rowCount(values.length)}</>;
  if (field.type === "files") return <FileList files={values as StoredFile[]} short={short} />;
  if (short) return <>{terms.list(values.map((value) => optionLabel(field, textOf(value))))}</>;
  return (
    <>
      {values.map((value, index) => [
        index > 0 ? " " : "",
        <Badge>{optionLabel(field, textOf(value))}</Badge>,
      ])}
    </>
  );
}

/** A sum of a field's values, which may have more digits than a double. `digits` is a JSON number. */
export function ExactNumber({ field, digits }: { field: Field; digits: string }) {
  return <>{formatDigits(useViewer(), digits, decimalsOf(field))}</>;
}

/** A calendar day, formatted in UTC so that no time zone shifts it. */
function Day({ day }: { day: string }) {
  const viewer = useViewer();
  const time = Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(time)) return <>{day}</>;
  return (
    <time datetime={day.slice(0, 10)} title={day}>
      {formatDay({ ...viewer, zone: "UTC" }, time)}
    </time>
  );
}

function DateTime({ text }: { text: string }) {
  const time = Date.parse(text);
  return Number.isNaN(time) ? <>{text}</> : <Time at={time} />;
}

/** Shows text with its line breaks and turns web addresses into links. */
function LinkedText({ text }: { text: string }) {
  return <span class="text">{linkify(text)}</span>;
}

const maxLinks = 100;

function linkify(text: string): Child[] {
  const parts = text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]])/u);
  if (parts.length > maxLinks * 2) return [text];
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      <a href={part} rel="noopener noreferrer nofollow">
        {part}
      </a>
    ) : (
      part
    ),
  );
}

/** An email address that wraps before its “@” instead of inside a word. */
function EmailText({ text }: { text: string }) {
  const at = text.lastIndexOf("@");
  if (at <= 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </>
  );
}

/** Formats a value for people: option labels, the field's decimals, dates in the viewer's locale and time zone. */
export function Value({ field, value, short }: { field: Field; value: unknown; short?: boolean }) {
  const viewer = useViewer();
  const { booleans } = useText().terms;
  if (value === null || value === undefined || value === "") return <EmptyValue />;
  if (Array.isArray(value)) return <ValueList {...{ field, short }} values={value} />;
  const text = textOf(value);
  switch (valueType(field)) {
    case "boolean":
      return <>{booleans[value === true ? "true" : "false"]}</>;
    case "number":
      return <>{formatDecimal(viewer, Number(value), decimalsOf(field))}</>;
    case "date":
      return <Day day={text} />;
    case "datetime":
      return <DateTime text={text} />;
    case "select":
      return <>{optionLabel(field, text)}</>;
    case "reference":
      return <ReferenceValue id={text} short={short} />;
    case "email":
      return short ? <EmailText text={text} /> : <a href={`mailto:${text}`}>{text}</a>;
    case "phone":
      return short ? <>{text}</> : <a href={`tel:${text.replaceAll(/[^+\d]/g, "")}`}>{text}</a>;
    case "text":
    case "multiline_text":
    case "url":
    case "multi_select":
    case "line_items":
    case "files":
      return short ? <>{truncateText(text)}</> : <LinkedText text={text} />;
  }
}

/** Returns the value in words, like `Value` shows it. Empty if there is no value. */
export function valueText(
  field: Field,
  value: unknown,
  { booleans, list }: Catalogue["terms"],
  viewer: Viewer,
): string {
  if (Array.isArray(value)) return list(value.map((each) => optionLabel(field, textOf(each))));
  const text = textOf(value);
  if (text === "") return "";
  switch (valueType(field)) {
    case "boolean":
      return booleans[value === true ? "true" : "false"];
    case "number":
      return formatDecimal(viewer, Number(value), decimalsOf(field));
    case "date": {
      const time = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
      return Number.isNaN(time) ? text : formatDay({ ...viewer, zone: "UTC" }, time);
    }
    case "datetime": {
      const time = Date.parse(text);
      return Number.isNaN(time) ? text : formatTime(viewer, time);
    }
    case "select":
      return optionLabel(field, text);
    case "text":
    case "multiline_text":
    case "email":
    case "url":
    case "phone":
    case "reference":
    case "multi_select":
    case "line_items":
    case "files":
      return truncateText(text);
  }
}

type Data = Record<string, unknown>;

/** Lists the values of an item in the order of its fields. */
export function ItemValues({ fields, data }: { fields: readonly Field[]; data: Data }) {
  const rowCounts = renderedRowCounts(fields, data);
  return (
    <dl class="values">
      {fields.map((field) => (
        <div class={field.type === "line_items" || isLongText(field) ? "full" : undefined}>
          <dt>{field.label}</dt>
          <dd>
            {field.type === "files" ? (
              <FileList files={filesOf(data[field.key])} isLinkable />
            ) : field.type === "line_items" ? (
              <LineItemsTable
                field={field}
                rows={data[field.key]}
                maxRows={rowCounts.get(field.key) ?? 0}
              />
            ) : (
              <Value field={field} value={data[field.key]} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Returns the number of decimals to show. Undefined to show all decimals of the value. */
const decimalsOf = (field: Field) => ("decimals" in field ? field.decimals : undefined);

const isLongText = ({ type }: Field) => type === "multiline_text" || type === "files";
export const isNumber = (field: Field) => valueType(field) === "number";

interface LineItemsTableProps {
  field: LineItemsField;
  rows: unknown;
  /** The maximum number of rows that the table renders. */
  maxRows: number;
}

function LineItemsTable({ field, rows, maxRows }: LineItemsTableProps) {
  const text = useText().itemPage;
  if (!Array.isArray(rows) || rows.length === 0) return <span class="muted">–</span>;
  const table = (
    <Table
      caption={field.label}
      columns={field.fields.map((column) => ({ name: column.label, number: isNumber(column) }))}
    >
      {(rows as Data[]).slice(0, maxRows).map((row) => (
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
  if (maxRows === rows.length) return table;
  return (
    <>
      {maxRows > 0 ? table : null}
      <p class="muted">
        {maxRows > 0 ? text.firstRows(maxRows, rows.length) : text.tooManyRows(rows.length)}
      </p>
    </>
  );
}

/** Returns the title of an item: its receipt number, its first text value or the end of its ID. */
export function itemTitle(
  view: ItemView,
  fields: readonly Field[],
  { itemPage: { untitled } }: Pick<Catalogue, "itemPage">,
): string {
  if (view.receiptNumber !== null) return view.receiptNumber;
  const kind = view.status === null ? "app" : "form";
  return itemName(view.data, fields) ?? untitled[kind](view.id.slice(-8));
}

/** Returns the first text value of an item. */
export function itemName(data: Data, fields: readonly Field[]): string | undefined {
  const text = fields
    .filter(({ type }) => type === "text" || type === "email")
    .map(({ key }) => data[key])
    .find((value) => typeof value === "string" && value !== "");
  return typeof text === "string" ? truncateText(text) : undefined;
}
