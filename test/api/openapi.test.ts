import { env } from "cloudflare:workers";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createGenerator } from "json-schema-faker";
import { beforeAll, describe, expect, it } from "vitest";
import { findSeveral } from "../../src/store/data/definition-head.ts";
import type { Client, Json } from "../support/client";
import { tellDocumented } from "../support/happenings";
import { client, freshKey, makeApp, makeForm } from "../support/service";

const options = [{ value: "a", label: "A" }, { value: "b" }];
const everyType = [
  { key: "text", type: "text", required: true, min_length: 2, max_length: 10 },
  { key: "code", type: "text", pattern: "^[A-Z]{2}\\d+$" },
  { key: "long", type: "multiline_text", default: "none" },
  { key: "number", type: "number", minimum: 0.5, maximum: 9, required: true },
  { key: "integer", type: "number", integer: true },
  { key: "boolean", type: "boolean", required: true },
  { key: "date", type: "date" },
  { key: "datetime", type: "datetime", required: true },
  { key: "email", type: "email" },
  { key: "url", type: "url", required: true },
  { key: "phone", type: "phone" },
  { key: "select", type: "select", options },
  { key: "multi", type: "multi_select", required: true, options },
  {
    key: "lines",
    type: "line_items",
    min_rows: 2,
    fields: [
      { key: "qty", type: "number", required: true },
      { key: "kind", type: "select", options },
      { key: "twice", type: "computed", formula: "qty * 2", result: "number" },
    ],
  },
  { key: "hidden", type: "text", searchable: false },
  { key: "sum", type: "computed", formula: "sum(lines.map(l, l.twice))", result: "number" },
];

/** Judges a value by a schema of the document. */
function judgeOf(document: Json) {
  const ajv = addFormats["default"](new Ajv2020({ strict: false, allErrors: true }));
  ajv.addFormat("int32", true).addFormat("int64", true);
  ajv.addSchema({ $id: "document", ...document });
  return (name: string, value: unknown) => {
    const check = ajv.getSchema(`document#/components/schemas/${name}`);
    if (!check) throw new Error(`There is no schema ${name}.`);
    return check(value) ? [] : (check.errors ?? []);
  };
}

const operations = ["get", "put", "post", "patch", "delete"];
const operationsOf = (document: Json): Json[] =>
  Object.values<Json>(document.paths).flatMap((path) =>
    operations.flatMap((each) => path[each] ?? []),
  );
const exampleOf = ({ content }: Json) => content["application/json"].example;
const sentBy = (operation: Json) => exampleOf(operation.requestBody);
const answerOf = (operation: Json, status: number) => exampleOf(operation.responses[status]);

/** References that lead nowhere. */
function brokenRefs(document: Json): string[] {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, at]) => at ?? "",
  );
  return refs.filter(
    (at) => at.split("/").reduce((part, step) => part?.[step], document) === undefined,
  );
}

describe("The document of an app or a form", () => {
  let by: Client;
  let form: string;
  let document: Json;
  let one: string;
  beforeAll(async () => {
    by = await client();
    form = await makeForm(by, everyType);
    document = (await by.get(`/forms/${form}/openapi.json`)).body;
    one = `${form[0]?.toUpperCase()}${form.slice(1)}Submission`;
  });

  it("types searches so that whatever its schema makes is accepted", async () => {
    const judge = judgeOf(document);
    const faker = createGenerator({ seed: 13, maxDepth: 7 });
    const operators = new Set<string>();
    const tried = async (name: string, searchOf: (made: Json) => Json) => {
      const made = await faker.generate(
        structuredClone({ ...document, $ref: `#/components/schemas/${name}` }),
      );
      // Beyond its depth the faker writes null where the schema has none.
      if (judge(name, made).length > 0) return false;
      const search = searchOf(made);
      const answer = await by.post(`/forms/${form}/submissions/search`, search);
      const codes = new Set((answer.body.errors ?? []).map((error: Json) => error.code));
      const complex = answer.status === 422 && [...codes].join() === "too_complex";
      if (!complex)
        expect([search, answer.status, answer.text]).toEqual([search, 200, answer.text]);
      for (const [, op] of JSON.stringify(search).matchAll(/"op":"(\w+)"/g))
        operators.add(op ?? "");
      return true;
    };
    for (let sent = 0; sent < 300;) {
      const made = await tried(`${one}Search`, (search) => search);
      if (made) sent += 1;
    }
    // Those of rows, which lie deeper.
    for (let sent = 0; sent < 20;) {
      const made = await tried(`${one}LinesRowsCondition`, (each) => ({ conditions: [each] }));
      if (made) sent += 1;
    }
    expect(operators.size).toBe(17);
  }, 120_000);

  it("refuses searches of another's fields, operators and types", () => {
    const judge = judgeOf(document);
    const refused = [
      { field: "zzz", op: "eq", value: "a" },
      { field: "hidden", op: "eq", value: "a" },
      { field: "text", op: "gt", value: "a" },
      { field: "number", op: "eq", value: "1" },
      { field: "number", op: "between", value: [1] },
      { field: "lines", op: "any", value: [{ field: "text", op: "eq", value: "a" }] },
      { field: "$receipt_number", op: "eq", value: "a" },
    ];
    for (const condition of refused) {
      expect(judge(`${one}Search`, { conditions: [condition] })).not.toEqual([]);
    }
    for (const sort of ["multi", "lines", "zzz"]) {
      expect(judge(`${one}Search`, { sort: [{ field: sort }] })).not.toEqual([]);
    }
  });

  it("has drafts go without what is required, and submissions with it", async () => {
    const judge = judgeOf(document);
    const path = `/forms/${form}/submissions`;
    for (const body of [
      { status: "draft", data: {} },
      { status: "submitted", data: {} },
      { data: {} },
    ]) {
      const { status } = await by.post(`${path}/validate`, body);
      const fits = judge(`${one}Create`, body).length === 0;
      expect([body, fits]).toEqual([body, status === 200]);
    }
    const draft = await by.post(path, { status: "draft", data: {} });
    const cleared = { status: "draft", data: { text: null, lines: [] } };
    const submitted = { status: "submitted", data: { text: null } };
    expect(judge(`${one}Change`, cleared)).toEqual([]);
    expect((await by.patch(`/submissions/${draft.body.id}`, cleared)).status).toBe(200);
    expect(judge(`${one}Change`, submitted)).not.toEqual([]);
    expect((await by.patch(`/submissions/${draft.body.id}`, submitted)).status).toBe(422);
  });

  it("has examples that are sent as they are, and answers like those that it shows", async () => {
    const own = await makeForm(by, everyType);
    const { paths: all } = (await by.get(`/forms/${own}/openapi.json`)).body;
    const list = `/forms/${own}/submissions`;
    const create = sentBy(all[list].post);
    const checked = await by.post(`${list}/validate`, sentBy(all[`${list}/validate`].post));
    expect(checked.body).toEqual(answerOf(all[`${list}/validate`].post, 200));
    const created = await by.post(list, create);
    const shown = answerOf(all[list].post, 201);
    const { id, created_at, created_by, updated_at, updated_by } = created.body;
    const told = { id, created_at, created_by, updated_at, updated_by };
    expect(created.body).toEqual({ ...shown, ...told });
    const like = (page: Json) => ({ ...page, items: [{ ...page.items[0], ...told }] });
    expect((await by.get(list)).body).toEqual(like(answerOf(all[list].get, 200)));
    const search = all[`${list}/search`].post;
    const found = await by.post(`${list}/search`, sentBy(search));
    expect(found.body).toEqual(like(answerOf(search, 200)));
    const item = all["/submissions/{id}"];
    expect((await by.get(`/submissions/${id}`)).body).toEqual({
      ...answerOf(item.get, 200),
      ...told,
    });
    const changed = await by.patch(`/submissions/${id}`, sentBy(item.patch));
    expect(changed.body).toEqual({ ...answerOf(item.patch, 200), ...told });
    const feed = await by.get(`/forms/${own}/changes`);
    const [entry] = answerOf(all[`/forms/${own}/changes`].get, 200).items;
    expect(Object.keys(feed.body.items.at(-1)).toSorted()).toEqual(Object.keys(entry).toSorted());
  });

  it("shows PUT the definition of now: sent as it is, it changes nothing", async () => {
    const { get, put } = document.paths[`/forms/${form}/schema`];
    const before = await by.get(`/forms/${form}/schema`);
    expect(before.body).toEqual(answerOf(get, 200));
    const sent = await by.put(`/forms/${form}/schema`, sentBy(put));
    expect([sent.status, sent.body]).toEqual([200, before.body]);
    const back = await by.put(`/forms/${form}/schema`, before.body);
    expect([back.status, back.body]).toEqual([200, before.body]);
    const judge = judgeOf(document);
    expect(judge("FormDefinition", before.body)).toEqual([]);
    expect(judge("FormDefinition", sentBy(put))).toEqual([]);
  });

  it("gives the rest of its routes examples of their answers", () => {
    for (const operation of operationsOf(document)) {
      const [, response] =
        Object.entries<Json>(operation.responses).find(([, each]) => each.content) ?? [];
      if (operation.operationId.startsWith("delete")) continue;
      const shown = exampleOf(response);
      expect([operation.operationId, shown]).not.toEqual([operation.operationId, undefined]);
    }
  });
});

describe("One document of several apps and forms", () => {
  it("joins the chosen ones: names, operations and references stay whole", async () => {
    const by = await client();
    const [first, second] = [await makeForm(by, everyType), await makeForm(by, everyType)];
    const app = await makeApp(by, everyType);
    const { status, body } = await by.get(`/openapi.json?forms=${first},${second}&apps=${app}`);
    expect([status, brokenRefs(body)]).toEqual([200, []]);
    const ids = operationsOf(body).map(({ operationId }) => operationId);
    expect(ids.length).toBe(new Set(ids).size);
    const apart = await Promise.all(
      [`/forms/${first}`, `/forms/${second}`, `/apps/${app}`].map(
        async (path) => (await by.get(`${path}/openapi.json`)).body,
      ),
    );
    const schemas = apart.map(({ components }) => Object.entries(components.schemas)).flat();
    for (const [name, schema] of schemas) {
      const joined = body.components.schemas[name];
      // What changes a submission stands in one schema of all forms.
      if (joined === undefined) expect(name).toMatch(/Submission(Change|Updated)$/);
      else expect([name, joined]).toEqual([name, schema]);
    }
    const judge = judgeOf(body);
    const list = `/forms/${second}/submissions`;
    const created = await by.post(list, sentBy(body.paths[list].post));
    expect(judge("SubmissionOfForm", created.body)).toEqual([]);
    expect(Object.keys(body.paths).filter((path) => path.startsWith("/submissions"))).toEqual([
      "/submissions/{id}",
    ]);
  });

  it("is that of the service where nothing is chosen", async () => {
    const { body } = await (await client()).get("/openapi.json");
    tellDocumented(body);
    expect([Object.keys(body.paths).includes("/me"), brokenRefs(body)]).toEqual([true, []]);
  });

  it("is of definitions of 1 MB together at most, and reads none of them where they are more", async () => {
    const by = await client();
    const option = (at: number) => ({ value: `v${at}`, label: "x".repeat(180) });
    const many = { options: Array.from({ length: 1000 }, (_, at) => option(at)) };
    const wide = [1, 2, 3].map((at) => ({ key: `s${at}`, type: "select", ...many }));
    const [one, other] = [await makeForm(by, wide), await makeForm(by, wide)];
    expect((await by.get(`/openapi.json?forms=${one}`)).status).toBe(200);
    const answer = await by.get(`/openapi.json?forms=${one},${other}`);
    expect([answer.status, answer.body.errors[0]]).toEqual([
      422,
      {
        field: "forms",
        code: "too_complex",
        reason: expect.stringMatching(/^Definitions of 1000000 bytes .*, not of 1\d{6}\.$/),
      },
    ]);
    const read = await findSeveral(
      env.DB,
      [one, other].map((key) => ({ kind: "form" as const, key })),
      1_000_000,
    );
    expect(read).toEqual({ count: 2, bytes: expect.any(Number), collections: [] });
  });

  it("has what is visible alone, and no more than 20 of them", async () => {
    const by = await client();
    const [ours, theirs] = [await makeForm(by), await makeForm(by)];
    const limited = await client({ resources: [`form:${ours}`] });
    expect((await limited.get(`/openapi.json?forms=${ours}`)).status).toBe(200);
    expect((await limited.get(`/openapi.json?forms=${ours},${theirs}`)).status).toBe(404);
    expect((await by.get(`/openapi.json?forms=${ours},${freshKey("nothing")}`)).status).toBe(404);
    const many = Array.from({ length: 21 }, (_, index) => `f${index}`).join(",");
    const refused = await by.get(`/openapi.json?forms=${many}`);
    expect([refused.status, refused.body.errors[0].code]).toEqual([422, "too_complex"]);
    for (const wrong of ["forms=", "forms=A", "apps=a,,b", "version=2.0", "form=a"]) {
      const answer = await by.get(`/openapi.json?${wrong}`);
      expect([wrong, answer.status, answer.body.errors.length]).toEqual([wrong, 422, 1]);
    }
  });
});

describe("OpenAPI 3.0 for older generators", () => {
  it("is had by the query, or by Accept, and has a tag of its own", async () => {
    const by = await client();
    const path = `/forms/${await makeForm(by, everyType)}/openapi.json`;
    const asked = await by.get(`${path}?version=3.0`);
    expect([asked.status, asked.body.openapi]).toEqual([200, "3.0.3"]);
    const accepted = await by.get(path, { Accept: "application/vnd.oai.openapi;version=3.0" });
    expect(accepted.headers.get("Content-Type")).toBe(
      "application/vnd.oai.openapi+json;version=3.0",
    );
    expect(accepted.text).toBe(asked.text);
    const now = await by.get(path);
    expect([now.body.openapi, now.etag === asked.etag]).toEqual(["3.1.0", false]);
    expect(now.headers.get("Vary")).toContain("Accept");
    expect(brokenRefs(asked.body)).toEqual([]);
    expect(
      /"type":\[|"type":"null"|"const":/.test(JSON.stringify(asked.body.components.schemas)),
    ).toBe(false);
  });
});
