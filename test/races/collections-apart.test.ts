import * as fc from "fast-check";
import { beforeAll, describe, expect, it as itAtEachSize } from "vitest";
import {
  fieldNumber,
  fieldsPerCollection,
  maxFieldId,
  systemFieldIds,
} from "../../src/domain/data/values.ts";
import type { Client, Json } from "../support/client";
import { client, freshKey, makeApp, makeForm } from "../support/service";
import { dataDb } from "../support/databases";
import { randomCases, unsized } from "../support/size";

const text = (key: string, settings: object = {}) => ({ key, type: "text", ...settings });

const { it } = unsized;

describe("Isolation between collections", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  /** Sets the next field id, as if the collection had defined and removed fields before. */
  const setNextFieldId = async (key: string, next: number) => {
    await dataDb
      .prepare(
        "UPDATE collection SET fields = json_set(fields, '$.next', ?2), revision = revision + 1 WHERE key = ?1",
      )
      .bind(key, next)
      .run();
  };
  const boundaryIds = [65_000, 65_001, 65_005, 65_535, 65_536, 65_537, 131_072, maxFieldId - 30];

  it("gives every field a distinct number up to the last id, and returns 422 for one more field", async () => {
    const fieldIds = fc.oneof(
      fc.integer({ min: 1, max: maxFieldId }),
      fc.constantFrom(...Object.values(systemFieldIds)),
    );
    const collections = fc.integer({ min: 1, max: 2_000_000 });
    fc.assert(
      fc.property(collections, fieldIds, collections, fieldIds, (a, i, b, j) => {
        const isSameField = a === b && i === j;
        expect(fieldNumber(a, i) === fieldNumber(b, j)).toBe(isSameField);
        expect(Number.isSafeInteger(fieldNumber(a, i))).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(Math.max(...Object.values(systemFieldIds))).toBeLessThan(fieldsPerCollection);
    const form = await makeForm(integrator, [text("a")]);
    await setNextFieldId(form, maxFieldId);
    const put = (...keys: string[]) =>
      integrator.put(`/forms/${form}/schema`, { fields: keys.map((key) => text(key)) });
    const rejected = await put("a", "b");
    expect([rejected.status, rejected.body.errors[0].pointer]).toEqual([422, "/fields"]);
    expect((await put("a")).status).toBe(200);
  });

  it("returns 422 once defined and retired fields together exceed 2,000, so that ids do not run out", async () => {
    const form = freshKey("form");
    const put = (round: number) =>
      integrator.put(`/forms/${form}/schema`, {
        fields: Array.from({ length: 480 }, (_, i) => text(`f${round}_${i}`)),
      });
    const statuses = [];
    for (let round = 0; round < 6; round += 1) statuses.push((await put(round)).status);
    expect(statuses).toEqual([201, 200, 200, 200, 422, 422]);
  });

  itAtEachSize(
    "keeps searches, unique values and sorts within one collection, at every boundary of field ids",
    async () => {
      const fields = [text("t", { unique: true }), text("s"), { key: "n", type: "number" }];
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...boundaryIds), { minLength: 3, maxLength: 3 }),
          async (starts) => {
            const paths: string[] = [];
            for (const [index, next] of starts.entries()) {
              const make = index % 2 === 0 ? makeForm : makeApp;
              const key = await make(integrator, []);
              await setNextFieldId(key, next);
              const kind = index % 2 === 0 ? "forms" : "apps";
              const put = await integrator.put(`/${kind}/${key}/schema`, { fields });
              expect(put.status).toBe(200);
              paths.push(`/${kind}/${key}/${index % 2 === 0 ? "submissions" : "records"}`);
            }
            for (const [index, path] of paths.entries()) {
              const data = { t: "same", s: `secret ${index}`, n: index };
              expect((await integrator.post(path, { data })).status).toBe(201);
            }
            for (const [index, path] of paths.entries()) {
              for (const body of [
                {},
                { conditions: [{ field: "t", op: "eq", value: "same" }] },
                { conditions: [{ field: "s", op: "contains", value: "secret" }] },
                { sort: [{ field: "n", direction: "desc" }] },
                { sort: [{ field: "s" }, { field: "n" }] },
              ]) {
                const { items } = (await integrator.post(`${path}/search`, body)).body;
                expect(items.map((item: Json) => item.data.n)).toEqual([index]);
              }
              expect((await integrator.post(path, { data: { t: "same" } })).body.code).toBe(
                "duplicate",
              );
            }
            const [firstPath = ""] = paths;
            const schema = `${firstPath.replace(/\/[a-z]+$/, "")}/schema`;
            for (const settings of [{}, { unique: true }, {}]) {
              await integrator.put(schema, { fields: [text("t", settings), ...fields.slice(1)] });
            }
            for (const path of paths.slice(1)) {
              expect((await integrator.post(path, { data: { t: "same" } })).body.code).toBe(
                "duplicate",
              );
            }
          },
        ),
        { numRuns: randomCases(3, 8) },
      );
    },
    60_000,
  );
});
