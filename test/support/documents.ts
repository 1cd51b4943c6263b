import type { Json } from "./client";

/** Valid definitions that use every type and rule, each with valid data. */

const options = [{ value: "a", label: "A" }, { value: "b" }, { value: "ü", label: "Ü" }];

const allFields = [
  {
    key: "title",
    label: "Title",
    type: "text",
    required: true,
    min_length: 1,
    max_length: 50,
    pattern: "^[^<>]*$",
  },
  { key: "code", type: "text", unique: true, pattern: "^[A-Z]{2}-\\d{1,9}$" },
  { key: "notes", type: "multiline_text", max_length: 5000, default: "none" },
  { key: "amount", type: "number", minimum: -1000, maximum: 1e6, decimals: 2 },
  { key: "pieces", type: "number", integer: true, minimum: 0, default: 1 },
  { key: "agreed", type: "boolean", default: false },
  { key: "day", type: "date", default: "2026-11-21" },
  { key: "at", type: "datetime" },
  { key: "email", type: "email", unique: true },
  { key: "url", type: "url" },
  { key: "phone", type: "phone" },
  { key: "kind", type: "select", options, default: "a" },
  { key: "tags", type: "multi_select", options },
  {
    key: "lines",
    type: "line_items",
    min_rows: 0,
    max_rows: 20,
    fields: [
      { key: "sku", type: "text", required: true, pattern: "^\\w+$" },
      { key: "qty", type: "number", integer: true, minimum: 1, default: 1 },
      { key: "price", type: "number", decimals: 2 },
      { key: "sort", type: "select", options },
      { key: "marks", type: "multi_select", options },
      { key: "due", type: "date" },
      { key: "amount", type: "computed", formula: "qty * price", result: "number", decimals: 2 },
    ],
  },
  {
    key: "total",
    type: "computed",
    formula: "sum(lines.map(l, l.amount))",
    result: "number",
    decimals: 2,
  },
  { key: "summary", type: "computed", formula: 'concat(title, ": ", total)', result: "text" },
  { key: "large", type: "computed", formula: "coalesce(total, 0) > 100", result: "boolean" },
  { key: "made_on", type: "computed", formula: "today()", result: "date" },
];

let sequence = 0;

/** Returns data for the fields above, with new unique values in each call. */
export function data(): Json {
  sequence += 1;
  return {
    title: "A title",
    code: `AB-${sequence}`,
    notes: "Some\nlines",
    amount: 12.5,
    pieces: 3,
    agreed: true,
    day: "2026-11-21+09:00",
    at: "2026-11-21T09:30:00+09:00",
    email: `a${sequence}@forms.example`,
    url: "https://forms.example/a?b#c",
    phone: "+81 3-1234-5678",
    kind: "b",
    tags: ["a", "ü"],
    lines: [
      { sku: "X1", qty: 2, price: 30.25, sort: "a", marks: ["b"], due: "2026-11-30Z" },
      { sku: "X2", price: 1 },
    ],
  };
}

type Kind = "app" | "form";

export interface Start {
  kind: Kind;
  /** The definitions to put first, in this order. The tests change the last one. */
  documents: Json[];
  data: () => Json;
}

const rename = (from: string, to: string) => (field: Json) =>
  field.key === from ? { ...field, key: to, renamed_from: from } : field;

/** The starting points of the random definitions, by name. */
export const starts: Record<string, Start> = {
  form: {
    kind: "form",
    documents: [
      {
        name: "A form",
        description: "Of everything.",
        time_zone: "Asia/Tokyo",
        acceptance: {
          state: "open",
          opens_at: "2026-01-01T00:00:00+09:00",
          closes_at: null,
          max_submissions: 1000,
        },
        fields: allFields,
      },
    ],
    data,
  },
  app: {
    kind: "app",
    documents: [
      {
        name: "An app",
        description: "",
        time_zone: "UTC",
        receipt_prefix: "ORD-",
        fields: allFields,
      },
    ],
    data,
  },
  /** A form with renamed fields and columns and a retired field. */
  history: {
    kind: "form",
    documents: [
      {
        fields: [
          { key: "first", type: "text", unique: true },
          { key: "gone", type: "number" },
          {
            key: "rows",
            type: "line_items",
            fields: [
              { key: "a", type: "text" },
              { key: "b", type: "number" },
            ],
          },
        ],
      },
      {
        name: "With a history",
        fields: [
          { key: "name", type: "text", unique: true, renamed_from: "first" },
          {
            key: "lines",
            type: "line_items",
            renamed_from: "rows",
            min_rows: 1,
            fields: [
              { key: "sku", type: "text", renamed_from: "a" },
              { key: "twice", type: "computed", formula: "concat(sku, sku)", result: "text" },
            ],
          },
          {
            key: "skus",
            type: "computed",
            formula: 'concat(size(lines), " of ", name)',
            result: "text",
          },
        ],
      },
    ],
    data: () => ({ name: `N${(sequence += 1)}`, lines: [{ sku: "X" }] }),
  },
  /** An app whose fields are renamed with `renamed_from`. */
  renaming: {
    kind: "app",
    documents: [
      { receipt_prefix: "", fields: allFields },
      {
        name: "Renamed",
        fields: allFields.map(rename("notes", "remarks")).map(rename("pieces", "count")),
      },
    ],
    data: () => {
      const { notes, pieces, ...remaining } = data();
      return { ...remaining, remarks: notes, count: pieces };
    },
  },
};
