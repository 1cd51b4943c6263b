import { fieldsOf, note, times, type WorstCase } from "./case.ts";

const numberField = { type: "number" };
const arrayOf = (element: string, count: number) => `[${times(count, () => element).join(",")}]`;

const longKeyHeader = (turn: number) => ({ "Idempotency-Key": `${"k".repeat(250)}${turn}` });

export const bodies: WorstCase[] = [
  {
    route: "POST /forms/{form}/submissions/validate",
    input: "1 MiB of numbers: more values than a body may have",
    prepare: async (api) => {
      await api.define("more", [note()]);
      const body = `{"data":{"note":${arrayOf("1", 500_000)}}}`;
      return () => api.call("POST", "/forms/more/submissions/validate", body);
    },
  },
  {
    route: "POST /forms/{form}/submissions/validate",
    input: "an array of 119,000 numbers, one with an exponent",
    prepare: async (api) => {
      await api.define("numbers", [note()]);
      const body = `{"data":{"note":${arrayOf("1", 119_000).replace("[1", "[1e0")}}}`;
      return () => api.call("POST", "/forms/numbers/submissions/validate", body);
    },
  },
  {
    route: "POST /forms/{form}/submissions",
    input: "an array of 119,000 objects, with an Idempotency-Key",
    prepare: async (api) => {
      await api.define("objects", [note()]);
      const body = `{"data":{"note":${arrayOf("{}", 119_000)}}}`;
      return (turn) => api.call("POST", "/forms/objects/submissions", body, longKeyHeader(turn));
    },
  },
  {
    route: "POST /forms/{form}/submissions/search",
    input: "119,000 empty conditions",
    prepare: async (api) => {
      await api.define("conditions", [note()]);
      const body = `{"conditions":${arrayOf("{}", 119_000)}}`;
      return () => api.call("POST", "/forms/conditions/submissions/search", body);
    },
  },
  {
    route: "POST /forms/{form}/submissions/search",
    input: "`fields` with 119,000 times the same key, 200 items of 1,999 fields",
    prepare: async (api) => {
      await api.define("projected", fieldsOf(1999, numberField));
      await api.fill("projected", 200, () => ({}));
      const body = `{"limit":200,"fields":${arrayOf('"c0"', 119_000)}}`;
      return () => api.call("POST", "/forms/projected/submissions/search", body);
    },
  },
  {
    route: "POST /forms/{form}/submissions/search",
    input: "`fields` with 119,000 unknown keys",
    prepare: async (api) => {
      await api.define("unprojected", fieldsOf(1999, numberField));
      const body = `{"fields":${arrayOf('"x"', 119_000)}}`;
      return () => api.call("POST", "/forms/unprojected/submissions/search", body);
    },
  },
  {
    route: "PUT /forms/{form}/schema",
    input: "119,000 fields that are none",
    prepare: async (api) => {
      return () => api.call("PUT", "/forms/none/schema", `{"fields":${arrayOf("0", 119_000)}}`);
    },
  },
  {
    route: "PUT /forms/{form}/schema",
    input: "30,000 fields with one key",
    prepare: async (api) => {
      const fields = arrayOf('{"key":"a","type":"boolean"}', 30_000);
      return () => api.call("PUT", "/forms/twice/schema", `{"fields":${fields}}`);
    },
  },
];
