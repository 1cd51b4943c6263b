import { describe, expect, it } from "vitest";
import { loadDefinitions } from "../../src/store/data/definition-head.ts";
import type { Json } from "../support/client";
import { tellDocumented } from "../support/happenings";
import { client, freshKey, makeApp, makeForm } from "../support/service";
import { databases } from "../support/databases";

import {
  brokenRefs,
  everyType,
  operationsOf,
  requestExample,
  validatorOf,
} from "./openapi-documents";

describe("The document of several apps and forms", () => {
  it("joins the selected documents without losing schemas, operations or references", async () => {
    const integrator = await client();
    const [first, second] = [
      await makeForm(integrator, everyType),
      await makeForm(integrator, everyType),
    ];
    const app = await makeApp(integrator, everyType);
    const { status, body } = await integrator.get(
      `/openapi.json?forms=${first},${second}&apps=${app}`,
    );
    expect([status, brokenRefs(body)]).toEqual([200, []]);
    const ids = operationsOf(body).map(({ operationId }) => operationId);
    expect(ids.length).toBe(new Set(ids).size);
    const single = await Promise.all(
      [`/forms/${first}`, `/forms/${second}`, `/apps/${app}`].map(
        async (path) => (await integrator.get(`${path}/openapi.json`)).body,
      ),
    );
    const schemas = single.map(({ components }) => Object.entries(components.schemas)).flat();
    for (const [name, schema] of schemas) {
      const joined = body.components.schemas[name];
      // All forms share one schema for changes of submissions, because they share the path.
      if (joined === undefined) expect(name).toMatch(/Submission(Change|Updated)$/);
      else expect([name, joined]).toEqual([name, schema]);
    }
    const validate = validatorOf(body);
    const list = `/forms/${second}/submissions`;
    const created = await integrator.post(list, requestExample(body.paths[list].post));
    expect(validate("SubmissionOfForm", created.body)).toEqual([]);
    expect(Object.keys(body.paths).filter((path) => path.startsWith("/submissions"))).toEqual([
      "/submissions/{id}",
    ]);
  });

  it("has names that differ by more than case and separators, for similar keys of collections and fields", async () => {
    const integrator = await client();
    const key = freshKey("near");
    const fields = ["a_b", "ab", "a_1", "a1"].map((name) => ({
      key: name,
      type: "select",
      options: [{ value: "a" }],
    }));
    const rows = { key: "lines", type: "line_items", fields };
    const keys = [`${key}-b`, `${key}b`, `${key}_b`, `${key}-1`, `${key}1`, `${key}b2`];
    for (const name of keys) {
      for (const kind of ["apps", "forms"]) {
        const path = `/${kind}/${name}/schema`;
        expect((await integrator.put(path, { fields: [...fields, rows] })).status).toBe(201);
      }
    }
    const ask = async (names: string[], version: string) => {
      const list = names.join(",");
      const query = `?apps=${list}&forms=${list}&version=${version}`;
      return (await integrator.get(`/openapi.json${query}`)).body;
    };
    const flat = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
    for (const version of ["3.1", "3.0"]) {
      const joined = await ask(keys, version);
      const ids = operationsOf(joined).map(({ operationId }) => operationId as string);
      for (const names of [...Object.values<Json>(joined.components).map(Object.keys), ids]) {
        expect(new Set(names.map(flat)).size).toBe(names.length);
      }
      expect(brokenRefs(joined)).toEqual([]);
      // The order of the query does not decide which type has which name.
      expect(JSON.stringify(await ask(keys.toReversed(), version))).toBe(JSON.stringify(joined));
    }
    const joined = await ask(keys, "3.1");
    const validate = validatorOf(joined);
    for (const name of keys) {
      const list = `/forms/${name}/submissions`;
      const created = await integrator.post(list, requestExample(joined.paths[list].post));
      expect([created.status, validate("SubmissionOfForm", created.body)]).toEqual([201, []]);
    }
    const { mapping } = joined.components.schemas.SubmissionOfForm.discriminator;
    for (const [form, pointer] of Object.entries<string>(mapping)) {
      const { properties } = joined.components.schemas[pointer.split("/").at(-1) ?? ""];
      expect(properties.form.const).toBe(form);
    }
  });

  it("lists options in the conditions of up to 200 fields of all its apps and forms", async () => {
    const integrator = await client();
    const choices = { type: "select", options: [{ value: "a" }] };
    // `$status` of each form counts too.
    const fields = Array.from({ length: 99 }, (_, i) => ({
      key: `s${i}`,
      ...choices,
    }));
    const [first, second] = [
      await makeForm(integrator, fields),
      await makeForm(integrator, fields),
    ];
    const app = await makeApp(integrator, [{ key: "s", ...choices }]);
    const conditionsOf = async (query: string) => {
      const { body } = await integrator.get(`/openapi.json?${query}`);
      const names = Object.keys(body.components.schemas);
      return names.filter((name) => name.endsWith("OptionCondition")).length;
    };
    expect(await conditionsOf(`forms=${first},${second}`)).toBe(200);
    expect(await conditionsOf(`forms=${first},${second}&apps=${app}`)).toBe(0);
  });

  it("is the document of the service when nothing is selected", async () => {
    const { body } = await (await client()).get("/openapi.json");
    tellDocumented(body);
    const names = Object.values<Json>(body.components).flatMap((part) => Object.keys(part));
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    expect([Object.keys(body.paths).includes("/me"), brokenRefs(body)]).toEqual([true, []]);
  });

  it("returns 422 too_complex to definitions over 1 MB together, without loading them", async () => {
    const integrator = await client();
    const option = (index: number) => ({ value: `v${index}`, label: "x".repeat(180) });
    const choices = { options: Array.from({ length: 1000 }, (_, index) => option(index)) };
    const wideFields = [1, 2, 3].map((index) => ({ key: `s${index}`, type: "select", ...choices }));
    const [firstForm, secondForm] = [
      await makeForm(integrator, wideFields),
      await makeForm(integrator, wideFields),
    ];
    expect((await integrator.get(`/openapi.json?forms=${firstForm}`)).status).toBe(200);
    const answer = await integrator.get(`/openapi.json?forms=${firstForm},${secondForm}`);
    expect([answer.status, answer.body.errors[0]]).toEqual([
      422,
      {
        field: "forms",
        code: "too_complex",
        reason: expect.stringMatching(
          /^The definitions may have at most 1000000 bytes together, not 1\d{6}\.$/,
        ),
      },
    ]);
    const definitions = await loadDefinitions(
      databases,
      [firstForm, secondForm].map((key) => ({ kind: "form" as const, key })),
      1_000_000,
    );
    expect(definitions).toEqual({ count: 2, bytes: expect.any(Number), collections: [] });
  });

  it("returns 404 to invisible forms, and 422 to more than 20 of them", async () => {
    const integrator = await client();
    const [ownForm, otherForm] = [await makeForm(integrator), await makeForm(integrator)];
    const limitedClient = await client({ resources: [`form:${ownForm}`] });
    expect((await limitedClient.get(`/openapi.json?forms=${ownForm}`)).status).toBe(200);
    expect((await limitedClient.get(`/openapi.json?forms=${ownForm},${otherForm}`)).status).toBe(
      404,
    );
    expect(
      (await integrator.get(`/openapi.json?forms=${ownForm},${freshKey("nothing")}`)).status,
    ).toBe(404);
    const formKeys = Array.from({ length: 21 }, (_, index) => `f${index}`).join(",");
    const rejection = await integrator.get(`/openapi.json?forms=${formKeys}`);
    expect([rejection.status, rejection.body.errors[0].code]).toEqual([422, "too_complex"]);
    for (const query of ["forms=", "forms=A", "apps=a,,b", "version=2.0", "form=a"]) {
      const answer = await integrator.get(`/openapi.json?${query}`);
      expect([query, answer.status, answer.body.errors.length]).toEqual([query, 422, 1]);
    }
  });
});

describe("OpenAPI 3.0 for older generators", () => {
  it("is returned for version=3.0 or the Accept header, with its own ETag", async () => {
    const integrator = await client();
    const path = `/forms/${await makeForm(integrator, everyType)}/openapi.json`;
    const byQuery = await integrator.get(`${path}?version=3.0`);
    expect([byQuery.status, byQuery.body.openapi]).toEqual([200, "3.0.3"]);
    const byAccept = await integrator.get(path, {
      Accept: "application/vnd.oai.openapi;version=3.0",
    });
    expect(byAccept.headers.get("Content-Type")).toBe(
      "application/vnd.oai.openapi+json;version=3.0",
    );
    expect(byAccept.text).toBe(byQuery.text);
    const latest = await integrator.get(path);
    expect([latest.body.openapi, latest.etag === byQuery.etag]).toEqual(["3.1.0", false]);
    expect(latest.headers.get("Vary")).toContain("Accept");
    expect(brokenRefs(byQuery.body)).toEqual([]);
    expect(
      /"type":\[|"type":"null"|"const":/.test(JSON.stringify(byQuery.body.components.schemas)),
    ).toBe(false);
  });
});
