import type { Field } from "../../domain/definition/field";
import { isObject } from "../../domain/json";
import { textOf, type Sent } from "../frame/sent";
import type { FieldDocument } from "./context";

export type FieldType = Field["type"];

/** The types, with what they are for. */
export const types: [type: FieldType, meaning: string][] = [
  ["text", "a line of text"],
  ["multiline_text", "text of several lines"],
  ["number", "a number"],
  ["boolean", "yes or no"],
  ["date", "a day"],
  ["datetime", "a moment"],
  ["email", "an e-mail address"],
  ["url", "a web address"],
  ["phone", "a phone number"],
  ["select", "one of several options"],
  ["multi_select", "some of several options"],
  ["line_items", "rows with fields of their own"],
  ["computed", "calculated by a formula"],
];

const isText = (type: string) => type === "text" || type === "multiline_text";

/** The inputs that a field of this type has, besides key and label. */
export function inputsOf(type: string, inRow: boolean): Set<string> {
  const computed = type === "computed";
  const list = type === "multi_select" || type === "line_items";
  return new Set([
    ...(computed ? ["formula", "result", "decimals"] : ["required"]),
    ...(computed || list || inRow ? [] : ["unique"]),
    ...(computed || list ? [] : ["default"]),
    "searchable",
    ...(isText(type) ? ["min_length", "max_length", "pattern"] : []),
    ...(type === "number" ? ["integer", "minimum", "maximum", "decimals"] : []),
    ...(type === "select" || type === "multi_select" ? ["options"] : []),
    ...(type === "line_items" ? ["min_rows", "max_rows"] : []),
  ]);
}

const flags = ["required", "unique", "searchable", "integer"];
const numbers = [
  "min_length",
  "max_length",
  "minimum",
  "maximum",
  "decimals",
  "min_rows",
  "max_rows",
];

/** The field that a form describes. `before` gives what the form does not show: the rows of line items, the name. */
export function fieldOf(
  sent: Sent,
  type: string,
  inRow: boolean,
  before?: FieldDocument,
): FieldDocument {
  const text = (name: string) => textOf(sent[name]).trim();
  const field: FieldDocument = { key: text("key"), type };
  if (text("label") !== "") field["label"] = text("label");
  if (before && before.key !== field.key) field["renamed_from"] = before.key;
  for (const name of inputsOf(type, inRow)) {
    if (flags.includes(name)) field[name] = sent[name] !== undefined && sent[name] !== "";
    else if (name === "options") field["options"] = optionsOf(textOf(sent["options"]));
    else if (text(name) !== "")
      field[name] = numbers.includes(name) ? Number(text(name)) : text(name);
  }
  if (field["default"] !== undefined) field["default"] = defaultOf(textOf(field["default"]), type);
  if (type === "line_items")
    field["fields"] = before?.["fields"] ?? [{ key: "item", type: "text" }];
  return field;
}

/** One option a line: its value, and its label behind a bar where it has another. */
function optionsOf(text: string): { value: string; label?: string }[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [value = "", label] = line.split("|").map((part) => part.trim());
      return label === undefined ? { value } : { value, label };
    });
}

export function optionLines(options: unknown): string {
  const list: unknown[] = Array.isArray(options) ? options : [];
  return list
    .filter(isObject)
    .map((option) => [textOf(option["value"]), textOf(option["label"])] as const)
    .map(([value, label]) => (label === "" || label === value ? value : `${value} | ${label}`))
    .join("\n");
}

function defaultOf(text: string, type: string): unknown {
  if (type === "number") return Number(text);
  return type === "boolean" ? text === "true" : text;
}

/** The list that holds a field, and its place there; `path` is `key`, or `lines.key` for one of a row. */
export function located(
  fields: FieldDocument[],
  path: string,
): { list: FieldDocument[]; index: number; within: FieldDocument | undefined } | undefined {
  const [first = "", second] = path.split(".");
  const outer = fields.findIndex(({ key }) => key === first);
  if (outer === -1) return undefined;
  if (second === undefined) return { list: fields, index: outer, within: undefined };
  const within = fields[outer];
  const list = (within?.["fields"] ?? []) as FieldDocument[];
  const index = list.findIndex(({ key }) => key === second);
  return index === -1 ? undefined : { list, index, within };
}
