import { dataOf, fieldsOf, lines, times, type WorstCase } from "./case.ts";

const validate = "POST /forms/{form}/submissions/validate";
const openapi = "GET /forms/{form}/openapi.json";

/** Builds a pattern of `count` different optional Unicode classes. */
const optionalClasses = (count: number) =>
  `^${times(count, (index) => `[\\p{L}${String.fromCodePoint(0x4e00 + index)}]?`).join("")}$`;
/** A pattern that tries all classes for every letter, followed by a letter that never matches. */
const failingAlternation = `(?:${times(240, (index) => `[${String.fromCodePoint(0x100 + index)}]`).join("|")})*z`;
const impossiblePattern = (count: number) => `x\\bx${"y".repeat(count)}`;
const pattern = (text: string, max_length: number) => ({ type: "text", max_length, pattern: text });

export const patterns: WorstCase[] = [
  {
    route: validate,
    input: "as many steps as are counted, of letters that are not ASCII",
    prepare: async (api) => {
      const states = 240 * 3 + 10;
      const maxLength = Math.floor(8_000_000 / states) - 50;
      await api.define("letters", [{ key: "c0", ...pattern(failingAlternation, maxLength) }]);
      const data = { c0: "\u0110\u0111".repeat(maxLength / 2) };
      return () => api.call("POST", "/forms/letters/submissions/validate", { data });
    },
  },
  {
    route: validate,
    input: "as many steps as are counted, of ASCII letters",
    prepare: async (api) => {
      const maxLength = 4000;
      await api.define("ascii", [{ key: "c0", ...pattern(`${"a?".repeat(490)}zz`, maxLength) }]);
      const data = { c0: "a".repeat(maxLength) };
      return () => api.call("POST", "/forms/ascii/submissions/validate", { data });
    },
  },
  {
    route: validate,
    input: "44 patterns of 110 classes of Unicode, met for the first time",
    cold: true,
    prepare: async (api) => {
      await api.define("classes", fieldsOf(44, pattern(optionalClasses(110), 100)));
      const data = dataOf(44, () => "éàüéàüéàü");
      return () => api.call("POST", "/forms/classes/submissions/validate", { data });
    },
  },
  {
    route: openapi,
    input: "44 patterns of 110 classes of Unicode",
    prepare: async (api) => {
      await api.define("class-examples", fieldsOf(44, pattern(optionalClasses(110), 100)));
      return () => api.call("GET", "/forms/class-examples/openapi.json");
    },
  },
  {
    route: openapi,
    input: "300 patterns that have no example",
    prepare: async (api) => {
      const column = { ...pattern(impossiblePattern(28), 100_000), min_length: 50_000 };
      await api.define("examples", fieldsOf(300, column));
      return () => api.call("GET", "/forms/examples/openapi.json");
    },
  },
  {
    route: openapi,
    input: "a list of 500 rows at the least, of 10 patterns that have no example",
    prepare: async (api) => {
      const column = { ...pattern(impossiblePattern(28), 100_000), min_length: 50_000 };
      await api.define("row-examples", [lines(fieldsOf(10, column), { min_rows: 500 })]);
      return () => api.call("GET", "/forms/row-examples/openapi.json");
    },
  },
  {
    route: openapi,
    input: "a list of 500 rows at the least, of 200 columns",
    prepare: async (api) => {
      await api.define("wide-examples", [
        lines(fieldsOf(200, { type: "boolean" }), { min_rows: 500 }),
      ]);
      return () => api.call("GET", "/forms/wide-examples/openapi.json");
    },
  },
  {
    route: openapi,
    input: "a list of 500 rows at the least, of a column with a default of 990 letters",
    prepare: async (api) => {
      const column = { key: "a", type: "text", default: "x".repeat(990) };
      await api.define("long-examples", [lines([column], { min_rows: 500 })]);
      return () => api.call("GET", "/forms/long-examples/openapi.json");
    },
  },
  {
    route: "PUT /forms/{form}/schema",
    input: "33 patterns of 290 states, and defaults of 26,000 letters",
    prepare: async (api) => {
      const maxLength = 26_000;
      const patternText = `${"b?".repeat(140)}zz|bz$`;
      const field = {
        ...pattern(patternText, maxLength),
        default: `${"b".repeat(maxLength - 1)}z`,
      };
      const fields = fieldsOf(33, field);
      return (turn) => api.call("PUT", `/forms/defaulted${turn}/schema`, { fields });
    },
  },
];
