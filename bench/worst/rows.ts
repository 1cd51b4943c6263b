import { dataOf, emptyRows, fieldsOf, lines, times, type WorstCase } from "./case.ts";

const numberField = { type: "number" };
const validate = "POST /forms/{form}/submissions/validate";
const create = "POST /forms/{form}/submissions";
const patch = "PATCH /submissions/{id}";

/** Builds 500 rows of numbers. Neighbouring cells differ. */
const numberRows = (columns: number, firstNumber: number) =>
  times(500, (row) => dataOf(columns, (column) => firstNumber + ((row + column) % 1000)));

const optionValues = times(1000, (index) => `o${index.toString(36)}`);
const optionsOf = (values: readonly string[]) => values.map((value) => ({ value }));

export const rows: WorstCase[] = [
  {
    route: validate,
    input: "500 empty rows of 200 required columns",
    prepare: async (api) => {
      await api.define("required", [lines(fieldsOf(200, { ...numberField, required: true }))]);
      const data = { lines: emptyRows };
      return () => api.call("POST", "/forms/required/submissions/validate", { data });
    },
  },
  {
    route: validate,
    input: "500 rows of 200 values that are none of 1,000 options",
    prepare: async (api) => {
      const options = { type: "select", options: optionsOf(optionValues.slice(0, 100)) };
      await api.define("options", [lines(fieldsOf(200, options))]);
      const data = { lines: times(500, () => dataOf(200, () => "")).map((row) => rowOf(row)) };
      return () => api.call("POST", "/forms/options/submissions/validate", { data });
    },
  },
  {
    route: validate,
    input: "100,000 unknown keys, of 2,000 fields",
    prepare: async (api) => {
      await api.define("unknown", fieldsOf(1999, numberField));
      const data = Object.fromEntries(times(100_000, (index) => [index.toString(36), 0]));
      return () => api.call("POST", "/forms/unknown/submissions/validate", { data });
    },
  },
  {
    route: create,
    input: "500 empty rows, a column with a default of 990 letters",
    prepare: async (api) => {
      const column = { key: "a", type: "text", default: "x".repeat(990) };
      await api.define("defaults", [lines([column])]);
      return () => api.call("POST", "/forms/defaults/submissions", { data: { lines: emptyRows } });
    },
  },
  {
    route: create,
    input: "500 rows of 59 numbers, all searchable, all different",
    prepare: async (api) => {
      await api.define("entries", [lines(fieldsOf(59, numberField))]);
      return (turn) => {
        const data = { lines: times(500, (row) => dataOf(59, () => row + turn)) };
        return api.call("POST", "/forms/entries/submissions", { data });
      };
    },
  },
  {
    route: validate,
    input: "500 rows of 110 days without an offset, in a zone",
    prepare: async (api) => {
      const fields = [lines(fieldsOf(110, { type: "date", searchable: false }))];
      await api.define("days", fields, { time_zone: "Asia/Tokyo" });
      const data = { lines: times(500, () => dataOf(110, () => "2026-11-21")) };
      return () => api.call("POST", "/forms/days/submissions/validate", { data });
    },
  },
  {
    route: patch,
    input: "500 rows of 59 numbers, all searchable, all replaced",
    prepare: async (api) => {
      await api.define("replaced", [lines(fieldsOf(59, numberField))]);
      const path = await api.create("replaced", { lines: numberRows(59, 0) });
      return (turn) =>
        api.call("PATCH", path, { data: { lines: numberRows(59, turn * 1000 + 1000) } });
    },
  },
  {
    route: patch,
    input: "230 rows of 500 options that are options no more",
    prepare: async (api) => {
      const column = { key: "a", type: "multi_select", searchable: false };
      await api.define("former", [lines([{ ...column, options: optionsOf(optionValues) }])]);
      const rowFrom = (from: number) => ({ a: optionValues.slice(from, from + 500) });
      const path = await api.create("former", {
        lines: times(230, (row) => rowFrom(row < 115 ? 0 : 500)),
      });
      await api.define("former", [lines([{ ...column, options: [{ value: "other" }] }])]);
      const newRows = times(230, () => ({ a: [...rowFrom(500).a].toReversed() }));
      return () => api.call("PATCH", path, { data: { lines: newRows } });
    },
  },
  {
    route: patch,
    input: "500 empty rows in the place of rows of 200 columns",
    prepare: async (api) => {
      const column = { ...numberField, default: 1, searchable: false };
      await api.define("lacking", [lines(fieldsOf(200, column))]);
      const paths: string[] = [];
      for (let turn = 0; turn < 10; turn += 1) {
        paths.push(await api.create("lacking", { lines: emptyRows }));
      }
      await api.define("lacking", [lines(fieldsOf(200, { ...numberField, searchable: false }))]);
      return (turn) => api.call("PATCH", paths[turn] ?? "", { data: { lines: emptyRows } });
    },
  },
  {
    route: "DELETE /submissions/{id}",
    input: "500 rows of 59 numbers, all searchable, all different",
    prepare: async (api) => {
      await api.define("deleted", [lines(fieldsOf(59, numberField))]);
      const paths: string[] = [];
      for (let turn = 0; turn < 10; turn += 1) {
        paths.push(await api.create("deleted", { lines: numberRows(59, turn * 1000) }));
      }
      return (turn) => api.call("DELETE", paths[turn] ?? "");
    },
  },
  {
    route: validate,
    input: "100,000 values for computed fields, each with a warning",
    prepare: async (api) => {
      const computed = { type: "computed", formula: "1", result: "number" };
      await api.define("ignored", [lines(fieldsOf(200, computed))]);
      const data = { lines: times(500, () => dataOf(200, () => 0)) };
      return () => api.call("POST", "/forms/ignored/submissions/validate", { data });
    },
  },
  {
    route: create,
    input: "390 rows of 300 values of a choice of 1,000, all searchable",
    prepare: async (api) => {
      const column = { key: "a", type: "multi_select", options: optionsOf(optionValues) };
      await api.define("chosen", [lines([column])]);
      const data = { lines: times(390, (row) => ({ a: optionValues.slice(row, row + 300) })) };
      return () => api.call("POST", "/forms/chosen/submissions", { data });
    },
  },
  {
    route: create,
    input: "1,000 unique texts of 400 letters, with an Idempotency-Key",
    prepare: async (api) => {
      await api.define("all-unique", fieldsOf(1000, { type: "text", unique: true }));
      return (turn) => {
        const data = dataOf(1000, (index) => `${turn}-${index}-${"Aé".repeat(200)}`);
        const headers = { "Idempotency-Key": `${"k".repeat(250)}${turn}` };
        return api.call("POST", "/forms/all-unique/submissions", { data }, headers);
      };
    },
  },
];

const rowOf = (row: Record<string, string>) =>
  Object.fromEntries(Object.keys(row).map((key) => [key, "!"]));
