import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../../src/dev/local-database.ts";
import { defaultCredential, issueCredential, Owner } from "../../src/dev/owner.ts";
import { serviceOf } from "../dev/built-service.ts";
import { ensureBundle } from "../dev/built.ts";
import { caller, type Call } from "../support/caller.ts";

/** What differs most between the sources and the bundle: the deployed runtime forbids eval. */
describe("The built bundle", () => {
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-smoke-"));
  let service: Miniflare;
  let url: string;
  let call: Call;
  beforeAll(async () => {
    const bundle = ensureBundle();
    service = serviceOf(bundle, folder);
    const [{ origin }] = await Promise.all([service.ready, migrate(service)]);
    url = origin;
    const login = { email: "owner@example.com", password: "a password of the smoke test" };
    const owner = new Owner(url, login, () => undefined);
    const { SETUP_SECRET = "" } = parseEnv(readFileSync(join(bundle, ".dev.vars"), "utf8"));
    await owner.setUp(SETUP_SECRET);
    const credential = await issueCredential(owner, defaultCredential);
    call = caller(url, "token" in credential ? credential.token : "");
  });
  afterAll(async () => {
    await service?.dispose();
    rmSync(folder, { recursive: true });
  });

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
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    }
  });
});
