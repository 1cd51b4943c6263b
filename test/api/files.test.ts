import { beforeAll, describe, expect, it } from "vitest";
import { createHash } from "node:crypto";
import { exports } from "cloudflare:workers";
import { host, type Client, type Json } from "../support/client";
import { client, makeForm } from "../support/service";

let owner: Client;
let form: string;

beforeAll(async () => {
  owner = await client();
  form = await makeForm(owner, [
    { key: "title", type: "text" },
    { key: "invoices", type: "files", max_files: 3, accept: ["application/pdf", "image/*"] },
  ]);
});

const pdf = (text = "one") => new TextEncoder().encode(`%PDF-1.7\n${text}`);
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const announcement = (bytes: Uint8Array, name = "a.pdf") => ({
  collection: `form:${form}`,
  field: "invoices",
  name,
  bytes: bytes.length,
  sha256: sha256(bytes),
});

async function upload(bytes = pdf(), caller = owner, name = "a.pdf"): Promise<Json> {
  const announced = await caller.post("/files", announcement(bytes, name));
  expect([announced.status, announced.text]).toMatchObject([201, expect.any(String)]);
  const stored = await put(announced.body.id, bytes, caller);
  expect([stored.status, stored.text]).toMatchObject([200, expect.any(String)]);
  return announced.body;
}

const put = (id: string, bytes: Uint8Array | string, caller = owner) =>
  caller.put(`/files/${id}/content`, bytes, { "Content-Type": "application/octet-stream" });

const content = (id: string, headers: Record<string, string> = {}, caller = owner) =>
  exports.default.fetch(
    new Request(`${host}/api/v1/files/${id}/content`, {
      headers: { Authorization: `Bearer ${caller.bearer}`, ...headers },
    }),
  );

describe("Files", () => {
  it("are announced, stored, attached and downloaded", async () => {
    const bytes = pdf();
    const { id } = await upload(bytes);
    const created = await owner.post(`/forms/${form}/submissions`, { data: { invoices: [id] } });
    expect([created.status, created.body.data?.invoices]).toEqual([
      201,
      [
        {
          id,
          name: "a.pdf",
          content_type: "application/pdf",
          bytes: bytes.length,
          sha256: sha256(bytes),
          links: { content: `${host}/api/v1/files/${id}/content` },
        },
      ],
    ]);
    const read = await owner.get(`/submissions/${created.body.id}`);
    expect(read.body.data).toEqual(created.body.data);
    const downloaded = await content(id);
    expect(downloaded.status).toBe(200);
    expect(new Uint8Array(await downloaded.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(downloaded.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
  });
});
