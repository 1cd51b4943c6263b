import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkNew } from "../../src/domain/data/check.ts";
import { compile } from "../../src/domain/data/compile.ts";
import { parseDefinition } from "../../src/domain/definition/document.ts";
import { mergeDefinition } from "../../src/domain/definition/merge.ts";
import { calendarDay } from "../../src/documents/openapi/field-schemas.ts";
import { dataSchemas } from "../../src/documents/openapi/field-schemas.ts";
import type { Json } from "../support/client";

/**
 * What the JSON Schema of a form accepts, the service accepts, and what it refuses, the service refuses: for random
 * definitions and data. Aside are `unique` and formulas, as in the contract; `decimals`, which `multipleOf` cannot say
 * for binary floating point; and the empty string, which the service takes for no value.
 */

const maybe = (arbitrary: fc.Arbitrary<Json>) => fc.option(arbitrary, { nil: undefined });
const options = fc.constantFrom<Json[]>([{ value: "a" }], [{ value: "a" }, { value: "日本" }]);
const rules: Record<string, Record<string, fc.Arbitrary<Json>>> = {
  text: {
    min_length: maybe(fc.nat(3)),
    max_length: fc.integer({ min: 3, max: 8 }),
    pattern: maybe(fc.constantFrom("^[a-z]+$", "\\d", "^(ab)*$", "^.{2}$")),
  },
  multiline_text: { max_length: fc.integer({ min: 1, max: 5 }) },
  number: {
    integer: maybe(fc.boolean()),
    minimum: maybe(fc.integer({ min: -5, max: 2 })),
    maximum: maybe(fc.integer({ min: 2, max: 9 })),
  },
  boolean: {},
  date: {},
  datetime: {},
  email: {},
  url: {},
  phone: {},
  select: { options },
  multi_select: { options },
};

const scalar = fc
  .constantFrom(...Object.keys(rules))
  .chain((type) => fc.record({ type: fc.constant(type), required: fc.boolean(), ...rules[type] }));
const named = (list: Json[]): Json[] =>
  list.map((field, index) => ({ ...JSON.parse(JSON.stringify(field)), key: `f${index}` }));
const lines = fc.record({
  type: fc.constant("line_items"),
  required: fc.boolean(),
  min_rows: maybe(fc.nat(2)),
  max_rows: fc.integer({ min: 2, max: 3 }),
  fields: fc.array(scalar, { minLength: 1, maxLength: 3 }).map(named),
});
const definition = fc
  .array(fc.oneof({ weight: 4, arbitrary: scalar }, { weight: 1, arbitrary: lines }), {
    minLength: 1,
    maxLength: 6,
  })
  .map(named);

const values: Record<string, Json[]> = {
  text: ["a", "ab", "abab", "a1", "x".repeat(9), "日本", "a\0b", "é", "A b", "\n", "12"],
  multiline_text: ["a", "a\nb", "xxxxxx"],
  number: [0, 1, -1, 3, 2.5, 9, 10, -6, 1e300, 2 ** 53, 2 ** 53 - 1],
  boolean: [true, false],
  date: [
    "2026-11-21",
    "2026-02-29",
    "2024-02-29",
    "1900-02-29",
    "2000-02-29+09:00",
    "2026-13-01",
    "2026-04-31Z",
    "0000-01-01",
    "2026-11-21+16:00",
    "2026-1-2",
  ],
  datetime: [
    "2026-11-21T09:30:00Z",
    "2026-11-21T09:30:00.5+09:00",
    "2026-11-21T09:30:00",
    "2026-02-30T00:00:00Z",
    "2026-11-21T25:00:00Z",
    "0000-11-21T09:30:00Z",
    "today",
  ],
  email: [
    "a@example.com",
    "a.b+c@sub.example.co.jp",
    "a@",
    "@example.com",
    "a b@example.com",
    "a@example",
    "a@exa mple.com",
    ".a@example.com",
    "a..b@example.com",
    "a'@example.com",
  ],
  url: [
    "https://example.com/",
    "http://example.com:8080/a?b#c",
    "HTTPS://EXAMPLE.COM",
    "ftp://example.com",
    "https://",
    "https:// a",
    "example.com",
    "https://例え.jp/ü",
    "https://exa<mple.com",
    "http://user:word@example.com:80/",
    "http://[::1]:8080/",
    "http://a:b",
  ],
  phone: [
    "+81 3-1234-5678",
    "12345",
    "1234",
    "(03) 1234.5678",
    "+",
    "abc",
    "1234567890123456",
    "12+345",
  ],
  select: ["a", "日本", "b"],
  multi_select: [[], ["a"], ["a", "日本"], ["a", "a"], ["b"], "a", [1]],
};
const junk: Json[] = [null, 1, true, "text", [], {}, ["a"], { a: 1 }];

const valueOf = (field: Json): fc.Arbitrary<Json> => {
  const other = fc.constantFrom(...junk);
  if (field.type === "line_items") {
    return fc.oneof(
      { weight: 5, arbitrary: fc.array(dataOf(field.fields), { maxLength: 4 }) },
      other,
    );
  }
  return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...(values[field.type] ?? [])) }, other);
};
function dataOf(fields: Json[]): fc.Arbitrary<Json> {
  const entries = fields.map((field): [string, fc.Arbitrary<Json>] => [field.key, valueOf(field)]);
  const known: Record<string, fc.Arbitrary<Json>> = Object.fromEntries(entries);
  const requiredKeys: string[] = fields.filter(({ required }) => required).map(({ key }) => key);
  return fc
    .record<Json>(known, { requiredKeys })
    .chain((data) => fc.constantFrom(data, data, data, { ...data, zzz: 1 }));
}

describe("JSON Schema and the service", () => {
  it("accept and refuse the same data", () => {
    const cases = definition.chain((fields) =>
      fc.tuple(fc.constant(fields), fc.array(dataOf(fields), { minLength: 4, maxLength: 4 })),
    );
    const ajv = addFormats["default"](new Ajv2020({ strict: false, allErrors: true }));
    let accepted = 0;
    let documents = 0;
    fc.assert(
      fc.property(cases, ([fields, all]) => {
        const { document, errors } = parseDefinition("form", "f", { fields });
        fc.pre(document !== undefined && errors.length === 0);
        if (!document) return;
        const merged = mergeDefinition("form", "f", null, document).definition;
        const compiled = compile({
          id: 1,
          kind: "form",
          key: "f",
          version: 1,
          revision: 1,
          pending: null,
          stamp: "",
          fieldsVersion: 1,
          definition: merged,
        });
        const own = dataSchemas("F", merged.fields.fields, ["create", "draft"]);
        const schemas = { ...own, CalendarDay: calendarDay };
        documents += 1;
        const id = `document${documents}`;
        ajv.addSchema({ $id: id, components: { schemas } });
        for (const [name, draft] of [
          ["FInput", false],
          ["FDraftInput", true],
        ] as const) {
          const check = ajv.getSchema(`${id}#/components/schemas/${name}`);
          if (!check) throw new Error(`There is no schema ${name}.`);
          for (const data of all) {
            const refused = checkNew(compiled, data, draft).errors;
            accepted += refused.length === 0 ? 1 : 0;
            expect({
              fields,
              data,
              refused,
              schema: check(data) ? [] : check.errors,
              agree: check(data) === (refused.length === 0),
            }).toMatchObject({ agree: true });
          }
        }
      }),
      { numRuns: 200 },
    );
    expect(accepted).toBeGreaterThan(40);
  });
});
