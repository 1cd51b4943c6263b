import { note, times, type WorstCase } from "./case.ts";

/** Combining marks of two classes in the wrong order. Normalization moves all marks of the second class to the front. */
const marks = (count: number) => `a${"\u0301".repeat(count)}${"\u0316".repeat(count)}`;

const validate = "POST /forms/{form}/submissions/validate";
const search = "POST /forms/{form}/submissions/search";

export const texts: WorstCase[] = [
  {
    route: validate,
    input: "a text of 1 MiB of combining marks in the wrong order",
    prepare: async (api) => {
      await api.define("marks", [note()]);
      return () =>
        api.call("POST", "/forms/marks/submissions/validate", { data: { note: marks(260_000) } });
    },
  },
  {
    route: validate,
    input: "a text of 100,000 combining marks in the wrong order",
    prepare: async (api) => {
      await api.define("marks-short", [note()]);
      const data = { note: marks(50_000) };
      return () => api.call("POST", "/forms/marks-short/submissions/validate", { data });
    },
  },
  {
    route: search,
    input: "a value of 1 MiB of combining marks in the wrong order",
    prepare: async (api) => {
      await api.define("marks-search", [note()]);
      const value = marks(260_000);
      const body = { conditions: [{ field: "note", op: "eq", value }] };
      return () => api.call("POST", "/forms/marks-search/submissions/search", body);
    },
  },
  {
    route: search,
    input: "50 needles of 1,000 combining marks in the wrong order",
    prepare: async (api) => {
      await api.define("marks-needles", [note()]);
      const condition = { field: "note", op: "contains", value: marks(499) };
      const body = { conditions: times(50, () => condition) };
      return () => api.call("POST", "/forms/marks-needles/submissions/search", body);
    },
  },
];
