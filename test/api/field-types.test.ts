import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { client, makeForm } from "../support/service";

interface Case {
  field: object;
  /** The value in the request, and the stored value where it differs. */
  accepted: [value: unknown, stored?: unknown][];
  rejected: [value: unknown, code: string, index?: number][];
}

const options = [{ value: "a" }, { value: "b", label: "B" }];

const cases: Record<string, Case> = {
  text: {
    field: { type: "text", min_length: 2, max_length: 5 },
    accepted: [["ab"], ["🎉🎉🎉🎉🎉"], [" a "], ["e\u0301a", "éa"], ["", null], [null, null]],
    rejected: [
      ["a", "too_short"],
      ["abcdef", "too_long"],
      ["a\ud800", "invalid_format"],
      ["a\0b", "invalid_format"],
      [5, "invalid_type"],
      [["ab"], "invalid_type"],
      [[], "invalid_type"],
      [{}, "invalid_type"],
      [true, "invalid_type"],
    ],
  },
  multiline_text: {
    field: { type: "multiline_text" },
    accepted: [["one\ntwo\r\n"], ["x".repeat(20_000)]],
    rejected: [["x".repeat(20_001), "too_long"]],
  },
  number: {
    field: { type: "number", minimum: -5, maximum: 1000, decimals: 2 },
    accepted: [[0], [-5], [1000], [30.25], [-0, 0], [null, null]],
    rejected: [
      [-5.01, "too_small"],
      [1000.01, "too_large"],
      [1.005, "too_many_decimals"],
      [1e-7, "too_many_decimals"],
      ["5", "invalid_type"],
      ["", "invalid_type"],
      [true, "invalid_type"],
    ],
  },
  "number without bounds": {
    field: { type: "number" },
    accepted: [[9_007_199_254_740_991], [-9_007_199_254_740_991], [1e-10], [0.1]],
    rejected: [
      [9_007_199_254_740_992, "too_large"],
      [-9_007_199_254_740_992, "too_small"],
      [1e300, "too_large"],
    ],
  },
  integer: {
    field: { type: "number", integer: true },
    accepted: [[3], [3.0, 3]],
    rejected: [[3.5, "invalid_type"]],
  },
  boolean: {
    field: { type: "boolean" },
    accepted: [[true], [false], [null, null]],
    rejected: [
      ["true", "invalid_type"],
      [1, "invalid_type"],
      ["", "invalid_type"],
    ],
  },
  date: {
    field: { type: "date" },
    accepted: [
      ["2026-11-21", "2026-11-21+09:00"],
      ["2026-11-21Z", "2026-11-21Z"],
      ["2026-11-21+00:00", "2026-11-21Z"],
      ["2026-11-21-05:30", "2026-11-21-05:30"],
      ["2024-02-29", "2024-02-29+09:00"],
      ["0001-01-01Z", "0001-01-01Z"],
      ["", null],
    ],
    rejected: [
      ["2026-02-29", "invalid_format"],
      ["2026-13-01", "invalid_format"],
      ["0000-01-01Z", "invalid_format"],
      ["2026-11-21T00:00:00Z", "invalid_format"],
      ["2026-11-21+16:00", "invalid_format"],
      ["21.11.2026", "invalid_format"],
      [20_261_121, "invalid_type"],
    ],
  },
  datetime: {
    field: { type: "datetime" },
    accepted: [
      ["2026-11-21T09:30:00+09:00", "2026-11-21T00:30:00.000Z"],
      ["2026-11-21t09:30:00z", "2026-11-21T09:30:00.000Z"],
      ["2026-11-21T23:59:59.5-01:00", "2026-11-22T00:59:59.500Z"],
      ["2026-11-21T00:00:00.123456Z", "2026-11-21T00:00:00.123456Z"],
      ["2026-11-21T00:00:00.120000Z", "2026-11-21T00:00:00.120Z"],
    ],
    rejected: [
      ["2026-11-21T09:30:00", "time_zone_required"],
      ["2026-11-21T09:30", "time_zone_required"],
      ["2026-11-21", "invalid_format"],
      ["2026-02-30T00:00:00Z", "invalid_format"],
      ["2026-11-21T24:00:00Z", "invalid_format"],
      ["0001-01-01T00:00:00+09:00", "invalid_format"],
      [1_763_683_200, "invalid_type"],
    ],
  },
  email: {
    field: { type: "email" },
    accepted: [["yamada@example.com"], ["", null]],
    rejected: [
      ["yamada", "invalid_format"],
      ["a@b@c.com", "invalid_format"],
      [`${"a".repeat(250)}@example.com`, "invalid_format"],
    ],
  },
  url: {
    field: { type: "url" },
    accepted: [["https://example.com/a?b=c#d"], ["http://localhost:8080"]],
    rejected: [
      ["example.com", "invalid_format"],
      ["javascript:alert(1)", "invalid_format"],
      ["https://", "invalid_format"],
    ],
  },
  phone: {
    field: { type: "phone" },
    accepted: [["+81 3-1234-5678"], ["(020) 7946 0000"], ["12345"]],
    rejected: [
      ["call me", "invalid_format"],
      ["123", "invalid_format"],
      ["+81 3-1234-5678 9999 9999", "invalid_format"],
    ],
  },
  select: {
    field: { type: "select", options },
    accepted: [["a"], ["", null]],
    rejected: [
      ["c", "not_an_option"],
      ["A", "not_an_option"],
      [["a"], "invalid_type"],
    ],
  },
  multi_select: {
    field: { type: "multi_select", options },
    accepted: [[["a"]], [["b", "a"]], [[], []], [null, []]],
    rejected: [
      [["c"], "not_an_option", 0],
      [["b", "a", "c"], "not_an_option", 2],
      [["b", "a", "a"], "invalid_format", 2],
      ["a", "invalid_type"],
      [["b", 1], "invalid_type", 1],
      [["b", "\0"], "invalid_format", 1],
      ["", "invalid_type"],
    ],
  },
};

describe("Field types", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });

  for (const [name, { field, accepted, rejected }] of Object.entries(cases)) {
    it(`${name}: stores each accepted value, and rejects every other with 422 and its code`, async () => {
      const form = await makeForm(integrator, [{ key: "value", ...field }], {
        time_zone: "Asia/Tokyo",
      });
      const create = (value: unknown) =>
        integrator.post(`/forms/${form}/submissions`, { data: { value } });
      for (const [value, stored = value] of accepted) {
        const { status, body, text } = await create(value);
        expect([value, status, body.data?.value, text]).toEqual([value, 201, stored, text]);
        const storedItem = await integrator.get(`/submissions/${body.id}`);
        expect(storedItem.body.data.value).toEqual(stored);
      }
      for (const [value, code, index] of rejected) {
        const { status, body } = await create(value);
        expect([value, status, body.errors?.[0]?.code]).toEqual([value, 422, code]);
        const place =
          index === undefined
            ? { field: "value", pointer: "/data/value" }
            : { field: `value[${index}]`, pointer: `/data/value/${index}` };
        expect(body.errors).toMatchObject([place]);
      }
    });
  }

  it("rejects numbers that a double cannot hold with 422", async () => {
    const form = await makeForm(integrator, [{ key: "value", type: "number" }]);
    for (const number of ["9007199254740993", "1e400", "-1e400"]) {
      const body = `{"data":{"value":${number}}}`;
      const answer = await integrator.post(`/forms/${form}/submissions`, body);
      expect([number, answer.status]).toEqual([number, 422]);
    }
  });

  it("adds the form's UTC offset of that day to a date without an offset", async () => {
    const form = await makeForm(integrator, [{ key: "day", type: "date" }], {
      time_zone: "Europe/Berlin",
    });
    const path = `/forms/${form}/submissions`;
    const day = async (value: string) =>
      (await integrator.post(path, { data: { day: value } })).body.data.day;
    expect(await day("2026-07-01")).toBe("2026-07-01+02:00");
    expect(await day("2026-12-01")).toBe("2026-12-01+01:00");
  });

  it("reports every error inside the rows of line items, each with its pointer", async () => {
    const fields = [
      {
        key: "lines",
        type: "line_items",
        min_rows: 1,
        max_rows: 3,
        fields: [
          { key: "sku", type: "text", required: true },
          { key: "qty", type: "number", integer: true, minimum: 1 },
        ],
      },
    ];
    const form = await makeForm(integrator, fields);
    const create = (lines: unknown) =>
      integrator.post(`/forms/${form}/submissions`, { data: { lines } });
    const errors = async (lines: unknown) =>
      (await create(lines)).body.errors.map((error: Record<string, unknown>) => [
        error["field"],
        error["pointer"],
        error["code"],
      ]);
    expect(await errors([{ sku: "A", qty: 1 }, { qty: 0, "a/b": 1 }, "row"])).toEqual([
      ["lines[1].qty", "/data/lines/1/qty", "too_small"],
      ["lines[1].a/b", "/data/lines/1/a~1b", "unknown_field"],
      ["lines[1].sku", "/data/lines/1/sku", "required"],
      ["lines[2]", "/data/lines/2", "invalid_type"],
    ]);
    expect(await errors([])).toEqual([["lines", "/data/lines", "too_few_rows"]]);
    expect(await errors(null)).toEqual([["lines", "/data/lines", "too_few_rows"]]);
    expect(await errors(Array.from({ length: 4 }, () => ({ sku: "A" })))).toEqual([
      ["lines", "/data/lines", "too_many_rows"],
    ]);
    expect(await errors({ sku: "A" })).toEqual([["lines", "/data/lines", "invalid_type"]]);
    expect((await create([{ sku: "A" }])).body.data.lines).toEqual([{ sku: "A", qty: null }]);
  });

  it("lists at most 100 errors and states their total number", async () => {
    const form = await makeForm(integrator);
    const data = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, 1]));
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data });
    expect(body.errors).toHaveLength(100);
    expect(body.detail).toContain("150");
  });

  it("applies defaults only to fields that the request omits", async () => {
    const fields = [
      { key: "state", type: "text", default: "new" },
      { key: "count", type: "number", default: 3, required: true },
    ];
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions`;
    expect((await integrator.post(path, { data: {} })).body.data).toEqual({
      state: "new",
      count: 3,
    });
    const cleared = await integrator.post(path, { data: { state: null, count: 0 } });
    expect(cleared.body.data).toEqual({ state: null, count: 0 });
    expect((await integrator.post(path, { data: { count: null } })).status).toBe(422);
  });

  it("returns 413 and stores nothing when empty columns make an item too large", async () => {
    const column = (key: string, settings: object = {}) => ({ key, type: "text", ...settings });
    const columns = Array.from({ length: 200 }, (_, i) => column(`c${i}`.padEnd(60, "x")));
    const form = await makeForm(integrator, [{ key: "l", type: "line_items", fields: columns }]);
    const path = `/forms/${form}/submissions`;
    const data = { l: Array.from({ length: 500 }, () => ({})) };
    for (const headers of [{}, { "Idempotency-Key": "large" }]) {
      const answer = await integrator.post(path, { data }, headers);
      expect([answer.status, answer.body.code]).toEqual([413, "too_large"]);
    }
    const shortItem = await integrator.post(path, { data: { l: [{}] } });
    const update = await integrator.patch(`/submissions/${shortItem.body.id}`, { data });
    expect(update.status).toBe(413);
    expect((await integrator.get(path)).body.items).toHaveLength(1);
  });

  it("returns 413 to a create, an update and a validation with more than 30,000 searchable values", async () => {
    const columns = Array.from({ length: 61 }, (_, i) => ({ key: `c${i}`, type: "number" }));
    const form = await makeForm(integrator, [{ key: "l", type: "line_items", fields: columns }]);
    const path = `/forms/${form}/submissions`;
    const row = (value: number) => Object.fromEntries(columns.map(({ key }) => [key, value]));
    const data = { l: Array.from({ length: 500 }, (_, index) => row(index)) };
    const smallItem = await integrator.post(path, { data: { l: [{}] } });
    const rejections = [
      await integrator.post(path, { data }),
      await integrator.post(`${path}/validate`, { data }),
      await integrator.patch(`/submissions/${smallItem.body.id}`, { data }),
    ];
    for (const { status, body } of rejections) {
      expect([status, body.code, body.limit]).toEqual([413, "too_large", 30_000]);
    }
    const fewerRows = { l: data.l.slice(0, 490) };
    expect((await integrator.post(path, { data: fewerRows })).status).toBe(201);
    expect((await integrator.get(path)).body.items).toHaveLength(2);
  });

  it("reports errors in the headers, the envelope and the data together", async () => {
    const form = await makeForm(integrator);
    const body = { status: 5, extra: 1, data: { zz: 1 } };
    const headers = { "Idempotency-Key": "two words" };
    const answer = await integrator.post(`/forms/${form}/submissions`, body, headers);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual([
      "Idempotency-Key",
      "status",
      "extra",
      "zz",
    ]);
  });

  it("accepts 0 and false in required fields, and rejects null and the empty string with 422", async () => {
    const fields = [
      { key: "n", type: "number", required: true },
      { key: "b", type: "boolean", required: true },
      { key: "t", type: "text", required: true },
    ];
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions`;
    expect((await integrator.post(path, { data: { n: 0, b: false, t: "x" } })).status).toBe(201);
    const rejection = await integrator.post(path, { data: { n: null, b: null, t: "" } });
    expect(rejection.body.errors.map((error: { code: string }) => error.code)).toEqual([
      "required",
      "required",
      "required",
    ]);
  });

  it("treats keys of Object.prototype like any other key", async () => {
    const form = await makeForm(integrator, [{ key: "constructor", type: "text" }]);
    const path = `/forms/${form}/submissions`;
    const created = await integrator.post(path, { data: { constructor: "x" } });
    expect(created.body.data.constructor).toBe("x");
    const body = '{"data":{"__proto__":"x","toString":"y"}}';
    const rejection = await integrator.post(path, body);
    expect(rejection.body.errors.map((error: { field: string }) => error.field)).toEqual([
      "__proto__",
      "toString",
    ]);
    expect((await integrator.post(path, '{"data":{},"__proto__":{"status":"draft"}}')).status).toBe(
      422,
    );
  });
});
