import type { Child } from "hono/jsx";
import type { Field, Option } from "../../domain/definition/field";
import { valueType } from "../../domain/definition/field";
import { Badge } from "../../html/parts";
import { showDay, Time, useReader, type Reader } from "../../html/reader";
import { textOf } from "../frame/sent";

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
      return <>{labelOf(field, text)}</>;
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

const None = () => <span class="muted">–</span>;

const mostCharacters = 80;

export function cut(text: string): string {
  const characters = Array.from(text.slice(0, mostCharacters * 4));
  return characters.length > mostCharacters
    ? `${characters.slice(0, mostCharacters).join("")}…`
    : text;
}

function List({
  field,
  values,
  short,
}: {
  field: Field;
  values: readonly unknown[];
  short: boolean | undefined;
}) {
  if (values.length === 0) return <None />;
  if (field.type === "line_items") {
    return (
      <>
        {values.length} {values.length === 1 ? "row" : "rows"}
      </>
    );
  }
  if (short) return <>{values.map((value) => labelOf(field, textOf(value))).join(", ")}</>;
  return (
    <>
      {values.map((value, index) => [
        index > 0 ? " " : "",
        <Badge>{labelOf(field, textOf(value))}</Badge>,
      ])}
    </>
  );
}

function labelOf(field: Field, value: string): string {
  const options: readonly Option[] = "options" in field ? field.options : [];
  return options.find((option) => option.value === value)?.label ?? value;
}

const numbers = new Map<string, Intl.NumberFormat>();

/** With the decimals of its field, or as many as it has. */
function showNumber({ locale }: Reader, field: Field, value: number): string {
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
function Day({ day }: { day: string }) {
  const { locale } = useReader();
  const at = Date.parse(`${day.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(at)) return <>{day}</>;
  return (
    <time datetime={day.slice(0, 10)} title={day}>
      {showDay({ locale, zone: "UTC", now: 0 }, at)}
    </time>
  );
}

function Moment({ text }: { text: string }) {
  const at = Date.parse(text);
  return Number.isNaN(at) ? <>{text}</> : <Time at={at} />;
}

/** Text with its line breaks, and its web addresses as links. */
function Text({ text }: { text: string }) {
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
