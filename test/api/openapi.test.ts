import { createGenerator } from "json-schema-faker";
import { beforeAll, describe, expect } from "vitest";
import { reachableComponents } from "../../src/documents/openapi/versions.ts";
import type { Client, Json } from "../support/client";
import { client, makeForm } from "../support/service";
import { fullSize, unsized } from "../support/size";

import {
  brokenRefs,
  everyType,
  exampleOf,
  operationsOf,
  requestExample,
  responseExample,
  validatorOf,
} from "./openapi-documents";

const { it } = unsized;

describe("The document of an app or a form", () => {
  let integrator: Client;
  let form: string;
  let document: Json;
  let prefix: string;
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator, everyType);
    document = (await integrator.get(`/forms/${form}/openapi.json`)).body;
    prefix = `${form[0]?.toUpperCase()}${form.slice(1)}Submission`;
  });

  fullSize.it(
    "has search schemas whose generated examples the service accepts",
    async () => {
      const validate = validatorOf(document);
      const faker = createGenerator({ seed: 13, maxDepth: 7 });
      const operators = new Set<string>();
      // Null is allowed, but a search without conditions would test no operator.
      const search = { $ref: `#/components/schemas/${prefix}Search` };
      const components: Json = structuredClone(reachableComponents(search, document.components));
      const { conditions } = components.schemas[`${prefix}Search`].properties;
      Object.assign(conditions, { type: "array", maxItems: 5 });
      const sendGenerated = async (name: string, searchOf: (generated: Json) => Json) => {
        const generated = await faker.generate(
          structuredClone({ components, $ref: `#/components/schemas/${name}` }),
        );
        // Beyond its maximum depth the faker writes null even where the schema does not allow it.
        if (validate(name, generated).length > 0) return false;
        // A generated cursor belongs to no search.
        const { cursor: _, ...body } = searchOf(generated);
        const answer = await integrator.post(`/forms/${form}/submissions/search`, body);
        const isExpected = ({ code }: Json) => code === "too_complex";
        const isRejected = answer.status === 422 && answer.body.errors.every(isExpected);
        if (!isRejected)
          expect([body, answer.status, answer.text]).toEqual([body, 200, answer.text]);
        for (const [, op] of JSON.stringify(body).matchAll(/"op":"(\w+)"/g))
          operators.add(op ?? "");
        return true;
      };
      for (let count = 0; count < 300;) {
        const wasSent = await sendGenerated(`${prefix}Search`, (generated) => generated);
        if (wasSent) count += 1;
      }
      // Conditions on rows are nested deeper, so they have their own examples.
      for (let count = 0; count < 20;) {
        const wasSent = await sendGenerated(`${prefix}LinesRowsCondition`, (condition) => ({
          conditions: [condition],
        }));
        if (wasSent) count += 1;
      }
      expect(operators.size).toBe(17);
    },
    120_000,
  );

  it("has search schemas that reject unknown fields, wrong operators and wrong types", () => {
    const validate = validatorOf(document);
    const conditions = [
      { field: "zzz", op: "eq", value: "a" },
      { field: "hidden", op: "eq", value: "a" },
      { field: "text", op: "gt", value: "a" },
      { field: "number", op: "eq", value: "1" },
      { field: "number", op: "between", value: [1] },
      { field: "lines", op: "any", value: [{ field: "text", op: "eq", value: "a" }] },
      { field: "$receipt_number", op: "eq", value: "a" },
      { field: "select", op: "eq", value: "c" },
      { field: "select", op: "in", value: ["a", "c"] },
      { field: "multi", op: "has_any", value: ["c"] },
      { field: "$status", op: "ne", value: "open" },
      { field: "lines", op: "any", value: [{ field: "kind", op: "eq", value: "c" }] },
    ];
    for (const condition of conditions) {
      expect(validate(`${prefix}Search`, { conditions: [condition] })).not.toEqual([]);
    }
    for (const sort of ["multi", "lines", "zzz"]) {
      expect(validate(`${prefix}Search`, { sort: [{ field: sort }] })).not.toEqual([]);
    }
  });

  it("lists the current and former options of each field as the operands that a search accepts", async () => {
    const select = (key: string, ...values: string[]) => ({
      key,
      type: "select",
      options: values.map((value) => ({ value })),
    });
    const fieldsOf = (...values: string[]) => [
      select("kind", ...values),
      // The name of its conditions is like that of `$status`.
      { ...select("status", "x", "y"), type: "multi_select" },
      { key: "lines", type: "line_items", fields: [select("mark", ...values)] },
    ];
    const ownForm = await makeForm(integrator, fieldsOf("a", "b"));
    const definition = { fields: fieldsOf("a", "c") };
    expect((await integrator.put(`/forms/${ownForm}/schema`, definition)).status).toBe(200);
    const validate = validatorOf((await integrator.get(`/forms/${ownForm}/openapi.json`)).body);
    const ownPrefix = `${ownForm[0]?.toUpperCase()}${ownForm.slice(1)}Submission`;
    const isAccepted = async (condition: Json) => {
      const search = { conditions: [condition] };
      const { status } = await integrator.post(`/forms/${ownForm}/submissions/search`, search);
      return [status === 200, validate(`${ownPrefix}Search`, search).length === 0];
    };
    for (const value of ["a", "b", "c", "d", "x", "draft"]) {
      const [isOption, isMark] = [["a", "b", "c"].includes(value), value === "x"];
      const mark = [{ field: "mark", op: "in", value: [value] }];
      const conditions: [Json, boolean][] = [
        [{ field: "kind", op: "eq", value }, isOption],
        [{ field: "kind", op: "not_in", value: ["a", value] }, isOption],
        [{ field: "lines", op: "none", value: mark }, isOption],
        [{ field: "status", op: "has_none", value: [value] }, isMark],
        [{ field: "$status", op: "eq", value }, value === "draft"],
      ];
      for (const [condition, isValid] of conditions)
        expect([condition, await isAccepted(condition)]).toEqual([condition, [isValid, isValid]]);
    }
  });

  it("has no broken reference for fields that are called like keywords of JSON Schema", async () => {
    const keys = ["default", "enum", "example", "const", "properties", "schemas", "required"];
    const fields = keys.map((key) => ({ key, type: "select", options: [{ value: "a" }] }));
    const rows = { key: "examples", type: "line_items", fields };
    const ownForm = await makeForm(integrator, [...fields, rows]);
    for (const version of ["3.1", "3.0"]) {
      const { body } = await integrator.get(`/forms/${ownForm}/openapi.json?version=${version}`);
      expect(brokenRefs(body)).toEqual([]);
    }
  });

  it("requires required fields in submissions, but not in drafts", async () => {
    const validate = validatorOf(document);
    const path = `/forms/${form}/submissions`;
    for (const body of [
      { status: "draft", data: {} },
      { status: "submitted", data: {} },
      { data: {} },
    ]) {
      const { status } = await integrator.post(`${path}/validate`, body);
      const isValid = validate(`${prefix}Create`, body).length === 0;
      expect([body, isValid]).toEqual([body, status === 200]);
    }
    const draft = await integrator.post(path, { status: "draft", data: {} });
    const cleared = { status: "draft", data: { text: null, lines: [] } };
    const submitted = { status: "submitted", data: { text: null } };
    expect(validate(`${prefix}Change`, cleared)).toEqual([]);
    expect((await integrator.patch(`/submissions/${draft.body.id}`, cleared)).status).toBe(200);
    expect(validate(`${prefix}Change`, submitted)).not.toEqual([]);
    expect((await integrator.patch(`/submissions/${draft.body.id}`, submitted)).status).toBe(422);
  });

  it("has request examples that work unchanged and return its response examples", async () => {
    const ownForm = await makeForm(integrator, everyType);
    const { paths } = (await integrator.get(`/forms/${ownForm}/openapi.json`)).body;
    const list = `/forms/${ownForm}/submissions`;
    const create = requestExample(paths[list].post);
    const validation = await integrator.post(
      `${list}/validate`,
      requestExample(paths[`${list}/validate`].post),
    );
    expect(validation.body).toEqual(responseExample(paths[`${list}/validate`].post, 200));
    const created = await integrator.post(list, create);
    const example = responseExample(paths[list].post, 201);
    const { id, created_at, created_by, updated_at, updated_by } = created.body;
    const assigned = { id, created_at, created_by, updated_at, updated_by };
    expect(created.body).toEqual({ ...example, ...assigned });
    const withAssigned = (page: Json) => ({ ...page, items: [{ ...page.items[0], ...assigned }] });
    expect((await integrator.get(list)).body).toEqual(
      withAssigned(responseExample(paths[list].get, 200)),
    );
    const search = paths[`${list}/search`].post;
    const searchPage = await integrator.post(`${list}/search`, requestExample(search));
    expect(searchPage.body).toEqual(withAssigned(responseExample(search, 200)));
    const item = paths["/submissions/{id}"];
    expect((await integrator.get(`/submissions/${id}`)).body).toEqual({
      ...responseExample(item.get, 200),
      ...assigned,
    });
    const patched = await integrator.patch(`/submissions/${id}`, requestExample(item.patch));
    expect(patched.body).toEqual({ ...responseExample(item.patch, 200), ...assigned });
    const feed = await integrator.get(`/forms/${ownForm}/changes`);
    const [entry] = responseExample(paths[`/forms/${ownForm}/changes`].get, 200).items;
    expect(Object.keys(feed.body.items.at(-1)).toSorted()).toEqual(Object.keys(entry).toSorted());
  });

  it("shows the current definition as the example of PUT, and sending it changes nothing", async () => {
    const ownForm = await makeForm(
      integrator,
      everyType.map((field) => ({ ...field, default: undefined })),
    );
    const path = `/forms/${ownForm}/schema`;
    const { paths } = (await integrator.get(`/forms/${ownForm}/openapi.json`)).body;
    const { get, put } = paths[path];
    const before = await integrator.get(path);
    expect(before.body).toEqual(responseExample(get, 200));
    const first = await integrator.put(path, requestExample(put));
    expect([first.status, first.body]).toEqual([200, before.body]);
    const second = await integrator.put(path, before.body);
    expect([second.status, second.body]).toEqual([200, before.body]);
    const validate = validatorOf(document);
    expect(validate("FormDefinition", before.body)).toEqual([]);
    expect(validate("FormDefinition", requestExample(put))).toEqual([]);
  });

  it("omits defaults from examples, and the former keys of fields and columns from requests", async () => {
    const column = (rules: object) => ({ key: "new", type: "text", ...rules });
    const columns = [column({ key: "old", default: "x" })];
    const lines = (fields: object[]) => ({ key: "lines", type: "line_items", fields });
    const ownForm = await makeForm(integrator, [column({ key: "old" }), lines(columns)]);
    const renamed = column({ renamed_from: "old", default: "x" });
    const path = `/forms/${ownForm}/schema`;
    await integrator.put(path, { fields: [renamed, lines([renamed])] });
    const { paths } = (await integrator.get(`/forms/${ownForm}/openapi.json`)).body;
    const { get, put, patch } = paths[path];
    const shown = responseExample(get, 200);
    expect([shown.fields[0].previous_keys, shown.fields[1].fields[0].previous_keys]).toEqual([
      ["old"],
      ["old"],
    ]);
    expect(JSON.stringify(requestExample(put))).not.toContain("previous_keys");
    for (const operation of [get, put, patch]) {
      expect(JSON.stringify(operation)).not.toContain('"default":');
    }
    expect((await integrator.put(path, requestExample(put))).status).toBe(200);
  });

  it("sends no default with a limit, so that a search takes the limit of its body", () => {
    const { limit } = document.components.parameters;
    expect(limit.schema).toEqual({ type: "integer", format: "int64", minimum: 1, maximum: 200 });
  });

  it("names downloads without a schema, so that the type of a list is its page", () => {
    const list = `/forms/${form}/submissions`;
    for (const operation of [document.paths[list].get, document.paths[`${list}/search`].post]) {
      const { content } = operation.responses[200];
      expect(Object.keys(content)).toEqual([
        "application/json",
        "application/x-ndjson",
        "text/csv",
      ]);
      expect([content["application/x-ndjson"], content["text/csv"]]).toEqual([{}, {}]);
    }
  });

  it("accepts exactly the date-times that the service accepts", async () => {
    const validate = validatorOf(document);
    const texts = {
      "2026-11-21T09:30:00+09:00": 200,
      "2026-11-21T09:30:00.123456789Z": 200,
      "2026-11-21t09:30:00z": 200,
      "2026-11-21 09:30:00+09:00": 200,
      "2026-11-21T09:30+09": 200,
      "2026-11-21T09:30:00+0900": 200,
      "20261121T093000Z": 200,
      "20261121T0930+09": 200,
      "2024-02-29T00:00:60Z": 200,
      "2026-02-29T09:30:00Z": 422,
      "20260229T093000Z": 422,
      "2026-11-21T09:30:00": 422,
      "20261121 093000Z": 422,
      "2026-11-21T24:00Z": 422,
      "2026-11-21": 422,
      "0000-11-21T09:30Z": 422,
    };
    const path = `/forms/${form}/submissions`;
    const { data } = requestExample(document.paths[path].post);
    for (const [text, expected] of Object.entries(texts)) {
      const item = { data: { ...data, datetime: text } };
      const search = { conditions: [{ field: "datetime", op: "gte", value: text }] };
      const statuses = [
        (await integrator.post(`${path}/validate`, item)).status,
        (await integrator.post(`${path}/search`, search)).status,
      ];
      const isValid = [validate(`${prefix}Create`, item), validate(`${prefix}Search`, search)].map(
        (errors) => errors.length === 0,
      );
      expect([text, statuses, isValid]).toEqual([
        text,
        [expected, expected],
        [expected === 200, expected === 200],
      ]);
    }
  });

  it("accepts null for each member of a search, as the service does", async () => {
    const validate = validatorOf(document);
    const path = `/forms/${form}/submissions/search`;
    const members = ["conditions", "sort", "fields", "limit", "cursor"];
    const sort = [{ field: "number", direction: null }];
    for (const search of [...members.map((name) => ({ [name]: null })), { sort }]) {
      const { status } = await integrator.post(path, search);
      expect([search, status, validate(`${prefix}Search`, search)]).toEqual([search, 200, []]);
    }
  });

  it("has a response example for every other operation", () => {
    for (const operation of operationsOf(document)) {
      const [, response] =
        Object.entries<Json>(operation.responses).find(([, { content }]) => content) ?? [];
      if (operation.operationId.startsWith("delete")) continue;
      const example = exampleOf(response);
      expect([operation.operationId, example]).not.toEqual([operation.operationId, undefined]);
    }
  });
});
