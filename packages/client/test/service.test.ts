import { execFile } from "node:child_process";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "../../../test/dev/server.ts";
import { FailingService, faults, forwardTo } from "./failing-service.ts";
import { EdgeForms, verifyWebhook, type WebhookEvent } from "../src/index.ts";

const project = new URL("../../..", import.meta.url).pathname;
const run = promisify(execFile);
const textField = (key: string, rules: object = {}) => ({ key, type: "text", ...rules });
/** 10,000 creates take eight minutes on two busy cores. They wait for the service's CPU time. */
const createCount = Number(process.env["EDGE_FORMS_CREATES"] ?? 200);
const fields = [
  textField("code", { required: true, unique: true }),
  textField("name"),
  { key: "count", type: "number", integer: true },
];

describe("The client and the running service", () => {
  const server = new Server();
  let client: EdgeForms;
  let token = "";
  let secret = "";
  const deliveries: { headers: IncomingHttpHeaders; body: Uint8Array }[] = [];
  const receiver = createServer(({ headers }, response) => {
    const chunks: Buffer[] = [];
    response.req.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.req.on("end", () => {
      deliveries.push({ headers, body: Buffer.concat(chunks) });
      response.end();
    });
  });
  beforeAll(async () => {
    await server.start();
    ({ token } = await server.credential("--requests", "100000", "--writes", "100000"));
    client = new EdgeForms({ url: server.url, token });
    await client.request("PUT", "/apps/parts/schema", { body: { fields } });
    await client.request("PUT", "/apps/spare-parts_2/schema", { body: { fields } });
    await client.request("PUT", "/forms/asks/schema", { body: { fields } });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const types = ["record.created"];
    const body = { name: "Client", url, types, collections: ["app:parts"] };
    ({ secret } = await client.request<{ secret: string }>("POST", "/webhooks", { body }));
  });
  afterAll(async () => {
    receiver.closeAllConnections();
    receiver.close();
    await server.remove();
  });

  it("creates once per key, gets, updates, upserts and deletes", async () => {
    const parts = client.records("parts");
    const created = await parts.create({ code: "a", count: 1 }, { key: "a" });
    expect(await parts.create({ code: "a", count: 1 }, { key: "a" })).toEqual(created);
    const reused = parts.create({ code: "z" }, { key: "a" });
    await expect(reused).rejects.toMatchObject({ code: "key_reused" });
    const { receipt_number: receipt } = created;
    expect((await parts.get(receipt)).id).toBe(created.id);
    const increment = () =>
      parts.update(receipt, ({ data }) => ({ count: Number(data["count"]) + 1 }));
    await Promise.all([increment(), increment(), increment(), increment(), increment()]);
    expect((await parts.get(created.id)).data["count"]).toBe(6);
    const rename = () => parts.update(created.id, { name: "A" }, { key: "b" });
    expect((await rename()).item?.data["name"]).toBe("A");
    expect((await rename()).item?.version).toBe(7);
    const conflicting = parts.update(created.id, { name: "B" }, { ifMatch: created.etag });
    await expect(conflicting).rejects.toMatchObject({ code: "version_mismatch", status: 412 });
    expect((await parts.upsert("code", { code: "a", name: "C" })).outcome).toBe("updated");
    expect((await parts.upsert("code", { code: "b" })).outcome).toBe("created");
    const asks = client.submissions("asks");
    const ask = await asks.create({ code: "x" }, { status: "draft" });
    await asks.update(ask.id, { name: "X" }, { status: "submitted" });
    expect((await asks.get(ask.id)).status).toBe("submitted");
    expect((await asks.validate({ code: "y" })).valid).toBe(true);
    await asks.delete(ask.id);
    await expect(asks.get(ask.id)).rejects.toMatchObject({ code: "not_found" });
  });

  it(
    `${createCount} creates are stored exactly once through every kind of failure`,
    async () => {
      await client.request("PUT", "/apps/hard/schema", { body: { fields } });
      const proxy = new FailingService(forwardTo(server.url), 11_000);
      // Every fifth request fails, and all kinds of failure are equally frequent.
      proxy.faults = (index) => (index % 5 === 0 ? faults[(index / 5) % faults.length] : undefined);
      const options = { url: await proxy.start(), token, retries: 20, timeout: 10_000 };
      const records = new EdgeForms({ ...options, concurrency: 32 }).records("hard");
      const codes = Array.from({ length: createCount }, (_, index) => `h${index}`);
      const created = await Promise.all(codes.map((code) => records.create({ code })));
      await proxy.stop();
      expect(created.map(({ data }) => data["code"])).toEqual(codes);
      const stored = await client.records("hard").list().toArray();
      expect(stored.map(({ id }) => id).toSorted()).toEqual(created.map(({ id }) => id).toSorted());
    },
    60_000 + createCount * 100,
  );

  it("reports every invalid field under the name that was sent", async () => {
    const parts = client.records("parts");
    const errorAt = (key: string) => ({ field: key, pointer: `/data/${key}` });
    const errors = [errorAt("count"), errorAt("zz")];
    const invalidData = { code: "w", count: "x", zz: 1 };
    await expect(parts.create(invalidData)).rejects.toMatchObject({
      code: "invalid_input",
      errors,
    });
    await expect(parts.upsert("code", invalidData)).rejects.toMatchObject({ errors });
    const failure = client
      .records("nothing")
      .get("x")
      .catch((thrown) => thrown);
    expect((await failure).requestId).toMatch(/\S/);
  });

  it("walks lists, searches and changes, and resumes from a saved cursor", async () => {
    await client.request("PUT", "/apps/walked/schema", { body: { fields } });
    const records = client.records("walked");
    const codes = Array.from({ length: 230 }, (_, index) => `c${index}`);
    const futureChanges = records.changes({ cursor: "now" });
    expect(await futureChanges.toArray()).toEqual([]);
    const operations = codes.map((code) => ({ op: "create", data: { code } }) as const);
    const results = await records.batch(operations, { items: true });
    expect(results.map(({ item }) => item?.data["code"])).toEqual(codes);
    const codesRead = new Set<unknown>();
    const list = records.list({ limit: 50 });
    for await (const { data } of list) {
      codesRead.add(data["code"]);
      if (codesRead.size === 120) break;
    }
    for await (const { data } of records.list({ cursor: list.cursor })) codesRead.add(data["code"]);
    expect([...codesRead]).toEqual(codes);
    const conditions = [{ field: "code", op: "starts_with", value: "c1" }];
    const search = { conditions, sort: [{ field: "code" }] };
    expect(await records.search(search, { limit: 10 }).toArray()).toHaveLength(111);
    const pages = records.search({ ...search, limit: 100 }).pages();
    const first = (await pages.next()).value;
    expect(first?.items).toHaveLength(100);
    const rest = { ...search, limit: 200, cursor: first?.cursor ?? null };
    expect(await records.search(rest).toArray()).toHaveLength(11);
    const metrics = { codes: { op: "count_distinct", field: "code" } } as const;
    const figures = { groups: [{ key: {}, metrics: { codes: 111 } }], truncated: false };
    expect(await records.aggregate({ conditions, metrics })).toEqual(figures);
    const changes = records.changes({ cursor: futureChanges.cursor, limit: 100 });
    expect((await changes.toArray()).map(({ id }) => id)).toEqual(results.map(({ id }) => id));
    const firstId = results[0]?.id ?? "";
    for (const name of ["1", "2"]) await records.update(firstId, { name });
    const { cursor } = changes;
    expect(await records.changes({ cursor }).toArray()).toHaveLength(1);
    expect(await records.changes({ cursor, all: true, limit: 1 }).toArray()).toHaveLength(2);
    await changes.toArray();
    const controller = new AbortController();
    const { signal } = controller;
    setTimeout(() => void records.update(firstId, { name: "later" }), 100);
    const polledChanges = records.changes({ cursor: changes.cursor, every: 50, signal });
    for await (const { item } of polledChanges) {
      expect(item?.data["name"]).toBe("later");
      break;
    }
  });

  it("fetches an API client's access token automatically", async () => {
    const issued: unknown = await server.credential("--kind", "client");
    const { client_id: clientId, client_secret: clientSecret } = issued as Record<string, string>;
    const credentials = { clientId: clientId ?? "", clientSecret: clientSecret ?? "" };
    const apiClient = new EdgeForms({ url: server.url, credentials });
    expect(await apiClient.request("GET", "/me")).toMatchObject({ kind: "client" });
  });

  it("verifies genuine deliveries of the service and rejects forged ones", async () => {
    while (deliveries.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const [{ headers, body } = { headers: {}, body: "" }] = deliveries;
    const event: WebhookEvent = await verifyWebhook({ secret, headers, body });
    expect([event.type, event.data.type]).toEqual(["record.created", "created"]);
    const forged = verifyWebhook({ secret, headers, body: "{}" });
    await expect(forged).rejects.toMatchObject({ code: "invalid_webhook" });
  });

  it("installs, runs and compiles strictly as a package of at most 8 KB without extra files", async () => {
    const packageFolder = join(project, "packages/client");
    const entryPoints = [join(packageFolder, "dist/index.js")];
    const bundled = await build({
      entryPoints,
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    });
    expect(gzipSync(bundled.outputFiles[0]?.contents ?? "").length).toBeLessThanOrEqual(8192);
    const emptyProject = join(server.folder, "empty");
    mkdirSync(emptyProject);
    const packed = await run("npm", ["pack", "--json", "--pack-destination", emptyProject], {
      cwd: packageFolder,
    });
    const printed: unknown = JSON.parse(packed.stdout);
    const [pack] = Object.values(printed as object) as {
      filename: string;
      files: { path: string }[];
    }[];
    const otherFiles = pack?.files
      .map(({ path }) => path)
      .filter((path) => !/^dist\/(command\/[\w-]+|[\w-]+(\.d)?)\.[jt]s$/.test(path));
    expect(otherFiles?.toSorted()).toEqual([
      "LICENSE",
      "README.md",
      "bin/edge-forms.js",
      "package.json",
    ]);
    writeFileSync(join(emptyProject, "package.json"), '{ "private": true, "type": "module" }');
    await run("npm", ["i", "--offline", "--no-audit", join(emptyProject, pack?.filename ?? "")], {
      cwd: emptyProject,
    });
    const bin = join(emptyProject, "node_modules/.bin/edge-forms");
    expect((await run(bin, ["--help"])).stdout).toContain("edge-forms plan");
    await generateTypes(emptyProject);
    writeFileSync(
      join(emptyProject, "use.ts"),
      program(readFileSync(join(packageFolder, "README.md"), "utf8")),
    );
    writeFileSync(
      join(emptyProject, "tsconfig.json"),
      JSON.stringify({ compilerOptions: strictOptions, files: ["use.ts"] }),
    );
    for (const compiler of ["node_modules", "test/clients/node_modules"]) {
      const tsc = join(project, compiler, "typescript/bin/tsc");
      const compiled = await run("node", [tsc, "-p", emptyProject]).catch(
        (error) => error as { stdout: string },
      );
      expect(compiled.stdout).toBe("");
    }
    const env = { ...process.env, URL: server.url, TOKEN: token };
    const { stdout } = await run("node", ["use.ts"], { cwd: emptyProject, env });
    expect(stdout).toBe("typed a\n");
  });

  /** Generates types as the README describes. */
  async function generateTypes(folder: string): Promise<void> {
    const query = { apps: "spare-parts_2,parts", forms: "asks" };
    const document = await client.request("GET", "/openapi.json", { query });
    writeFileSync(join(folder, "forms.json"), JSON.stringify(document));
    const generator = join(project, "test/clients/node_modules/.bin/openapi-typescript");
    await run(generator, [join(folder, "forms.json"), "-o", join(folder, "forms.ts")]);
  }
});

const strictOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable"],
  module: "nodenext",
  allowImportingTsExtensions: true,
  types: [],
};

/** A program with generated types. Each line after @ts-expect-error must fail to compile. */
function program(readme: string): string {
  expect(readme).toContain("npx openapi-typescript");
  return `
    import { EdgeForms, type RecordItem } from "edge-forms-client";
    import type { components } from "./forms.ts";
    declare const process: { env: Record<string, string | undefined> };
    declare const console: { log(text: string): void };
    const options = { url: process.env["URL"] ?? "", token: process.env["TOKEN"] ?? "" };
    const client = new EdgeForms<components["schemas"]>(options);
    const parts = client.records("spare-parts_2");
    const { data } = await parts.create({ code: "typed a", count: 1 });
    const code: string | null = data.code;
    await parts.update("R", ({ data }) => ({ count: (data.count ?? 0) + 1 })).catch(() => undefined);
    // @ts-expect-error
    void (() => parts.create({ code: 1 }));
    // @ts-expect-error
    void (() => parts.create({ code: "a", zz: 1 }));
    // @ts-expect-error
    void (() => parts.update("R", { count: "1" }));
    // @ts-expect-error
    data.zz;
    const asks = client.submissions("asks");
    await asks.create({}, { status: "draft" });
    // @ts-expect-error
    void (() => asks.create({}));
    void asks.search({ conditions: [{ field: "count", op: "gte", value: 1 }] });
    // @ts-expect-error
    void asks.search({ conditions: [{ field: "count", op: "contains", value: "1" }] });
    const group_by = [{ field: "$created_at", unit: "week" } as const];
    const { groups } = await asks.aggregate({ group_by, metrics: { sum: { op: "sum", field: "count" } } });
    const week: string | null | undefined = groups[0]?.key.$created_at;
    // @ts-expect-error
    void (() => asks.aggregate({ metrics: { sum: { op: "sum", field: "zz" } } }));
    const untyped = new EdgeForms(options).records("spare-parts_2");
    const item: RecordItem = await untyped.get((await parts.create({ code: "u" })).id);
    item.data["anything"];
    void week;
    console.log(String(code));
  `;
}
