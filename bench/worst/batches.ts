import { dataOf, fieldsOf, note, times, type WorstCase } from "./case.ts";

const batch = "POST /forms/{form}/submissions/batch";
const numberField = { type: "number" };
const formType = "application/x-www-form-urlencoded";

/** The inputs of the field editor with 500 computed fields. */
const draft = (formula: string) =>
  new URLSearchParams([
    ["version", "1"],
    ...times(500, (index) => [
      [`fields[${index}].type`, "computed"],
      [`fields[${index}].label`, `c${index}`],
      [`fields[${index}].result`, "number"],
      [`fields[${index}].formula`, formula],
    ]).flat(),
  ] as [string, string][]).toString();

/** Batches, and forms and files of the administration area, which also contain many items or values. */
export const batches: WorstCase[] = [
  {
    route: batch,
    input: "100 operations of 1,000 unknown properties each: refused",
    prepare: async (api) => {
      await api.define("batch-unknown", fieldsOf(1999, numberField));
      const data = Object.fromEntries(times(1000, (index) => [index.toString(36), 0]));
      const body = JSON.stringify({ operations: times(100, () => ({ op: "create", data })) });
      return () => api.call("POST", "/forms/batch-unknown/submissions/batch", body);
    },
  },
  {
    route: `${batch}?return=representation`,
    input: "20 creates of 400 KB of defaults: refused",
    prepare: async (api) => {
      const filled = note("note", { default: "x".repeat(99_000), searchable: false });
      await api.define(
        "batch-returned",
        times(4, (index) => ({ ...filled, key: `note${index}` })),
      );
      const body = JSON.stringify({ operations: times(20, () => ({ op: "create", data: {} })) });
      const path = "/forms/batch-returned/submissions/batch?return=representation";
      return () => api.call("POST", path, body);
    },
  },
  {
    route: batch,
    input: "100 upserts of 400 unique values each: refused",
    prepare: async (api) => {
      await api.define("batch-unique", fieldsOf(400, { ...numberField, unique: true }));
      return (turn) => {
        const operations = times(100, (item) => {
          const data = dataOf(400, () => turn * 1000 + item);
          return { op: "upsert", by: "c0", data };
        });
        return api.call("POST", "/forms/batch-unique/submissions/batch", { operations });
      };
    },
  },
  {
    route: "POST /admin/forms/{form}/items",
    input: "a form of 250,000 values: refused",
    prepare: async (api) => {
      await api.define("many-values", [
        { key: "a", type: "multi_select", options: [{ value: "x" }] },
      ]);
      return () => api.adminCall("/forms/many-values/items", "a=x&".repeat(250_000), formType);
    },
  },
  {
    route: "POST /admin/forms/{form}/fields?draft",
    input: "a draft of 500 formulas",
    prepare: async (api) => {
      await api.define("draft", []);
      return () => api.adminCall("/forms/draft/fields?draft", draft("1"), formType);
    },
  },
  {
    route: "POST /admin/forms/{form}/fields?draft",
    input: "a draft of 500 formulas, each of which is wrong",
    prepare: async (api) => {
      await api.define("wrong-draft", []);
      return () => api.adminCall("/forms/wrong-draft/fields?draft", draft("missing"), formType);
    },
  },
  {
    route: "POST /admin/forms/{form}/items/import",
    input: "a check of 1,660 rows of 24 cells",
    prepare: async (api) => {
      await api.define("import-check", fieldsOf(24, numberField));
      const header = times(24, (index) => `c${index}`).join(",");
      const csv = `${header}\n${`${times(24, () => "1").join(",")}\n`.repeat(1660)}`;
      return () => api.adminCall("/forms/import-check/items/import", JSON.stringify({ csv }));
    },
  },
];
