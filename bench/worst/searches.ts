import { dataOf, fieldsOf, lines, note, times, type Api, type WorstCase } from "./case.ts";

const route = "POST /forms/{form}/submissions/search";
const number = { type: "number" };
const nearly = (index: number) => `${"a".repeat(990)}${String(index).padStart(3, "b")}`;
const kind = { key: "kind", type: "text" };

interface Filled {
  form: string;
  fields: readonly object[];
  count: number;
  data: (place: number) => object;
  search: object;
}

/** A form with so many items, and a search of it. */
const searching =
  ({ form, fields, count, data, search }: Filled) =>
  async (api: Api) => {
    await api.define(form, fields);
    await api.fill(form, count, data);
    return () => api.call("POST", `/forms/${form}/submissions/search`, search);
  };

/** One of these holds at the most, and each is asked. */
const either = (count: number, of: (index: number) => object) => ({ any: times(count, of) });
const contains = (count: number) =>
  either(count, (index) => ({ field: "note", op: "contains", value: nearly(index) }));
const options = times(1000, (index) => `o${index.toString(36)}`);
const multiple = {
  key: "tags",
  type: "multi_select",
  options: options.map((value) => ({ value })),
};
const tags = (op: string) => (index: number) => ({
  field: "tags",
  op,
  value: times(100, (each) => `x${index}-${each}`),
});

export const searches: WorstCase[] = [
  {
    route,
    input: "a value that 160 items of 100,000 letters have, and 48 needles that are nearly found",
    prepare: searching({
      form: "few",
      fields: [kind, { ...kind, key: "other" }, note()],
      count: 159,
      data: () => ({ kind: "a", other: "a", note: "a".repeat(99_000) }),
      search: {
        conditions: [
          { field: "kind", op: "eq", value: "a" },
          { field: "other", op: "eq", value: "a" },
          contains(48),
        ],
      },
    }),
  },
  {
    route,
    input: "two sort keys, 600 items of 100,000 letters, 2 needles that are nearly found",
    prepare: searching({
      form: "sorted",
      fields: [kind, note()],
      count: 600,
      data: () => ({ kind: "a", note: "a".repeat(99_000) }),
      search: { conditions: [contains(2)], sort: [{ field: "kind" }, { field: "note" }] },
    }),
  },
  {
    route,
    input: "two sort keys, 600 items of 100,000 letters, no conditions",
    prepare: searching({
      form: "sorted-all",
      fields: [kind, note()],
      count: 600,
      data: () => ({ kind: "a", note: "a".repeat(99_000) }),
      search: { sort: [{ field: "kind" }, { field: "note" }], limit: 200 },
    }),
  },
  {
    route,
    input: "49 needles that are nearly found, 160 items of 100,000 letters",
    prepare: searching({
      form: "needles",
      fields: [kind, note()],
      count: 160,
      data: () => ({ kind: "a", note: "a".repeat(99_000) }),
      search: { conditions: [contains(49)] },
    }),
  },
  {
    route,
    input: "49 conditions on one row, 6 items of 500 rows of 165 numbers",
    prepare: searching({
      form: "in-rows",
      fields: [lines(fieldsOf(165, { ...number, searchable: true }))],
      count: 6,
      data: () => ({ lines: times(500, () => dataOf(165, () => 5)) }),
      search: {
        conditions: [
          {
            field: "lines",
            op: "any",
            value: [either(48, (index) => ({ field: `c${index + 100}`, op: "eq", value: 7 }))],
          },
        ],
      },
    }),
  },
  {
    route,
    input: "49 conditions on the last of 1,900 fields, 900 items",
    prepare: searching({
      form: "wide",
      fields: times(1900, (index) => ({ ...number, key: `c${index}`, searchable: index >= 1850 })),
      count: 900,
      data: () => dataOf(1900, () => 1),
      search: {
        conditions: [either(49, (index) => ({ field: `c${index + 1850}`, op: "eq", value: 2 }))],
      },
    }),
  },
  {
    route,
    input: "49 conditions with 90 long values each, 1,000 items",
    prepare: searching({
      form: "values",
      fields: [kind, note()],
      count: 1000,
      data: () => ({ kind: "a" }),
      search: {
        conditions: [
          either(49, (index) => ({
            field: "kind",
            op: "in",
            value: times(90, (each) => `${index}-${each}-${"v".repeat(100)}`),
          })),
        ],
      },
    }),
  },
  ...["has_none", "has_all", "has_any"].map((op) => ({
    route,
    input: `49 times \`${op}\` of 100, 100 items of 1,000 options`,
    prepare: searching({
      form: `tags-${op.replace("_", "-")}`,
      fields: [multiple],
      count: 100,
      data: () => ({ tags: options }),
      search: { conditions: [{ not: { any: times(49, tags(op)) } }] },
    }),
  })),
  {
    route,
    input: "three sort keys, 500 items of 110,000 letters in them",
    prepare: searching({
      form: "sorted-long",
      fields: fieldsOf(3, { type: "text", max_length: 100_000 }),
      count: 500,
      data: (place) => dataOf(3, (index) => `${place}${"é".repeat(20_000)}${index}`),
      search: { sort: times(3, (index) => ({ field: `c${index}` })) },
    }),
  },
  {
    route,
    input: "two sort keys, 49 needles in 2,000 small items",
    prepare: searching({
      form: "sorted-small",
      fields: [kind, note()],
      count: 2000,
      data: (place) => ({ kind: "a", note: `a${place}` }),
      search: { conditions: [contains(49)], sort: [{ field: "kind" }, { field: "note" }] },
    }),
  },
];
