import { emptyRows, fieldsOf, lines, note, times, type Api, type WorstCase } from "./case.ts";

const numberField = { type: "number" };
const list = "GET /forms/{form}/submissions";
const longKey = (index: number) => `c${String(index).padStart(62, "0")}`;
/** The options of `largeFields`, which make a definition as large as possible. */
const options = times(1000, (index) => ({ value: `o${index.toString(36)}` }));
const largeFields = fieldsOf(24, { type: "multi_select", options });
/** Builds select fields. With the maximum number of fields, each can have 6 options. */
const selects = (count: number) =>
  fieldsOf(count, {
    type: "select",
    label: "x",
    options: times(6, (index) => ({ value: `o${index}` })),
  });

const getAfterDefine =
  (form: string, fields: readonly object[], path: string) => async (api: Api) => {
    await api.define(form, fields);
    return () => api.call("GET", `/forms/${form}${path}`);
  };

/** Cases whose response is larger than the stored data. */
export const representations: WorstCase[] = [
  {
    route: "GET /submissions/{id}",
    input: "500 empty rows that have got 200 columns since",
    prepare: async (api) => {
      await api.define("widened", [lines(fieldsOf(1, numberField, longKey))]);
      const path = await api.create("widened", { lines: emptyRows });
      await api.define("widened", [lines(fieldsOf(200, numberField, longKey))]);
      return () => api.call("GET", path);
    },
  },
  {
    route: "GET /submissions/{id}",
    input: "10 texts of 100,000 letters",
    prepare: async (api) => {
      await api.define(
        "long",
        times(10, (index) => note(`note${index}`)),
      );
      const data = times(10, (index) => [`note${index}`, "x".repeat(99_000)]);
      const path = await api.create("long", Object.fromEntries(data));
      return () => api.call("GET", path);
    },
  },
  {
    route: list,
    input: "200 items of 500 empty rows that have got 20 columns since",
    prepare: async (api) => {
      await api.define("widened-list", [lines(fieldsOf(1, numberField))]);
      await api.fill("widened-list", 200, () => ({ lines: emptyRows }));
      await api.define("widened-list", [lines(fieldsOf(20, numberField))]);
      return () => api.call("GET", "/forms/widened-list/submissions?limit=200");
    },
  },
  {
    route: list,
    input: "200 empty items of 1,999 fields with long keys",
    prepare: async (api) => {
      await api.define("empty", fieldsOf(1999, numberField, longKey));
      await api.fill("empty", 200, () => ({}));
      return () => api.call("GET", "/forms/empty/submissions?limit=200");
    },
  },
  {
    route: list,
    input: "40 items of 100,000 letters of two bytes",
    prepare: async (api) => {
      await api.define("pages", [note()]);
      await api.fill("pages", 45, () => ({ note: "é".repeat(99_000) }));
      return () => api.call("GET", "/forms/pages/submissions");
    },
  },
  {
    route: "GET /forms",
    input: "200 forms with descriptions of 5,000 letters",
    prepare: async (api) => {
      const settings = { description: "x".repeat(5000) };
      for (let i = 0; i < 200; i += 1) await api.define(`one-of-${i}`, [note()], settings);
      return () => api.call("GET", "/forms?limit=200");
    },
  },
  {
    route: "GET /forms/{form}",
    input: "24 fields of 1,000 options",
    prepare: getAfterDefine("form", largeFields, ""),
  },
  {
    route: "GET /forms/{form}/schema",
    input: "24 fields of 1,000 options",
    prepare: getAfterDefine("schema", largeFields, "/schema"),
  },
  {
    route: "GET /forms/{form}/openapi.json",
    input: "24 fields of 1,000 options",
    prepare: getAfterDefine("openapi", largeFields, "/openapi.json"),
  },
  {
    route: "GET /forms/{form}/openapi.json",
    input: "1,999 days with labels of 200 letters",
    prepare: getAfterDefine(
      "openapi-fields",
      fieldsOf(1999, { type: "date", label: "x".repeat(200) }),
      "/openapi.json",
    ),
  },
  {
    route: "GET /forms/{form}/openapi.json",
    input: "1,999 days with labels of 200 letters, in OpenAPI 3.0",
    prepare: getAfterDefine(
      "openapi-older",
      fieldsOf(1999, { type: "date", label: "x".repeat(200) }),
      "/openapi.json?version=3.0",
    ),
  },
  {
    route: "GET /forms/{form}/openapi.json",
    input: "1,999 selects of 6 options, in OpenAPI 3.0",
    prepare: getAfterDefine("openapi-selects", selects(1999), "/openapi.json?version=3.0"),
  },
  {
    route: "GET /openapi.json",
    input: "20 forms of 99 selects of 6 options, in OpenAPI 3.0",
    prepare: async (api) => {
      const keys = times(20, (index) => `joined${index}`);
      for (const key of keys) await api.define(key, selects(99));
      return () => api.call("GET", `/openapi.json?version=3.0&forms=${keys.join(",")}`);
    },
  },
];
