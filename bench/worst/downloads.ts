import {
  dataOf,
  emptyRows,
  fieldsOf,
  lines,
  note,
  times,
  type Api,
  type WorstCase,
} from "./case.ts";

const list = "GET /forms/{form}/submissions";
const spreadsheet = "text/csv; profile=spreadsheet";
const options = times(1000, (index) => `o${index.toString(36)}`);

interface FilledForm {
  form: string;
  fields: readonly object[];
  count: number;
  data: (index: number) => object;
  accept: string;
}

/** Creates a form with a time zone and `count` items. The request downloads the items. */
const download =
  ({ form, fields, count, data, accept }: FilledForm) =>
  async (api: Api) => {
    await api.define(form, fields, { time_zone: "Asia/Tokyo" });
    await api.fill(form, count, data);
    return () => api.call("GET", `/forms/${form}/submissions`, undefined, { Accept: accept });
  };

export const downloads: WorstCase[] = [
  {
    route: list,
    input: "NDJSON, 1,000 items of 20 numbers in rows",
    prepare: download({
      form: "lines",
      fields: [lines(fieldsOf(20, { type: "number" }))],
      count: 1000,
      data: () => ({ lines: times(10, () => dataOf(20, () => 5)) }),
      accept: "application/x-ndjson",
    }),
  },
  {
    route: list,
    input: "spreadsheet, a line for each of 500 empty rows beside a text of 100,000 letters",
    prepare: download({
      form: "repeated",
      fields: [note(), lines(fieldsOf(1, { type: "number" }))],
      count: 1,
      data: () => ({ note: "x".repeat(99_000), lines: emptyRows }),
      accept: `${spreadsheet}; rows=lines`,
    }),
  },
  {
    route: list,
    input: "spreadsheet, 500 items of 1,000 options",
    prepare: download({
      form: "labels",
      fields: [
        {
          key: "tags",
          type: "multi_select",
          options: options.map((value) => ({ value })),
          searchable: false,
        },
      ],
      count: 500,
      data: () => ({ tags: options }),
      accept: spreadsheet,
    }),
  },
  {
    route: list,
    input: "spreadsheet, date-times of 4 MB, in a zone, written in parts",
    inParts: true,
    prepare: download({
      form: "stamps",
      fields: [lines(fieldsOf(50, { type: "datetime", searchable: false }))],
      count: 5,
      data: () => ({ lines: times(500, () => dataOf(50, () => "2026-11-21T09:30:00Z")) }),
      accept: spreadsheet,
    }),
  },
  {
    route: list,
    input: "CSV, 500 empty items of 1,999 fields",
    prepare: download({
      form: "empty-cells",
      fields: fieldsOf(1999, { type: "number" }),
      count: 500,
      data: () => ({}),
      accept: "text/csv",
    }),
  },
  {
    route: "POST /forms/{form}/submissions/search",
    input: "CSV, `fields` with 119,000 times the same key, 20 items",
    prepare: async (api: Api) => {
      await api.define("columns", fieldsOf(1, { type: "number" }));
      await api.fill("columns", 20, () => ({ c0: 1 }));
      const body = `{"fields":[${times(119_000, () => '"c0"').join()}]}`;
      const headers = { Accept: "text/csv" };
      return () => api.call("POST", "/forms/columns/submissions/search", body, headers);
    },
  },
];
