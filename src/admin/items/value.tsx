import type { Status, ItemView } from "#domain/item/item.ts";
import { Badge, Table } from "#html/parts.tsx";
import { type Field, type Option, valueType, type LineItemsField } from "#domain/definition/field.ts";
import { textOf } from "#admin/form-input.ts";
import { type Reader, showDay, useReader, Time } from "#html/viewer.tsx";
import { type Child, createContext, useContext } from "hono/jsx";
import { rowsShown } from "#admin/items/form/read-form.ts";
import { may } from "#domain/credential/permissions.ts";
import type { ItemHistory } from "#domain/item/change.ts";
import type { Frame } from "#admin/layout.tsx";

const tones = { draft: "warn", submitted: "good", closed: "quiet" } as const;
export const statusWords = { draft: "Draft", submitted: "Submitted", closed: "Closed" } as const;

/** Where a submission stands; records have no status. */
export function StatusBadge({ status }: { status: Status | null }) {
  return status === null ? null : <Badge tone={tones[status]}>{statusWords[status]}</Badge>;
}

export const None = () => <span class="muted">–</span>;

const mostCharacters = 80;

export function cut(text: string): string {
  const characters = Array.from(text.slice(0, mostCharacters * 4));
  return characters.length > mostCharacters
    ? `${characters.slice(0, mostCharacters).join("")}…`
    : text;
}

export function optionLabel(field: Field, value: string): string {
  const options: readonly Option[] = "options" in field ? field.options : [];
  return options.find((option) => option.value === value)?.label ?? value;
}

interface Shown {
  field: Field;
  values: readonly unknown[];
  short: boolean | undefined;
}

export function List({ field, values, short }: Shown) {
  if (values.length === 0) return <None />;
  if (field.type === "line_items") {
    return (
      <>
        {values.length} {values.length === 1 ? "row" : "rows"}
      </>
    );
  }
  if (short) return <>{values.map((value) => optionLabel(field, textOf(value))).join(", ")}</>;
  return (
    <>
      {values.map((value, index) => [
        index > 0 ? " " : "",
        <Badge>{optionLabel(field, textOf(value))}</Badge>,
      ])}
    </>
  );
}

const numbers = new Map<string, Intl.NumberFormat>();

/** With the decimals of its field, or as many as it has. */
export function showNumber({ locale }: Reader, field: Field, value: number): string {
  const decimals = "decimals" in field ? field.decimals : undefined;
  const id = `${locale} ${decimals ?? ""}`;
  if (numbers.size > 200) numbers.clear();
  const format =
    numbers.get(id) ??
    new Intl.NumberFormat(locale, {
      minimumFractionDigits: decimals ?? 0,
      maximumFractionDigits: decimals ?? 15,
    });
  numbers.set(id, format);
  return format.format(value);
}

/** A day of the calendar, which is the same one in every zone. */
export function Day({ day }: { day: string }) {
  const { locale } = useReader();
  const at = Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(at)) return <>{day}</>;
  return (
    <time datetime={day.slice(0, 10)} title={day}>
      {showDay({ locale, zone: "UTC", now: 0 }, at)}
    </time>
  );
}

export function Moment({ text }: { text: string }) {
  const at = Date.parse(text);
  return Number.isNaN(at) ? <>{text}</> : <Time at={at} />;
}

/** Text with its line breaks, and its web addresses as links. */
export function Text({ text }: { text: string }) {
  return <span class="text">{linked(text)}</span>;
}

const mostLinks = 100;

function linked(text: string): Child[] {
  const parts = text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]])/u);
  if (parts.length > mostLinks * 2) return [text];
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

/** A value as people read it: labels of options, decimals as defined, days and moments as the reader writes them. */
export function Value({ field, value, short }: { field: Field; value: unknown; short?: boolean }) {
  const reader = useReader();
  if (value === null || value === undefined || value === "") return <None />;
  if (Array.isArray(value)) return <List {...{ field, short }} values={value} />;
  const text = textOf(value);
  switch (valueType(field)) {
    case "boolean":
      return <>{value === true ? "Yes" : "No"}</>;
    case "number":
      return <>{showNumber(reader, field, Number(value))}</>;
    case "date":
      return <Day day={text} />;
    case "datetime":
      return <Moment text={text} />;
    case "select":
      return <>{optionLabel(field, text)}</>;
    case "email":
      return short ? <>{text}</> : <a href={`mailto:${text}`}>{text}</a>;
    case "phone":
      return short ? <>{text}</> : <a href={`tel:${text.replaceAll(/[^+\d]/g, "")}`}>{text}</a>;
    case "text":
    case "multiline_text":
    case "url":
    case "multi_select":
    case "line_items":
      return short ? <>{cut(text)}</> : <Text text={text} />;
  }
}

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

/** What members and credentials are called, by actor, as far as a page knows. */
export const NamesContext = createContext<ReadonlyMap<string, string>>(new Map());

export function namesIn({ entries }: ItemHistory): ReadonlyMap<string, string> {
  return new Map(entries.flatMap(({ by, byName }) => (byName === null ? [] : [[by, byName]])));
}

/** Who did it: by name to those who see members, or credentials. */
export function By({ actor, frame }: { actor: string; frame: Frame }) {
  const [kind = "", id = ""] = actor.split(":");
  const name = useContext(NamesContext).get(actor);
  const { role } = frame.member;
  if (kind === "member") {
    if (id === frame.member.id) return <>you</>;
    return may(role, "members") && name !== undefined ? <bdi>{name}</bdi> : <>another member</>;
  }
  if (kind !== "credential") return <>a recalculation</>;
  if (!may(role, "credentials")) return <>an integration</>;
  return (
    <a href={`/admin/integrations/${id}`}>
      <bdi>{name ?? "an integration"}</bdi>
    </a>
  );
}

/** What an item is called: its receipt number, or the first text that it has. */
export function titleOf(view: ItemView, fields: readonly Field[]): string {
  if (view.receiptNumber !== null) return view.receiptNumber;
  const text = fields
    .filter(({ type }) => type === "text" || type === "email")
    .map(({ key }) => view.data[key])
    .find((value) => typeof value === "string" && value !== "");
  return typeof text === "string" ? cut(text) : `Submission …${view.id.slice(-8)}`;
}
