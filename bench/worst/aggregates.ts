import { dataOf, fieldsOf, note, times, type Api, type WorstCase } from "./case.ts";

const route = "POST /forms/{form}/submissions/aggregate";
/** An aggregate may cost what its bounds allow: 200 MB, or 1 GB of work for its conditions (docs/aggregates.md). */
const maxCpuMs = 2000;
const letters = "a".repeat(99_000);
const kindField = { key: "kind", type: "text" };

const aggregateForm =
  (
    form: string,
    fields: readonly object[],
    count: number,
    data: (index: number) => object,
    body: object,
  ) =>
  async (api: Api) => {
    await api.define(form, fields);
    await api.fill(form, count, data);
    return () => api.call("POST", `/forms/${form}/submissions/aggregate`, body);
  };

export const aggregates: WorstCase[] = [
  {
    route,
    maxCpuMs,
    input: "280 items of 100,000 letters, a needle that is nearly found",
    prepare: aggregateForm(
      "sought",
      [kindField, note()],
      280,
      () => ({ kind: "a", note: letters }),
      {
        conditions: [{ field: "note", op: "contains", value: `${"a".repeat(990)}b` }],
        metrics: { items: { op: "count" } },
      },
    ),
  },
  {
    route,
    maxCpuMs,
    input: "groups of 300 texts of 100,000 letters, counted by another",
    prepare: aggregateForm(
      "long-keys",
      [
        { key: "name", type: "text", max_length: 100_000 },
        { ...kindField, key: "kind" },
      ],
      300,
      (index) => ({ name: `${index}${letters}`, kind: String(index) }),
      {
        group_by: [{ field: "name" }],
        metrics: { kinds: { op: "count_distinct", field: "kind" } },
        limit: 1000,
      },
    ),
  },
  {
    route,
    maxCpuMs,
    input: "sums of 5 of 1,900 fields with 17 digits, by two periods, 900 items",
    prepare: aggregateForm(
      "digits",
      [
        ...fieldsOf(1898, { type: "number", searchable: false }),
        ...times(2, (index) => ({ key: `d${index}`, type: "datetime" })),
        ...fieldsOf(5, { type: "number" }, (index) => `n${index}`),
      ].slice(-1900),
      900,
      (index) => ({
        ...dataOf(1800, () => 1 / 3),
        d0: `${1900 + index}-03-29T01:00:00Z`,
        d1: `${9900 - index}-10-25T01:00:00Z`,
        ...Object.fromEntries(times(5, (field) => [`n${field}`, (index + field) / 7])),
      }),
      {
        group_by: [
          { field: "d0", unit: "quarter", time_zone: "America/New_York" },
          { field: "d1", unit: "week", time_zone: "Australia/Lord_Howe" },
        ],
        metrics: Object.fromEntries(
          times(5, (field) => [`m${field}`, { op: "avg", field: `n${field}` }]),
        ),
        order_by: times(5, (field) => ({ metric: `m${field}` })),
        limit: 1000,
      },
    ),
  },
];
