import { dataOf, fieldsOf, lines, note, times, type Api, type WorstCase } from "./case.ts";

const route = "POST /forms/{form}/submissions/search";
const numberField = { type: "number" };
const almostMatching = (index: number) => `${"a".repeat(990)}${String(index).padStart(3, "b")}`;
const kindField = { key: "kind", type: "text" };

interface FilledForm {
  form: string;
  fields: readonly object[];
  count: number;
  data: (itemIndex: number) => object;
  search: object;
}

/** Creates a form with `count` items. The request searches them. */
const searchForm =
  ({ form, fields, count, data, search }: FilledForm) =>
  async (api: Api) => {
    await api.define(form, fields);
    await api.fill(form, count, data);
    return () => api.call("POST", `/forms/${form}/submissions/search`, search);
  };

/** Builds an `any` condition of `count` parts. At most one part matches, so the search evaluates all of them. */
const anyOf = (count: number, build: (index: number) => object) => ({ any: times(count, build) });
const containsAny = (count: number) =>
  anyOf(count, (index) => ({ field: "note", op: "contains", value: almostMatching(index) }));
const options = times(900, (index) => `o${index.toString(36)}`);
/** Options that no item has. */
const absentOptions = times(100, (index) => `x${index}`);
const tagsField = {
  key: "tags",
  type: "multi_select",
  options: [...options, ...absentOptions].map((value) => ({ value })),
};
const tagsCondition = (op: string) => () => ({ field: "tags", op, value: absentOptions });

export const searches: WorstCase[] = [
  {
    route,
    input: "a value that 160 items of 100,000 letters have, and 48 needles that are nearly found",
    prepare: searchForm({
      form: "few",
      fields: [kindField, { ...kindField, key: "other" }, note()],
      count: 159,
      data: () => ({ kind: "a", other: "a", note: "a".repeat(99_000) }),
      search: {
        conditions: [
          { field: "kind", op: "eq", value: "a" },
          { field: "other", op: "eq", value: "a" },
          containsAny(48),
        ],
      },
    }),
  },
  {
    route,
    input: "two sort keys, 600 items of 100,000 letters, 2 needles that are nearly found",
    prepare: searchForm({
      form: "sorted",
      fields: [kindField, note()],
      count: 600,
      data: () => ({ kind: "a", note: "a".repeat(99_000) }),
      search: { conditions: [containsAny(2)], sort: [{ field: "kind" }, { field: "note" }] },
    }),
  },
  {
    route,
    input: "two sort keys, 600 items of 100,000 letters, no conditions",
    prepare: searchForm({
      form: "sorted-all",
      fields: [kindField, note()],
      count: 600,
      data: () => ({ kind: "a", note: "a".repeat(99_000) }),
      search: { sort: [{ field: "kind" }, { field: "note" }], limit: 200 },
    }),
  },
  {
    route,
    input: "49 needles that are nearly found, 160 items of 100,000 letters",
    prepare: searchForm({
      form: "needles",
      fields: [kindField, note()],
      count: 160,
      data: () => ({ kind: "a", note: "a".repeat(99_000) }),
      search: { conditions: [containsAny(49)] },
    }),
  },
  {
    route,
    input: "49 conditions on one row, 6 items of 500 rows of 165 numbers",
    prepare: searchForm({
      form: "in-rows",
      fields: [lines(fieldsOf(165, { ...numberField, searchable: true }))],
      count: 6,
      data: () => ({ lines: times(500, () => dataOf(165, () => 5)) }),
      search: {
        conditions: [
          {
            field: "lines",
            op: "any",
            value: [anyOf(48, (index) => ({ field: `c${index + 100}`, op: "eq", value: 7 }))],
          },
        ],
      },
    }),
  },
  {
    route,
    input: "49 conditions on the last of 1,900 fields, 900 items",
    prepare: searchForm({
      form: "wide",
      fields: times(1900, (index) => ({
        ...numberField,
        key: `c${index}`,
        searchable: index >= 1850,
      })),
      count: 900,
      data: () => dataOf(1900, () => 1),
      search: {
        conditions: [anyOf(49, (index) => ({ field: `c${index + 1850}`, op: "eq", value: 2 }))],
      },
    }),
  },
  {
    route,
    input: "49 conditions with 90 long values each, 1,000 items",
    prepare: searchForm({
      form: "values",
      fields: [kindField, note()],
      count: 1000,
      data: () => ({ kind: "a" }),
      search: {
        conditions: [
          anyOf(49, (index) => ({
            field: "kind",
            op: "in",
            value: times(90, (value) => `${index}-${value}-${"v".repeat(100)}`),
          })),
        ],
      },
    }),
  },
  ...["has_none", "has_all", "has_any"].map((op) => ({
    route,
    input: `49 times \`${op}\` of 100, 100 items of 900 options`,
    prepare: searchForm({
      form: `tags-${op.replace("_", "-")}`,
      fields: [tagsField],
      count: 100,
      data: () => ({ tags: options }),
      search: { conditions: [{ not: { any: times(49, tagsCondition(op)) } }] },
    }),
  })),
  {
    route,
    input: "three sort keys, 500 items of 110,000 letters in them",
    prepare: searchForm({
      form: "sorted-long",
      fields: fieldsOf(3, { type: "text", max_length: 100_000 }),
      count: 500,
      data: (itemIndex) => dataOf(3, (index) => `${itemIndex}${"é".repeat(20_000)}${index}`),
      search: { sort: times(3, (index) => ({ field: `c${index}` })) },
    }),
  },
  {
    route,
    input: "two sort keys, two conditions on rows and a text, 5,000 orders of 490 bytes",
    prepare: searchForm({
      form: "sorted-orders",
      fields: [
        kindField,
        { key: "day", type: "date" },
        lines(fieldsOf(3, { ...numberField, searchable: true })),
        { ...note(), searchable: false },
      ],
      count: 5000,
      data: (itemIndex) => ({
        kind: `k${itemIndex % 4}`,
        day: `2026-01-${String(1 + (itemIndex % 28)).padStart(2, "0")}`,
        lines: times(3, () => dataOf(3, () => itemIndex % 50)),
        note: "n".repeat(300),
      }),
      search: {
        conditions: [
          {
            any: [
              { field: "kind", op: "contains", value: "none" },
              { field: "lines", op: "any", value: [{ field: "c0", op: "gt", value: 50 }] },
              { field: "lines", op: "any", value: [{ field: "c1", op: "lt", value: 0 }] },
            ],
          },
        ],
        sort: [{ field: "kind" }, { field: "day", direction: "desc" }],
      },
    }),
  },
  {
    route,
    input: "two sort keys, 49 needles in 2,000 small items",
    prepare: searchForm({
      form: "sorted-small",
      fields: [kindField, note()],
      count: 2000,
      data: (itemIndex) => ({ kind: "a", note: `a${itemIndex}` }),
      search: { conditions: [containsAny(49)], sort: [{ field: "kind" }, { field: "note" }] },
    }),
  },
];
