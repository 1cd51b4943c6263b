import fc from "fast-check";
import type { Json } from "../support/client";
import { formula, key, pattern, text, value } from "./values";

const types =
  "text multiline_text number boolean date datetime email url phone select multi_select line_items computed";

const oneOfOrRandom = (...values: Json[]): fc.Arbitrary<Json> =>
  fc.oneof(fc.constantFrom(...values), value);
const counts = oneOfOrRandom(0, 1, 2, 499, 500, 501, 100_000, 100_001, -1, 0.5);

/** Random values for the properties of field definitions, by property name. */
export const rules: Record<string, fc.Arbitrary<Json>> = {
  pattern,
  formula,
  type: oneOfOrRandom(...types.split(" "), "colour"),
  key: fc.oneof(
    key,
    fc.constantFrom("title", "amount", "lines", "sku", "name", "in", "true", "null", "size", "sum"),
  ),
  label: fc.oneof(text, value),
  required: oneOfOrRandom(true, false),
  unique: oneOfOrRandom(true, false),
  searchable: oneOfOrRandom(true, false),
  default: oneOfOrRandom(
    "a",
    ["a"],
    ["a", "a"],
    ["\ud800"],
    [{ sku: "x" }],
    [{}],
    [null],
    1,
    1.234,
    true,
  ),
  options: oneOfOrRandom(
    [],
    [{ value: "a" }],
    [{ value: "a" }, { value: "a" }],
    [{ value: "e\u0301" }],
    [{ value: "" }],
    [{ value: "\ud800", label: null }],
    Array.from({ length: 1001 }, (_, i) => ({ value: `${i}` })),
  ),
  min_length: counts,
  max_length: counts,
  minimum: oneOfOrRandom(0, -1e308, 1e308, 5e-324),
  maximum: oneOfOrRandom(0, -1e308, 1e308, 5e-324),
  integer: oneOfOrRandom(true, false),
  decimals: oneOfOrRandom(0, 15, 16, -1),
  renamed_from: oneOfOrRandom(
    "title",
    "notes",
    "name",
    "first",
    "gone",
    "a",
    "b",
    "lines",
    "__proto__",
  ),
  previous_keys: oneOfOrRandom(["title"], [null]),
  result: oneOfOrRandom("number", "text", "boolean", "date", "datetime", "line_items"),
  fields: oneOfOrRandom(
    [],
    [{ key: "a", type: "text" }],
    [{ key: "a", type: "line_items", fields: [{ key: "b", type: "text" }] }],
    Array.from({ length: 501 }, (_, i) => ({ key: `f${i}`, type: "text" })),
  ),
  min_rows: counts,
  max_rows: counts,
};
