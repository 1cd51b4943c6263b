import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import {
  fieldNumber,
  fieldsPerCollection,
  lastFieldId,
  systemFieldIds,
} from "../../src/domain/data/values.ts";
import type { Client, Json } from "../support/client";
import { client, freshKey, makeApp, makeForm } from "../support/service";

const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });

describe("Collections never meet, whatever their definitions have been through", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  /** As if so many fields had been defined and given up before. */
  const skipTo = async (key: string, next: number) => {
    await env.DB.prepare(
      "UPDATE collection SET fields = json_set(fields, '$.next', ?2), revision = revision + 1 WHERE key = ?1",
    )
      .bind(key, next)
      .run();
  };
  const borders = [65_000, 65_001, 65_005, 65_535, 65_536, 65_537, 131_072, lastFieldId - 30];

  it("numbers of fields are told apart up to the last one, and one more is refused", async () => {
    const ids = fc.oneof(
      fc.integer({ min: 1, max: lastFieldId }),
      fc.constantFrom(...Object.values(systemFieldIds)),
    );
    const collections = fc.integer({ min: 1, max: 2_000_000 });
    fc.assert(
      fc.property(collections, ids, collections, ids, (a, i, b, j) => {
        const same = a === b && i === j;
        expect(fieldNumber(a, i) === fieldNumber(b, j)).toBe(same);
        expect(Number.isSafeInteger(fieldNumber(a, i))).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(Math.max(...Object.values(systemFieldIds))).toBeLessThan(fieldsPerCollection);
    const form = await makeForm(integrator, [text("a")]);
    await skipTo(form, lastFieldId);
    const put = (...keys: string[]) =>
      integrator.put(`/forms/${form}/schema`, { fields: keys.map((key) => text(key)) });
    const refused = await put("a", "b");
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, "/fields"]);
    expect((await put("a")).status).toBe(200);
  });

  it("defined and retired fields together are at most 2,000, so ids cannot be burnt by retiring", async () => {
    const form = freshKey("form");
    const put = (round: number) =>
      integrator.put(`/forms/${form}/schema`, {
        fields: Array.from({ length: 480 }, (_, i) => text(`f${round}_${i}`)),
      });
    const statuses = [];
    for (let round = 0; round < 6; round += 1) statuses.push((await put(round)).status);
    expect(statuses).toEqual([201, 200, 200, 200, 422, 422]);
  });

  it("searches, unique values and sorts of one collection see nothing of its neighbours, at every border of ids", async () => {
    const fields = [text("t", { unique: true }), text("s"), { key: "n", type: "number" }];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...borders), { minLength: 3, maxLength: 3 }),
        async (starts) => {
          const forms: string[] = [];
          for (const [index, next] of starts.entries()) {
            const make = index % 2 === 0 ? makeForm : makeApp;
            const key = await make(integrator, []);
            await skipTo(key, next);
            const kind = index % 2 === 0 ? "forms" : "apps";
            const put = await integrator.put(`/${kind}/${key}/schema`, { fields });
            expect(put.status).toBe(200);
            forms.push(`/${kind}/${key}/${index % 2 === 0 ? "submissions" : "records"}`);
          }
          for (const [index, path] of forms.entries()) {
            const data = { t: "same", s: `secret ${index}`, n: index };
            expect((await integrator.post(path, { data })).status).toBe(201);
          }
          for (const [index, path] of forms.entries()) {
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
          const [first = ""] = forms;
          const schema = `${first.replace(/\/[a-z]+$/, "")}/schema`;
          for (const rest of [{}, { unique: true }, {}]) {
            await integrator.put(schema, { fields: [text("t", rest), ...fields.slice(1)] });
          }
          for (const path of forms.slice(1)) {
            expect((await integrator.post(path, { data: { t: "same" } })).body.code).toBe(
              "duplicate",
            );
          }
        },
      ),
      { numRuns: 8 },
    );
  }, 60_000);
});
