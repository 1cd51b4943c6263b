import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { documentSchemas } from "../../src/domain/definition/document.ts";
import { toJsonSchema } from "../../src/documents/openapi/schema.ts";

const field = (rules: object = {}) => ({ key: "a", type: "text", ...rules });
const options = [{ value: "x" }];

describe("The JSON Schema of a definition", () => {
  const formats = { int32: true, int64: true } as const;
  const check = new Ajv2020({ strict: false, formats }).compile(
    toJsonSchema(documentSchemas.form()),
  );
  const cases: [fields: unknown, settings?: object][] = [
    [[]],
    [[field()]],
    [
      [
        field({
          required: true,
          searchable: false,
          default: 5,
          min_length: 1,
          max_length: 9,
          pattern: "a",
        }),
      ],
    ],
    [[field({ max_length: 0 })]],
    [[field({ max_length: 1.5 })]],
    [[field({ key: "A" })]],
    [[field({ key: undefined })]],
    [[field({ label: "x".repeat(201) })]],
    [[field({ zzz: 1 })]],
    [[field({ type: "nothing" })]],
    [[field({ type: "number", decimals: 16 })]],
    [[field({ type: "number", integer: "yes" })]],
    [[field({ type: "select" })]],
    [[field({ type: "select", options: [] })]],
    [[field({ type: "select", options })]],
    [[field({ type: "multi_select", options, unique: true })]],
    [[field({ type: "computed", formula: "1", result: "number" })]],
    [[field({ type: "computed", formula: "1", result: "list" })]],
    [[field({ type: "line_items", fields: [field()] })]],
    [[field({ type: "line_items", fields: [] })]],
    [[field({ type: "line_items", fields: [field({ type: "line_items", fields: [field()] })] })]],
    [[field({ type: "line_items", fields: [field()], max_rows: 501 })]],
    ["none"],
    [[], { name: "" }],
    [[], { name: "n", description: "d", time_zone: "UTC" }],
    [[], { acceptance: { state: "open", opens_at: null, max_submissions: 1 } }],
    [[], { acceptance: { state: "ajar" } }],
    [[], { acceptance: { max_submissions: 0 } }],
    [[], { receipt_prefix: "x" }],
  ];

  it.each(cases)("agrees with the service on %j %j", (fields, settings = {}) => {
    const document = JSON.parse(JSON.stringify({ fields, ...settings })) as unknown;
    expect(check(document)).toBe(documentSchemas.form().safeParse(document).success);
  });
});
