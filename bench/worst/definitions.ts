import { dataOf, fieldsOf, times, type WorstCase } from "./case.ts";

const put = "PUT /forms/{form}/schema";
const number = { type: "number" };
const letters = { type: "text", max_length: 100_000 };

/** Formulas of so many parts, each of which uses the next one. */
const chain = (count: number, parts: number) =>
  times(count, (index) => ({
    key: `c${index}`,
    type: "computed",
    result: "number",
    formula: `${index < count - 1 ? `c${index + 1}` : "1"}${"+1".repeat(parts)}`,
  }));

const keyAt = (turn: number, index: number) => (turn < 0 ? `c${index}` : `r${turn}_${index}`);

/** Numbers that are unique or not, and long texts beside them. */
const beside = (unique: boolean) => [
  ...fieldsOf(1900, { ...number, unique }),
  ...fieldsOf(8, { ...letters, searchable: false }, (index) => `note${index}`),
];
const alone = (unique: boolean) => fieldsOf(1900, { ...number, unique, searchable: false });

export const definitions: WorstCase[] = [
  {
    route: put,
    input: "300 formulas of 145 parts, each of which uses the next one",
    prepare: async (api) => (turn) =>
      api.call("PUT", `/forms/chain-few${turn}/schema`, { fields: chain(300, 145) }),
  },
  {
    route: put,
    input: "1,900 formulas of 145 parts, each of which uses the next one",
    prepare: async (api) => (turn) =>
      api.call("PUT", `/forms/chain${turn}/schema`, { fields: chain(1900, 145) }),
  },
  {
    route: put,
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
    route: put,
    input: "2,000 fields, all renamed",
    prepare: async (api) => {
      await api.define("renamed", fieldsOf(1999, number));
      return (turn) => {
        const fields = times(1999, (index) => ({
          ...number,
          key: keyAt(turn, index),
          renamed_from: keyAt(turn - 1, index),
        }));
        return api.call("PUT", "/forms/renamed/schema", { fields });
      };
    },
  },
  {
    route: put,
    input: "1,900 fields become unique, 10 items of 750 KB",
    prepare: async (api) => {
      await api.define("unique", beside(false));
      await api.fill("unique", 10, (place) => ({
        ...dataOf(1900, () => place),
        ...Object.fromEntries(times(7, (index) => [`note${index}`, "x".repeat(100_000)])),
      }));
      return (turn) => api.call("PUT", "/forms/unique/schema", { fields: beside(turn % 2 === 0) });
    },
  },
  {
    route: put,
    input: "1,900 fields become unique, 400 items with a value in each: pending",
    prepare: async (api) => {
      await api.define("pending", alone(false));
      await api.fill("pending", 400, (place) => dataOf(1900, () => place));
      return (turn) => api.call("PUT", "/forms/pending/schema", { fields: alone(turn % 2 === 0) });
    },
  },
];
