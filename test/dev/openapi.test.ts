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
  const server = new Server(8796);
  let call: Call;
  beforeAll(async () => {
    await server.start();
    const wide = ["--requests", "100000", "--writes", "100000"];
    call = caller(server.url, (await server.credential(...wide)).token);
    for (const path of ["/forms/every/schema", "/apps/every/schema"]) {
      await call("PUT", path, everyType);
    }
  });
  afterAll(() => server.remove());

  const keys = ["/apps/orders", "/forms/purchase", "/apps/every", "/forms/every"];

  /** Judges a value by a schema of the document, as a client that was generated from it would. */
  async function judge(document: Answer["body"]) {
    const ajv = addFormats["default"](new Ajv2020({ strict: false, allErrors: true }));
    ajv.addSchema({ $id: "document", ...document });
    return (name: string, value: unknown) => {
      const check = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      check(value);
      return check.errors ?? [];
    };
  }

  it.each(keys)("%s: a public validator of OpenAPI 3.1 has nothing to say", async (key) => {
    const { status, body, headers } = await call("GET", `${key}/openapi.json`);
    expect([status, body.openapi]).toEqual([200, "3.1.0"]);
    expect(headers.get("ETag")).toMatch(/^"[\w-]{22}"$/);
    const result = await new Validator().validate(structuredClone(body));
    expect(result.errors ?? []).toEqual([]);
    const known = await call("GET", `${key}/openapi.json`, undefined, {
      "If-None-Match": headers.get("ETag") ?? "",
    });
    expect(known.status).toBe(304);
  });

  it.each(keys)(
    "%s: every example is sent as it is and succeeds, and answers fit their schemas",
    async (key) => {
      const { body: document } = await call("GET", `${key}/openapi.json`);
      const errors = await judge(document);
      const list = Object.keys(document.paths)[0] ?? "";
      const noun = list.startsWith("/forms") ? "Submission" : "Record";
      const exampleOf = (operation: Answer["body"]) =>
        operation.requestBody.content["application/json"].example;
      const create = exampleOf(document.paths[list].post);
      expect(errors(`${noun}Create`, create)).toEqual([]);
      const checked = document.paths[`${list}/validate`];
      if (checked)
        expect((await call("POST", `${list}/validate`, exampleOf(checked.post))).status).toBe(200);
      const created = await call("POST", list, create);
      expect([created.status, created.text]).toEqual([201, created.text]);
      expect(errors(noun, created.body)).toEqual([]);
      const one = Object.keys(document.paths).find((path) => path.endsWith("{id}")) ?? "";
      const path = one.replace("{id}", created.body.id as string);
      const change = exampleOf(document.paths[one].patch);
      expect(errors(`${noun}Change`, change)).toEqual([]);
      expect((await call("PATCH", path, change)).status).toBe(200);
      const search = await call(
        "POST",
        `${list}/search`,
        exampleOf(document.paths[`${list}/search`].post),
      );
      expect([search.status, errors(`${noun}SearchPage`, search.body)]).toEqual([200, []]);
      const listed = await call("GET", list);
      expect([listed.status, errors(`${noun}Page`, listed.body)]).toEqual([200, []]);
      const refused = await call("POST", list, { data: { zzz: 1 } });
      expect([refused.status, errors("Problem", refused.body)]).toEqual([422, []]);
      expect(errors(`${noun}Create`, { data: { zzz: 1 } })).not.toEqual([]);
    },
  );

  it("what a schema refuses the API refuses too, and the other way round", async () => {
    const { body: document } = await call("GET", "/forms/every/openapi.json");
    const errors = await judge(document);
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
      const accepted = errors("SubmissionCreate", body).length === 0;
      expect([field, value, status]).toEqual([field, value, accepted ? 200 : 422]);
    }
  });
});
