import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { request } from "../mcp/mcp-client";
import { host, type Client } from "../support/client";
import { client, freshKey, makeApp } from "../support/service";

const maxBytes = 1024 * 1024;
const gzip = { "Content-Encoding": "gzip" };
const zip = (text: string) => new Uint8Array(gzipSync(text));
/** A body of exactly this many bytes. */
const bodyOf = (size: number) => {
  const body = { data: { note: "x" } };
  return JSON.stringify(body) + " ".repeat(size - JSON.stringify(body).length);
};

describe("Bodies with Content-Encoding: gzip", () => {
  let integrator: Client;
  let records: string;
  beforeAll(async () => {
    integrator = await client();
    const app = await makeApp(integrator, [{ key: "note", type: "text" }]);
    records = `/apps/${app}/records`;
  });
  const create = (body: Uint8Array, headers: Record<string, string> = gzip) =>
    integrator.post(records, body, headers);

  it("are decompressed in every kind of request", async () => {
    const created = await create(zip('{"data":{"note":"packed"}}'));
    expect([created.status, created.body.data.note]).toEqual([201, "packed"]);
    const path = `${records}/${created.body.id}`;
    const patch = await integrator.patch(path, zip('{"data":{"note":"again"}}'), {
      "Content-Encoding": " GZip ",
    });
    expect(patch.body.data.note).toBe("again");
    const conditions = [{ field: "note", op: "eq", value: "again" }];
    const search = zip(JSON.stringify({ conditions }));
    const found = await integrator.post(`${records}/search`, search, {
      "Content-Encoding": "x-gzip",
    });
    expect(found.body.items).toHaveLength(1);
    const operations = [{ op: "create", data: { note: "batch" } }];
    const batch = await integrator.post(
      `${records}/batch`,
      zip(JSON.stringify({ operations })),
      gzip,
    );
    expect(batch.status).toBe(200);
    const definition = zip(JSON.stringify({ fields: [] }));
    const put = await integrator.put(`/forms/${freshKey("form")}/schema`, definition, gzip);
    expect(put.status).toBe(201);
    const { body, headers } = request("tools/call", { name: "list_apps", arguments: {} });
    const message = zip(JSON.stringify(body));
    const tool = await integrator.send("POST", `${host}/mcp`, message, { ...headers, ...gzip });
    expect([tool.status, tool.body.result.isError]).toEqual([200, undefined]);
  });

  it("replay the same result as the same body without compression", async () => {
    const key = { "Idempotency-Key": freshKey("key") };
    const text = '{"data":{"note":"once"}}';
    const first = await create(zip(text), { ...gzip, ...key });
    const second = await integrator.post(records, text, key);
    expect([second.headers.get("Idempotent-Replayed"), second.body.id]).toEqual([
      "true",
      first.body.id,
    ]);
    expect(second.headers.get("Idempotency-Key-Mismatch")).toBe(null);
  });

  it("may have 1 MiB after decompression, and return 413 with one byte more", async () => {
    expect((await create(zip(bodyOf(maxBytes)))).status).toBe(201);
    const answer = await create(zip(bodyOf(maxBytes + 1)));
    expect([answer.status, answer.body.code, answer.body.limit]).toEqual([
      413,
      "too_large",
      maxBytes,
    ]);
  });

  it("return 413 for data that would become very large, also in several members", async () => {
    const bomb = new Uint8Array(gzipSync(new Uint8Array(100_000_000)));
    expect(bomb.length).toBeLessThan(maxBytes);
    expect((await create(bomb)).status).toBe(413);
    const member = gzipSync(" ".repeat(600_000));
    const members = new Uint8Array([...member, ...member, ...member]);
    expect((await create(members)).status).toBe(413);
  });

  it("return 400 for data that is damaged, incomplete or not gzip", async () => {
    const good = zip('{"data":{"note":"x"}}');
    const damaged = good.with(good.length - 6, (good.at(-6) ?? 0) ^ 1);
    const texts = [good.slice(0, -4), damaged, new TextEncoder().encode("{}"), new Uint8Array(1)];
    for (const body of texts) {
      const answer = await create(body);
      expect([answer.status, answer.body.code]).toEqual([400, "malformed_json"]);
    }
    const invalid = await create(zip("{"));
    expect([invalid.status, invalid.body.code]).toEqual([400, "malformed_json"]);
  });

  it("return 415 with Accept-Encoding for any other coding", async () => {
    for (const coding of ["br", "deflate", "gzip, gzip", "zstd"]) {
      const answer = await create(zip("{}"), { "Content-Encoding": coding });
      expect([answer.status, answer.headers.get("Accept-Encoding")]).toEqual([
        415,
        "gzip, identity",
      ]);
    }
  });

  it("return 403 and 404 before they are decompressed", async () => {
    const reader = await client({ permissions: ["records:read"] });
    expect((await reader.post(records, new Uint8Array(3), gzip)).status).toBe(403);
    const missing = await integrator.post("/apps/nowhere/records", new Uint8Array(3), gzip);
    expect(missing.status).toBe(404);
  });
});
