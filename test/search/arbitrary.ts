import fc from "fast-check";
import type { Json } from "../support/client";

/** Random documents, conditions and sorts of one form. They draw from few values, so that conditions often match. */

const options = ["red", "green", "blue"];
const toOptions = (values: string[]) => values.map((value) => ({ value }));
export const fields = [
  { key: "name", type: "text" },
  { key: "amount", type: "number" },
  { key: "day", type: "date" },
  { key: "at", type: "datetime" },
  { key: "done", type: "boolean" },
  { key: "colour", type: "select", options: toOptions(options) },
  { key: "tags", type: "multi_select", options: toOptions(options) },
  {
    key: "lines",
    type: "line_items",
    fields: [
      { key: "sku", type: "text" },
      { key: "qty", type: "number" },
      { key: "marks", type: "multi_select", options: toOptions(options) },
    ],
  },
];
export const types: Record<string, Json> = {
  amount: "number",
  day: "date",
  at: "datetime",
  done: "boolean",
  lines: { qty: "number" },
  $created_at: "datetime",
  $updated_at: "datetime",
};

const text = fc.constantFrom(
  "Ärger",
  "ärger",
  "STRASSE",
  "straße",
  "a%b_c",
  "A",
  "a",
  "00123",
  "123",
  "ΌΣΟΣ",
  "νησί",
  "ıstanbul",
  "Istanbul",
  "日本",
  "ab",
  "🎉x",
);
const part = fc.constantFrom(
  "ä",
  "SS",
  "ß",
  "%",
  "_",
  "a",
  "1",
  "όσο",
  "νησ",
  "όσος",
  "istan",
  "ıs",
  "本",
  "b",
  "🎉",
  "zz",
);
const number = fc.constantFrom(-2, 0, 1, 1.5, 2, 10, 123);
const day = fc.constantFrom("2026-01-01Z", "2026-01-01+09:00", "2026-01-02-05:00", "2025-12-31Z");
const at = fc.constantFrom(
  "2026-01-01T00:00:00Z",
  "2026-01-01T09:00:00+09:00",
  "2026-01-01T00:00:00.5Z",
  "2025-06-01T12:00:00Z",
);
const colour = fc.constantFrom(...options);
const actor = fc.constantFrom("$me", "system");
const fewOf = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.array(arbitrary, { minLength: 1, maxLength: 3 });
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });

export const document = fc.record({
  name: nullable(text),
  amount: nullable(number),
  day: nullable(day),
  at: nullable(at),
  done: nullable(fc.boolean()),
  colour: nullable(colour),
  tags: fc.uniqueArray(colour, { maxLength: 3 }),
  lines: fc.array(
    fc.record({
      sku: nullable(text),
      qty: nullable(number),
      marks: fc.uniqueArray(colour, { maxLength: 2 }),
    }),
    { maxLength: 3 },
  ),
});

const leaf = (field: string, op: string, value: fc.Arbitrary<unknown>) =>
  value.map((operand): Json => ({ field, op, value: operand }));
const emptyLeaf = (field: string) => leaf(field, "is_empty", fc.boolean());
const textLeaves = (field: string, value: fc.Arbitrary<string>) => [
  leaf(field, "eq", value),
  leaf(field, "ne", value),
  leaf(field, "in", fewOf(value)),
  leaf(field, "not_in", fewOf(value)),
  emptyLeaf(field),
];
const rangeLeaves = (field: string, value: fc.Arbitrary<unknown>) => [
  ...["eq", "ne", "gt", "gte", "lt", "lte"].map((op) => leaf(field, op, value)),
  leaf(field, "between", fc.tuple(value, value)),
  leaf(field, "in", fewOf(value)),
  emptyLeaf(field),
];
const choiceLeaves = (field: string) => [
  ...["has_any", "has_all", "has_none"].map((op) => leaf(field, op, fewOf(colour))),
  emptyLeaf(field),
];
const partLeaves = (field: string) => [
  leaf(field, "contains", part),
  leaf(field, "starts_with", part),
];

const rowLeaf = fc.oneof(
  ...textLeaves("sku", text),
  ...partLeaves("sku"),
  ...rangeLeaves("qty", number),
  ...choiceLeaves("marks"),
);
const plainLeaf = fc.oneof(
  ...textLeaves("name", text),
  ...partLeaves("name"),
  ...rangeLeaves("amount", number),
  ...rangeLeaves("day", day),
  ...rangeLeaves("at", at),
  leaf("done", "eq", fc.boolean()),
  emptyLeaf("done"),
  ...textLeaves("colour", colour),
  ...choiceLeaves("tags"),
  leaf("$status", "eq", fc.constantFrom("draft", "submitted", "closed")),
  ...["eq", "ne"].map((op) => leaf("$created_by", op, actor)),
  ...["in", "not_in"].map((op) => leaf("$created_by", op, fewOf(actor))),
  leaf("lines", "any", fewOf(rowLeaf)),
  leaf("lines", "none", fewOf(rowLeaf)),
  emptyLeaf("lines"),
);

const condition: fc.Arbitrary<Json> = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 5, arbitrary: plainLeaf },
    { weight: 1, arbitrary: fewOf(tie("tree")).map((all) => ({ all })) },
    { weight: 1, arbitrary: fewOf(tie("tree")).map((any) => ({ any })) },
    { weight: 1, arbitrary: tie("tree").map((not) => ({ not })) },
  ),
})).tree;

const sortable = fc.constantFrom(
  "name",
  "amount",
  "day",
  "at",
  "done",
  "colour",
  "$status",
  "$created_at",
  "$updated_at",
  "$id",
);
const direction = fc.constantFrom("asc", "desc");

export const search = fc.record({
  conditions: fc.array(condition, { maxLength: 3 }),
  sort: fc.uniqueArray(fc.record({ field: sortable, direction }), {
    maxLength: 2,
    selector: ({ field }) => field,
  }),
});
