import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkNew } from "../../src/domain/data/check.ts";
import { compileCollection } from "../../src/domain/data/compile.ts";
import { checkDefinition } from "../../src/domain/definition/parse-definition.ts";
import { mergeDefinition } from "../../src/domain/definition/merge.ts";
import {
  calendarDaySchema,
  dateTimeInputSchema,
} from "../../src/documents/openapi/field-schemas.ts";
import { dataSchemas } from "../../src/documents/openapi/field-schemas.ts";
import type { Json } from "../support/client";
import { randomCases } from "../support/size.ts";

/**
 * The JSON Schema of a form accepts the same data as the service, for random definitions and data. The test excludes
 * `unique` and formulas, as the contract does. It excludes `decimals`, because `multipleOf` is inexact for binary
 * floating point, and the empty string, because the service treats it as no value.
 */

const optional = (value: fc.Arbitrary<Json>) => fc.option(value, { nil: undefined });
const options = fc.constantFrom<Json[]>([{ value: "a" }], [{ value: "a" }, { value: "日本" }]);
const rules: Record<string, Record<string, fc.Arbitrary<Json>>> = {
  text: {
    min_length: optional(fc.nat(3)),
    max_length: fc.integer({ min: 3, max: 8 }),
    pattern: optional(fc.constantFrom("^[a-z]+$", "\\d", "^(ab)*$", "^.{2}$")),
  },
  multiline_text: { max_length: fc.integer({ min: 1, max: 5 }) },
  number: {
    integer: optional(fc.boolean()),
    minimum: optional(fc.integer({ min: -5, max: 2 })),
    maximum: optional(fc.integer({ min: 2, max: 9 })),
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
const withKeys = (list: Json[]): Json[] =>
  list.map((field, index) => ({ ...JSON.parse(JSON.stringify(field)), key: `f${index}` }));
const lines = fc.record({
  type: fc.constant("line_items"),
  required: fc.boolean(),
  min_rows: optional(fc.nat(2)),
  max_rows: fc.integer({ min: 2, max: 3 }),
  fields: fc.array(scalar, { minLength: 1, maxLength: 3 }).map(withKeys),
});
const definition = fc
  .array(fc.oneof({ weight: 4, arbitrary: scalar }, { weight: 1, arbitrary: lines }), {
    minLength: 1,
    maxLength: 6,
  })
  .map(withKeys);

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
    "2026-11-21T09:30:00.123456789Z",
    "2026-11-21T09:30:00.1234567890Z",
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
const invalidValues: Json[] = [null, 1, true, "text", [], {}, ["a"], { a: 1 }];

const valueOf = (field: Json): fc.Arbitrary<Json> => {
  const invalidValue = fc.constantFrom(...invalidValues);
  if (field.type === "line_items") {
    return fc.oneof(
      { weight: 5, arbitrary: fc.array(dataOf(field.fields), { maxLength: 4 }) },
      invalidValue,
    );
  }
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...(values[field.type] ?? [])) },
    invalidValue,
  );
};
function dataOf(fields: Json[]): fc.Arbitrary<Json> {
  const entries = fields.map((field): [string, fc.Arbitrary<Json>] => [field.key, valueOf(field)]);
  const properties: Record<string, fc.Arbitrary<Json>> = Object.fromEntries(entries);
  const requiredKeys: string[] = fields.filter(({ required }) => required).map(({ key }) => key);
  return fc
    .record<Json>(properties, { requiredKeys })
    .chain((data) => fc.constantFrom(data, data, data, { ...data, zzz: 1 }));
}

describe("The JSON Schema of a form", () => {
  it("accepts the same data as the service", () => {
    const cases = definition.chain((fields) =>
      fc.tuple(fc.constant(fields), fc.array(dataOf(fields), { minLength: 4, maxLength: 4 })),
    );
    const ajv = addFormats["default"](new Ajv2020({ strict: false, allErrors: true }));
    let acceptedCount = 0;
    let documentCount = 0;
    fc.assert(
      fc.property(cases, ([fields, inputs]) => {
        const { document, errors } = checkDefinition("form", "f", { fields });
        fc.pre(document !== undefined && errors.length === 0);
        if (!document) return;
        const mergedDefinition = mergeDefinition("form", "f", null, document).definition;
        const compiled = compileCollection({
          id: 1,
          kind: "form",
          key: "f",
          version: 1,
          revision: 1,
          pending: null,
          stamp: "",
          fieldsVersion: 1,
          definition: mergedDefinition,
        });
        const formSchemas = dataSchemas("F", mergedDefinition.fields.fields, ["create", "draft"]);
        const shared = { CalendarDay: calendarDaySchema, DateTimeInput: dateTimeInputSchema };
        const schemas = { ...formSchemas, ...shared };
        documentCount += 1;
        const id = `document${documentCount}`;
        ajv.addSchema({ $id: id, components: { schemas } });
        for (const [name, draft] of [
          ["FInput", false],
          ["FDraftInput", true],
        ] as const) {
          const check = ajv.getSchema(`${id}#/components/schemas/${name}`);
          if (!check) throw new Error(`There is no schema ${name}.`);
          for (const data of inputs) {
            const dataErrors = checkNew(compiled, data, draft).errors;
            acceptedCount += dataErrors.length === 0 ? 1 : 0;
            expect({
              fields,
              data,
              dataErrors,
              schema: check(data) ? [] : check.errors,
              agree: check(data) === (dataErrors.length === 0),
            }).toMatchObject({ agree: true });
          }
        }
      }),
      { numRuns: randomCases(40, 200) },
    );
    expect(acceptedCount).toBeGreaterThan(documentCount / 5);
  });
});
