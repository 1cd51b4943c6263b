import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caller, Server, type Answer, type Call } from "./server.ts";

const everyType = {
  name: "Every type",
  fields: [
    { key: "text", type: "text", required: true, min_length: 2, max_length: 10 },
    { key: "long", type: "multiline_text", default: "none" },
    { key: "number", type: "number", minimum: 0.5, maximum: 9, decimals: 1, required: true },
    { key: "integer", type: "number", integer: true },
    { key: "boolean", type: "boolean", required: true },
    { key: "date", type: "date" },
    { key: "datetime", type: "datetime", required: true },
    { key: "email", type: "email" },
    { key: "url", type: "url", required: true },
    { key: "phone", type: "phone" },
    { key: "select", type: "select", options: [{ value: "a" }, { value: "b" }] },
    { key: "multi", type: "multi_select", required: true, options: [{ value: "a" }] },
    {
      key: "lines",
      type: "line_items",
      min_rows: 2,
      fields: [
        { key: "qty", type: "number", required: true },
        { key: "twice", type: "computed", formula: "qty * 2", result: "number" },
      ],
    },
    { key: "sum", type: "computed", formula: "sum(lines.map(l, l.twice))", result: "number" },
  ],
};

describe("OpenAPI documents", () => {
  const server = new Server();
  let call: Call;
  beforeAll(async () => {
    await server.start();
    const limits = ["--requests", "100000", "--writes", "100000"];
    call = caller(server.url, (await server.credential(...limits)).token);
    for (const path of ["/forms/every/schema", "/apps/every/schema"]) {
      await call("PUT", path, everyType);
    }
  });
  afterAll(() => server.remove());

  const documents = [
    "/apps/orders/openapi.json",
    "/forms/purchase/openapi.json",
    "/apps/every/openapi.json",
    "/forms/every/openapi.json",
    "/openapi.json?forms=every,purchase&apps=every,orders",
    "/openapi.json",
  ];

  /** Returns a function that validates values against a schema of the document, like a generated client. */
  async function schemaErrors(document: Answer["body"]) {
    const ajv = addFormats["default"](new Ajv2020({ strict: false, allErrors: true }));
    ajv.addFormat("int32", true).addFormat("int64", true);
    ajv.addSchema({ $id: "document", ...document });
    return (name: string, value: unknown) => {
      const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      validate(value);
      return validate.errors ?? [];
    };
  }

  it.each(documents)("%s: passes public OpenAPI validators", async (path) => {
    for (const version of ["3.1", "3.0"]) {
      const versionPath = `${path}${path.includes("?") ? "&" : "?"}version=${version}`;
      const { status, body, headers } = await call("GET", versionPath);
      expect([status, body.openapi.slice(0, 3)]).toEqual([200, version]);
      const result = await new Validator().validate(structuredClone(body));
      expect(result.errors ?? []).toEqual([]);
      const etag = headers.get("ETag") ?? "";
      expect(etag).toMatch(/^"[\w-]{22}"$/);
      expect((await call("GET", versionPath, undefined, { "If-None-Match": etag })).status).toBe(
        304,
      );
    }
  });

  it("rejects with 422 exactly the values that the schema rejects", async () => {
    const { body: document } = await call("GET", "/forms/every/openapi.json");
    const errors = await schemaErrors(document);
    const { example } =
      document.paths["/forms/every/submissions"].post.requestBody.content["application/json"];
    const changes: [string, unknown][] = [
      ["text", "a"],
      ["text", null],
      ["text", "x".repeat(11)],
      ["long", null],
      ["number", 0],
      ["number", "1"],
      ["integer", 1.5],
      ["integer", null],
      ["boolean", "true"],
      ["date", "2026-11-21+09:00"],
      ["date", "21.11.2026"],
      ["datetime", "2026-11-21T09:30:00"],
      ["email", "nobody"],
      ["url", "ftp://example.com"],
      ["select", "c"],
      ["select", null],
      ["multi", []],
      ["multi", ["a", "a"]],
      ["lines", [{ qty: 1 }]],
      ["lines", [{ qty: 1 }, { qty: 2, zzz: 3 }]],
      ["lines", [{ qty: 1 }, {}]],
      ["sum", 5],
    ];
    for (const [field, value] of changes) {
      const body = { ...example, data: { ...example.data, [field]: value } };
      const { status } = await call("POST", "/forms/every/submissions/validate", body);
      const isValid = errors("EverySubmissionCreate", body).length === 0;
      expect([field, value, status]).toEqual([field, value, isValid ? 200 : 422]);
    }
  });
});
