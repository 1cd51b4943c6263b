import { dataOf, fieldsOf, times, type WorstCase } from "./case.ts";

const putSchema = "PUT /forms/{form}/schema";
const numberField = { type: "number" };
const longText = { type: "text", max_length: 100_000 };

/** Builds formulas of `parts` parts. Each formula uses the next one. */
const chain = (count: number, parts: number) =>
  times(count, (index) => ({
    key: `c${index}`,
    type: "computed",
    result: "number",
    formula: `${index < count - 1 ? `c${index + 1}` : "1"}${"+1".repeat(parts)}`,
  }));

const keyAt = (turn: number, index: number) => (turn < 0 ? `c${index}` : `r${turn}_${index}`);

/** Builds number fields, unique or not, together with long text fields. */
const numbersAndTexts = (unique: boolean) => [
  ...fieldsOf(1900, { ...numberField, unique }),
  ...fieldsOf(8, { ...longText, searchable: false }, (index) => `note${index}`),
];
const numbersOnly = (unique: boolean) =>
  fieldsOf(1900, { ...numberField, unique, searchable: false });

export const definitions: WorstCase[] = [
  {
    route: putSchema,
    input: "300 formulas of 145 parts, each of which uses the next one",
    prepare: async (api) => (turn) =>
      api.call("PUT", `/forms/chain-few${turn}/schema`, { fields: chain(300, 145) }),
  },
  {
    route: putSchema,
    input: "1,900 formulas of 145 parts, each of which uses the next one",
    prepare: async (api) => (turn) =>
      api.call("PUT", `/forms/chain${turn}/schema`, { fields: chain(1900, 145) }),
  },
  {
    route: putSchema,
    input: "170 formulas of 145 parts that use none",
    prepare: async (api) => {
      const formula = { type: "computed", result: "number", formula: `1${"+1".repeat(145)}` };
      return (turn) =>
        api.call("PUT", `/forms/formulas${turn}/schema`, { fields: fieldsOf(170, formula) });
    },
  },
  {
    route: "GET /forms/{form}/submissions",
    input: "the same, in an isolate that has compiled nothing yet",
    cold: true,
    prepare: async (api) => {
      const formula = { type: "computed", result: "number", formula: `1${"+1".repeat(145)}` };
      await api.define("cold", fieldsOf(170, formula));
      return () => api.call("GET", "/forms/cold/submissions");
    },
  },
  {
    route: putSchema,
    input: "2,000 fields, all renamed",
    prepare: async (api) => {
      await api.define("renamed", fieldsOf(1999, numberField));
      return (turn) => {
        const fields = times(1999, (index) => ({
          ...numberField,
          key: keyAt(turn, index),
          renamed_from: keyAt(turn - 1, index),
        }));
        return api.call("PUT", "/forms/renamed/schema", { fields });
      };
    },
  },
  {
    route: putSchema,
    input: "1,900 fields become unique, 10 items of 750 KB",
    prepare: async (api) => {
      await api.define("unique", numbersAndTexts(false));
      await api.fill("unique", 10, (itemIndex) => ({
        ...dataOf(1900, () => itemIndex),
        ...Object.fromEntries(times(7, (index) => [`note${index}`, "x".repeat(100_000)])),
      }));
      return (turn) =>
        api.call("PUT", "/forms/unique/schema", { fields: numbersAndTexts(turn % 2 === 0) });
    },
  },
  {
    route: putSchema,
    input: "1,900 fields become unique, 400 items with a value in each: pending",
    prepare: async (api) => {
      await api.define("pending", numbersOnly(false));
      await api.fill("pending", 400, (itemIndex) => dataOf(1900, () => itemIndex));
      return (turn) =>
        api.call("PUT", "/forms/pending/schema", { fields: numbersOnly(turn % 2 === 0) });
    },
  },
];
