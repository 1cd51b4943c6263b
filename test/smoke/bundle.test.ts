import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caller, Server, type Call } from "../dev/server.ts";

/** What differs most between the sources and the bundle: the deployed runtime forbids eval. */
describe("The built bundle", () => {
  const server = new Server();
  let call: Call;
  beforeAll(async () => {
    await server.start();
    call = caller(server.url, (await server.credential()).token);
  });
  afterAll(() => server.remove());

  it("validates, computes, stores and finds a record", async () => {
    const fields = [
      { key: "code", type: "text", pattern: "^[A-Z]{2}\\d+$", unique: true },
      { key: "qty", type: "number", integer: true },
      { key: "twice", type: "computed", formula: "qty * 2", result: "number" },
    ];
    expect((await call("PUT", "/apps/smoke/schema", { fields })).status).toBe(201);
    const rejected = await call("POST", "/apps/smoke/records", { data: { code: "a1", qty: 0.5 } });
    expect(rejected.body.errors.map(({ field }: { field: string }) => field)).toEqual([
      "code",
      "qty",
    ]);
    const created = await call("POST", "/apps/smoke/records", { data: { code: "AB1", qty: 21 } });
    expect([created.status, created.body.data.twice]).toEqual([201, 42]);
    const conditions = [{ field: "twice", op: "eq", value: 42 }];
    const found = await call("POST", "/apps/smoke/records/search", { conditions });
    expect(found.body.items).toEqual([created.body]);
  });

  it("serves a documentation page, the OpenAPI document and 200 from /health", async () => {
    for (const path of ["/docs/contents", "/openapi.json", "/health"]) {
      expect([path, (await fetch(server.url + path)).status]).toEqual([path, 200]);
    }
  });
});
