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
const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });
/** 10,000 take eight minutes on two cores that have other work as well: the service's CPU time is what they wait for. */
const creates = Number(process.env["EDGE_FORMS_CREATES"] ?? 200);
const fields = [
  text("code", { required: true, unique: true }),
  text("name"),
  { key: "count", type: "number", integer: true },
];

describe("The client and the running service", () => {
  const server = new Server(8841);
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

  it("creates once for a key, gets, updates, upserts and deletes", async () => {
    const parts = client.records("parts");
    const made = await parts.create({ code: "a", count: 1 }, { key: "a" });
    expect(await parts.create({ code: "a", count: 1 }, { key: "a" })).toEqual(made);
    const reused = parts.create({ code: "z" }, { key: "a" });
    await expect(reused).rejects.toMatchObject({ code: "key_reused" });
    const { receipt_number: receipt } = made;
    expect((await parts.get(receipt)).id).toBe(made.id);
    const more = () => parts.update(receipt, ({ data }) => ({ count: Number(data["count"]) + 1 }));
    await Promise.all([more(), more(), more(), more(), more()]);
    expect((await parts.get(made.id)).data["count"]).toBe(6);
    const named = () => parts.update(made.id, { name: "A" }, { key: "b" });
    expect((await named()).item?.data["name"]).toBe("A");
    expect((await named()).item?.version).toBe(7);
    const late = parts.update(made.id, { name: "B" }, { ifMatch: made.etag });
    await expect(late).rejects.toMatchObject({ code: "version_mismatch", status: 412 });
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
    `${creates} creates through every kind of failure: none lost, none doubled`,
    async () => {
      await client.request("PUT", "/apps/hard/schema", { body: { fields } });
      const between = new FailingService(forwardTo(server.url), 11_000);
      // Every fifth request fails, each kind as often as the others.
      between.faults = (index) =>
        index % 5 === 0 ? faults[(index / 5) % faults.length] : undefined;
      const options = { url: await between.start(), token, retries: 20, timeout: 10_000 };
      const hard = new EdgeForms({ ...options, concurrency: 32 }).records("hard");
      const codes = Array.from({ length: creates }, (_, index) => `h${index}`);
      const made = await Promise.all(codes.map((code) => hard.create({ code })));
      await between.stop();
      expect(made.map(({ data }) => data["code"])).toEqual(codes);
      const stored = await client.records("hard").list().toArray();
      expect(stored.map(({ id }) => id).toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    },
    60_000 + creates * 100,
  );

  it("tells every field that is wrong, named as it was sent", async () => {
    const parts = client.records("parts");
    const at = (key: string) => ({ field: key, pointer: `/data/${key}` });
    const errors = [at("count"), at("zz")];
    const wrong = { code: "w", count: "x", zz: 1 };
    await expect(parts.create(wrong)).rejects.toMatchObject({ code: "invalid_input", errors });
    await expect(parts.upsert("code", wrong)).rejects.toMatchObject({ errors });
    const failed = client
      .records("nothing")
      .get("x")
      .catch((thrown) => thrown);
    expect((await failed).requestId).toMatch(/\S/);
  });

  it("walks lists, searches and changes, and resumes from a kept cursor", async () => {
    await client.request("PUT", "/apps/walked/schema", { body: { fields } });
    const walked = client.records("walked");
    const codes = Array.from({ length: 230 }, (_, index) => `c${index}`);
    const now = walked.changes({ cursor: "now" });
    expect(await now.toArray()).toEqual([]);
    const operations = codes.map((code) => ({ op: "create", data: { code } }) as const);
    const results = await walked.batch(operations, { items: true });
    expect(results.map(({ item }) => item?.data["code"])).toEqual(codes);
    const seen = new Set<unknown>();
    const list = walked.list({ limit: 50 });
    for await (const { data } of list) {
      seen.add(data["code"]);
      if (seen.size === 120) break;
    }
    for await (const { data } of walked.list({ cursor: list.cursor })) seen.add(data["code"]);
    expect([...seen]).toEqual(codes);
    const conditions = [{ field: "code", op: "starts_with", value: "c1" }];
    const search = { conditions, sort: [{ field: "code" }] };
    expect(await walked.search(search, { limit: 10 }).toArray()).toHaveLength(111);
    const changes = walked.changes({ cursor: now.cursor, limit: 100 });
    expect((await changes.toArray()).map(({ id }) => id)).toEqual(results.map(({ id }) => id));
    const first = results[0]?.id ?? "";
    for (const name of ["1", "2"]) await walked.update(first, { name });
    const { cursor } = changes;
    expect(await walked.changes({ cursor }).toArray()).toHaveLength(1);
    expect(await walked.changes({ cursor, all: true, limit: 1 }).toArray()).toHaveLength(2);
    await changes.toArray();
    const controller = new AbortController();
    const { signal } = controller;
    setTimeout(() => void walked.update(first, { name: "later" }), 100);
    const followed = walked.changes({ cursor: changes.cursor, every: 50, signal });
    for await (const { item } of followed) {
      expect(item?.data["name"]).toBe("later");
      break;
    }
  });

  it("an API client's access token is fetched by itself", async () => {
    const issued: unknown = await server.credential("--kind", "client");
    const { client_id: clientId, client_secret: clientSecret } = issued as Record<string, string>;
    const credentials = { clientId: clientId ?? "", clientSecret: clientSecret ?? "" };
    const own = new EdgeForms({ url: server.url, credentials });
    expect(await own.request("GET", "/me")).toMatchObject({ kind: "client" });
  });

  it("verifies what the service delivers", async () => {
    while (deliveries.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const [{ headers, body } = { headers: {}, body: "" }] = deliveries;
    const event: WebhookEvent = await verifyWebhook({ secret, headers, body });
    expect([event.type, event.data.type]).toEqual(["record.created", "created"]);
    const forged = verifyWebhook({ secret, headers, body: "{}" });
    await expect(forged).rejects.toMatchObject({ code: "invalid_webhook" });
  });

  it("the package has no more than it needs, at most 8 KB; it installs, runs and compiles strictly", async () => {
    const home = join(project, "packages/client");
    await run("node", [join(home, "build.ts")]);
    const entryPoints = [join(home, "dist/index.js")];
    const bundled = await build({
      entryPoints,
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    });
    expect(gzipSync(bundled.outputFiles[0]?.contents ?? "").length).toBeLessThanOrEqual(8192);
    const empty = join(server.folder, "empty");
    mkdirSync(empty);
    const packed = await run("npm", ["pack", "--json", "--pack-destination", empty], { cwd: home });
    const printed: unknown = JSON.parse(packed.stdout);
    const [pack] = Object.values(printed as object) as {
      filename: string;
      files: { path: string }[];
    }[];
    const outside = pack?.files
      .map(({ path }) => path)
      .filter((path) => !/^dist\/(command\/[\w-]+|[\w-]+(\.d)?)\.[jt]s$/.test(path));
    expect(outside?.toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
    writeFileSync(join(empty, "package.json"), '{ "private": true, "type": "module" }');
    await run("npm", ["i", "--offline", "--no-audit", join(empty, pack?.filename ?? "")], {
      cwd: empty,
    });
    const bin = join(empty, "node_modules/.bin/edge-forms");
    expect((await run(bin, ["--help"])).stdout).toContain("edge-forms plan");
    await generateTypes(empty);
    writeFileSync(join(empty, "use.ts"), program(readFileSync(join(home, "README.md"), "utf8")));
    writeFileSync(
      join(empty, "tsconfig.json"),
      JSON.stringify({ compilerOptions: strict, files: ["use.ts"] }),
    );
    for (const compiler of ["node_modules", "test/clients/node_modules"]) {
      const tsc = join(project, compiler, "typescript/bin/tsc");
      const compiled = await run("node", [tsc, "-p", empty]).catch(
        (error) => error as { stdout: string },
      );
      expect(compiled.stdout).toBe("");
    }
    const env = { ...process.env, URL: server.url, TOKEN: token };
    const { stdout } = await run("node", ["use.ts"], { cwd: empty, env });
    expect(stdout).toBe("typed a\n");
  });

  /** As the README says. */
  async function generateTypes(folder: string): Promise<void> {
    const query = { apps: "spare-parts_2,parts", forms: "asks" };
    const document = await client.request("GET", "/openapi.json", { query });
    writeFileSync(join(folder, "forms.json"), JSON.stringify(document));
    const generator = join(project, "test/clients/node_modules/.bin/openapi-typescript");
    await run(generator, [join(folder, "forms.json"), "-o", join(folder, "forms.ts")]);
  }
});

const strict = {
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

/** Typed by the form's document: what is commented as an error has to be one. */
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
    const untyped = new EdgeForms(options).records("spare-parts_2");
    const item: RecordItem = await untyped.get((await parts.create({ code: "u" })).id);
    item.data["anything"];
    console.log(String(code));
  `;
}
