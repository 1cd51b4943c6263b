import { type Field, valueType } from "../../../domain/definition/field";
import { useReader } from "../../../html/reader";
import { textOf } from "../../frame/sent";
import { None } from "./none";
import { cut } from "./cut";
import { List } from "./list";
import { optionLabel } from "./option-label";
import { showNumber } from "./show-number";
import { Day } from "./day";
import { Moment } from "./moment";
import { Text } from "./text";

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
