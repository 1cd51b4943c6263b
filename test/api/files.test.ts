import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { answerOf, host, root, type Client, type Json } from "../support/client";
import { conforms } from "../support/conformance";
import {
  announce,
  announcement,
  codesOf,
  download,
  open,
  pdf,
  putContent,
  sha256,
  upload,
} from "../support/files";
import { homeDb } from "../support/databases";
import { as, join } from "../support/members";
import { serve } from "../support/serve";
import { admin, client, issue, makeApp, makeForm } from "../support/service";

let owner: Client;
let form: string;
let collection: string;

const fields = [
  { key: "title", type: "text" },
  { key: "invoices", type: "files", max_files: 3, accept: ["application/pdf", "image/*"] },
  { key: "photos", type: "files" },
];

beforeAll(async () => {
  owner = await client();
  form = await makeForm(owner, fields);
  collection = `form:${form}`;
});

afterEach(() => vi.useRealTimers());

const create = (data: object, caller = owner, headers = {}) =>
  caller.post(`/forms/${form}/submissions`, { data }, headers);

async function createWith(...invoices: string[]): Promise<Json> {
  const answer = await create({ invoices });
  expect([answer.status, answer.text]).toMatchObject([201, expect.any(String)]);
  return answer.body;
}

const idsOf = (item: Json) => item.data.invoices.map(({ id }: Json) => id);

describe("Attachments", () => {
  it("returns 400 or 415 to a part of the content or an encoded one, and stores nothing", async () => {
    const { id } = await announce(owner, collection);
    const path = `/files/${id}/content`;
    const put = (headers: Record<string, string>) => owner.put(path, pdf(), headers);
    const part = await put({ "Content-Range": `bytes 0-11/${pdf().length}` });
    expect([part.status, part.body.code, part.body.header]).toEqual([
      400,
      "malformed_header",
      "Content-Range",
    ]);
    const encoded = await put({ "Content-Encoding": "gzip" });
    expect([encoded.status, encoded.headers.get("Accept-Encoding")]).toEqual([415, "identity"]);
    expect(codesOf(await create({ invoices: [id] }))).toEqual(["file_incomplete"]);
    expect((await put({ "Content-Encoding": "identity" })).status).toBe(200);
    const missing = "/files/fil_01KAHV3M4E7XQ2R5T8W9YZB6CD/content";
    const unknown = await owner.put(missing, pdf(), { "Content-Range": "bytes 0-1/2" });
    expect(unknown.status).toBe(404);
  });

  it("are announced, stored, attached and downloaded", async () => {
    const bytes = pdf();
    const id = await upload(owner, collection, bytes);
    const created = await create({ invoices: [id] });
    expect([created.status, created.body.data?.invoices]).toEqual([
      201,
      [
        {
          id,
          name: "a.pdf",
          content_type: "application/pdf",
          bytes: bytes.length,
          sha256: sha256(bytes),
          links: { content: `${root}/files/${id}/content` },
        },
      ],
    ]);
    const read = await owner.get(`/submissions/${created.body.id}`);
    expect(read.body.data).toEqual(created.body.data);
    const downloaded = await download(owner, id);
    expect(downloaded.status).toBe(200);
    expect(new Uint8Array(await downloaded.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(downloaded.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="a.pdf"; filename*=UTF-8''a.pdf`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
      "repr-digest": `sha-256=:${Buffer.from(sha256(bytes), "hex").toString("base64")}:`,
      "accept-ranges": "bytes",
      etag: `"${sha256(bytes)}"`,
    });
  });

  it("are described with an ETag, like every single resource", async () => {
    const path = `/files/${await upload(owner, collection)}`;
    const { headers } = await owner.get(path);
    const etag = headers.get("ETag") ?? "";
    expect(etag).toMatch(/^".+"$/);
    const repeated = await owner.get(path, { "If-None-Match": etag });
    expect([repeated.status, repeated.text]).toEqual([304, ""]);
    await createWith(path.slice("/files/".length));
    const attached = await owner.get(path, { "If-None-Match": etag });
    expect([attached.status, attached.headers.get("ETag") === etag]).toEqual([200, false]);
    expect((await owner.get(path, { "If-None-Match": "x" })).status).toBe(400);
  });

  it("are accepted as IDs and as objects, whose other members are ignored", async () => {
    const [one, two] = [await upload(owner, collection), await upload(owner, collection, pdf("2"))];
    const { body } = await create({ invoices: [one, { id: two, name: "other.exe", bytes: 1 }] });
    expect(body.data.invoices.map(({ name }: Json) => name)).toEqual(["a.pdf", "a.pdf"]);
    const again = await owner.patch(`/submissions/${body.id}`, { data: body.data });
    expect([again.status, again.body.version]).toEqual([200, 1]);
  });

  it("return 422 with a code for each reason", async () => {
    const stranger = await client();
    const app = await makeApp(owner, fields);
    const text = new TextEncoder().encode("plain text");
    const ids = {
      nothing: "fil_01KAHV3M4E7XQ2R5T8W9YZB6CD",
      malformed: "nonsense",
      ofAnother: await upload(stranger, collection),
      ofAnotherCollection: await upload(owner, `app:${app}`),
      incomplete: (await announce(owner, collection)).id as string,
      text: await upload(owner, collection, text),
      used: await upload(owner, collection),
    };
    await createWith(ids.used);
    const outcome = async (...invoices: unknown[]) => {
      const answer = await create({ invoices });
      return [answer.status, ...codesOf(answer)];
    };
    expect(await outcome(ids.nothing)).toEqual([422, "unknown_file"]);
    expect(await outcome(ids.malformed)).toEqual([422, "unknown_file"]);
    expect(await outcome(ids.ofAnother)).toEqual([422, "unknown_file"]);
    expect(await outcome(ids.ofAnotherCollection)).toEqual([422, "unknown_file"]);
    expect(await outcome(ids.incomplete)).toEqual([422, "file_incomplete"]);
    expect(await outcome(ids.text)).toEqual([422, "not_accepted"]);
    expect(await outcome(ids.used)).toEqual([422, "file_in_use"]);
    expect(await outcome(7, { name: "x" })).toEqual([422, "invalid_type", "invalid_type"]);
    for (const entry of [7, null, {}, { id: 7 }, []])
      expect([entry, ...(await outcome(entry))]).toEqual([entry, 422, "invalid_type"]);
    expect(await outcome("a", "b", "c", "d")).toEqual([422, "too_many_files"]);
    const photo = await create({ photos: [await upload(owner, collection)] });
    expect([photo.status, ...codesOf(photo)]).toEqual([422, "unknown_file"]);
    const twice = await upload(owner, collection);
    const both = await create({ invoices: [twice, twice] });
    expect([both.status, both.body.errors[0].field]).toEqual([422, "invoices[1]"]);
    const notList = await create({ invoices: "x" });
    expect([notList.status, ...codesOf(notList)]).toEqual([422, "invalid_type"]);
  });

  it("are the same for a replay, and stay free after `validate`", async () => {
    const id = await upload(owner, collection);
    const valid = await owner.post(`/forms/${form}/submissions/validate`, {
      data: { invoices: [id] },
    });
    expect([valid.status, valid.body.data?.invoices[0].id]).toEqual([200, id]);
    const key = { "Idempotency-Key": "with-files" };
    const first = await create({ invoices: [id] }, owner, key);
    const replay = await create({ invoices: [id] }, owner, key);
    expect([first.status, replay.status]).toEqual([201, 201]);
    expect(replay.body).toEqual(first.body);
    expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
  });

  it("belong to one item, which can give them up and take them back", async () => {
    const [one, two] = [await upload(owner, collection), await upload(owner, collection)];
    const item = await createWith(one, two);
    const path = `/submissions/${item.id}`;
    const removed = await owner.patch(path, { data: { invoices: [two] } });
    expect(idsOf(removed.body)).toEqual([two]);
    expect((await download(owner, one)).status).toBe(404);
    const other = await create({ invoices: [one] });
    expect([other.status, ...codesOf(other)]).toEqual([422, "file_in_use"]);
    const restored = await owner.patch(path, { data: { invoices: [two, one] } });
    expect([restored.status, idsOf(restored.body)]).toEqual([200, [two, one]]);
    expect((await download(owner, one)).status).toBe(200);
  });

  it("attach in batches, where two items cannot take one file", async () => {
    const [one, two] = [await upload(owner, collection), await upload(owner, collection)];
    const path = `/forms/${form}/submissions/batch`;
    const item = await createWith();
    const operations = [
      { op: "create", data: { invoices: [one] } },
      { op: "update", id: item.id, data: { invoices: [one] } },
    ];
    const conflict = await owner.post(path, { operations });
    expect([conflict.status, ...codesOf(conflict)]).toEqual([422, "file_in_use"]);
    expect(conflict.body.errors).toMatchObject([
      { field: "invoices[0]", pointer: "/operations/1/data/invoices/0" },
    ]);
    const batch = await owner.post(`${path}?return=representation`, {
      operations: [
        { op: "create", data: { invoices: [one] } },
        { op: "update", id: item.id, data: { invoices: [two] } },
        { op: "update", id: item.id, data: { invoices: [] } },
      ],
    });
    expect([batch.status, batch.text]).toMatchObject([200, expect.any(String)]);
    expect(batch.body.results[0].item.data.invoices[0].links.content).toMatch(/^https:/);
    expect((await download(owner, one)).status).toBe(200);
    const rows = await env.DB.prepare("select id, item, detached from file where id in (?, ?)")
      .bind(one, two)
      .all<Json>();
    expect(rows.results.every((row) => row.item !== null)).toBe(true);
    expect(rows.results.find(({ id }) => id === two)?.detached).not.toBeNull();
  });

  it("are found by is_empty, counted, listed, and shown in changes and downloads", async () => {
    const app = await makeApp(owner, fields);
    const items = `/apps/${app}/records`;
    const id = await upload(owner, `app:${app}`);
    const { body: item } = await owner.post(items, { data: { invoices: [id] } });
    await owner.post(items, { data: {} });
    const search = (value: boolean) =>
      owner.post(`${items}/search`, { conditions: [{ field: "invoices", op: "is_empty", value }] });
    expect((await search(false)).body.items).toEqual([item]);
    expect((await search(true)).body.items).toHaveLength(1);
    const counted = await owner.post(`${items}/aggregate`, {
      metrics: { filled: { op: "count", field: "invoices" } },
    });
    expect(counted.body.groups[0].metrics).toEqual({ filled: 1 });
    expect((await owner.get(`${items}?limit=1`)).body.items).toEqual([item]);
    const changes = await owner.get(`/apps/${app}/changes`);
    expect(changes.body.items[0].item).toEqual(item);
    const lines = await owner.get(items, { Accept: "application/x-ndjson" });
    expect(JSON.parse(lines.text.split("\n")[0] ?? "")).toEqual(item);
    const sheet = await owner.get(items, { Accept: "text/csv; profile=spreadsheet" });
    expect(sheet.text).toContain(`a.pdf (${id})`);
    const csv = await owner.get(items, { Accept: "text/csv" });
    expect(csv.text).toContain(id);
  });

  it("have names without folders, which no header interprets", async () => {
    const name = '../..\\etc/"a\r\nb"é.pdf';
    const id = await upload(owner, collection, pdf(), name);
    await createWith(id);
    const answer = await download(owner, id);
    expect(answer.headers.get("Content-Disposition")).toBe(
      `attachment; filename="_ab__.pdf"; filename*=UTF-8''%22ab%22%C3%A9.pdf`,
    );
    const bad = await owner.post("/files", announcement(collection, pdf(), "../"));
    expect([bad.status, ...codesOf(bad)]).toEqual([422, "invalid_format"]);
  });
});

describe("Announcing a file", () => {
  it("returns every error at once", async () => {
    const bad = { collection, field: "title", name: "", bytes: 0, sha256: "x", more: 1 };
    const answer = await owner.post("/files", bad);
    expect([answer.status, codesOf(answer).length]).toEqual([422, 5]);
    const large = await owner.post("/files", {
      ...announcement(collection, pdf()),
      bytes: 90_000_001,
    });
    expect([large.status, ...codesOf(large)]).toEqual([422, "too_large"]);
  });

  it("returns 404 for a collection that the credential cannot see, like one that does not exist", async () => {
    const narrow = await client({ resources: ["app:other"] });
    const answers = [
      await narrow.post("/files", announcement(collection, pdf())),
      await narrow.post("/files", announcement("form:nothing", pdf())),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });

  it("needs the permission of the collection's kind", async () => {
    const records = await client({ permissions: ["records:write"] });
    const answer = await records.post("/files", announcement(collection, pdf()));
    expect([answer.status, answer.body.required_permission]).toEqual([403, "submissions:create"]);
  });

  it("returns 413 when files that are not attached would exceed 1 GB, also for simultaneous requests", async () => {
    const hoarder = await client();
    const large = { ...announcement(collection, pdf()), bytes: 90_000_000 };
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => hoarder.post("/files", large)),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array<number>(11).fill(201), ...Array<number>(3).fill(413)]);
    const small = await hoarder.post("/files", { ...large, bytes: 10_000_001 });
    expect(small.status).toBe(413);
    const [first] = answers.filter(({ status }) => status === 201);
    expect((await hoarder.delete(`/files/${first?.body.id}`)).status).toBe(204);
    expect((await hoarder.post("/files", large)).status).toBe(201);
  });
});

describe("The content of a file", () => {
  it("must have the announced length and digest", async () => {
    const { id } = await announce(owner, collection, pdf("right"));
    const wrong = await putContent(owner, id, pdf("wrong"));
    expect([wrong.status, ...codesOf(wrong)]).toEqual([422, "digest_mismatch"]);
    const long = await putContent(owner, id, pdf("right and more"));
    expect([long.status, ...codesOf(long)]).toEqual([422, "digest_mismatch"]);
    const none = await putContent(owner, id, "");
    expect([none.status, ...codesOf(none)]).toEqual([422, "digest_mismatch"]);
    const right = await putContent(owner, id, pdf("right"));
    expect([right.status, right.body.content_type]).toEqual([200, "application/pdf"]);
    const again = await putContent(owner, id, pdf("right"));
    expect(again.status).toBe(200);
  });

  it("may arrive in chunks of unknown length", async () => {
    const { id } = await announce(owner, collection, pdf("chunks"));
    const send = (...parts: string[]) => {
      const body = new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
          controller.close();
        },
      });
      const headers = { Authorization: `Bearer ${owner.bearer}` };
      const init = { method: "PUT", headers, body, duplex: "half" };
      return exports.default.fetch(new Request(`${root}/files/${id}/content`, init));
    };
    expect((await send("%PDF-1.7\n", "chu")).status).toBe(422);
    expect((await send("%PDF-1.7\n", "chunks", "more")).status).toBe(422);
    expect((await send("%PDF-1.7\n", "chunks")).status).toBe(200);
  });

  it("is stored by the credential that announced it, and counts as a write", async () => {
    const stranger = await client();
    const { id } = await announce(owner, collection);
    const foreign = await putContent(stranger, id, pdf());
    expect(foreign.status).toBe(404);
    const own = await putContent(owner, id, pdf());
    expect(own.headers.get("RateLimit")).toContain('"write"');
  });

  it("returns 422 when it does not arrive in time, and can be sent again", async () => {
    const bytes = pdf("slow");
    const { id } = await announce(owner, collection, bytes);
    const headers = { Authorization: `Bearer ${owner.bearer}` };
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(bytes.subarray(0, 3)),
    });
    const request = new Request(`${root}/files/${id}/content`, { method: "PUT", headers, body });
    const answer = await serve(request, { TIMEOUTS: { uploadMs: 50 } });
    const problem = await answer.json<Json>();
    expect([answer.status, problem.errors[0].code]).toEqual([422, "digest_mismatch"]);
    expect(await env.FILES.head(id)).toBeNull();
    expect((await putContent(owner, id, bytes)).status).toBe(200);
  });

  it("is sent in ranges, and not again to those who have it", async () => {
    const bytes = pdf("0123456789");
    const id = await upload(owner, collection, bytes);
    await createWith(id);
    const text = new TextDecoder().decode(bytes);
    const part = async (range: string, more = {}) => {
      const answer = await download(owner, id, { Range: range, ...more });
      return [answer.status, answer.headers.get("Content-Range"), await answer.text()];
    };
    const size = bytes.length;
    expect(await part("bytes=9-11")).toEqual([206, `bytes 9-11/${size}`, "012"]);
    expect(await part("bytes=-2")).toEqual([206, `bytes ${size - 2}-${size - 1}/${size}`, "89"]);
    expect(await part(`bytes=${size - 1}-`)).toMatchObject([206, expect.anything(), "9"]);
    expect(await part("bytes=0-1,3-4")).toEqual([200, null, text]);
    expect(await part("bytes=9-11", { "If-Range": '"other"' })).toEqual([200, null, text]);
    const behind = await owner.get(`/files/${id}/content`, { Range: `bytes=${size}-` });
    expect([behind.status, behind.body.code, behind.headers.get("Content-Range")]).toEqual([
      416,
      "range_not_satisfiable",
      `bytes */${size}`,
    ]);
    const etag = `"${sha256(bytes)}"`;
    const known = await download(owner, id, { "If-None-Match": etag });
    expect([known.status, await known.text()]).toEqual([304, ""]);
    const head = await download(owner, id, {}, "HEAD");
    expect([head.status, head.headers.get("Content-Length"), await head.text()]).toEqual([
      200,
      String(size),
      "",
    ]);
  });

  it("returns 404 before it is attached, and after its item is gone", async () => {
    const id = await upload(owner, collection);
    expect((await owner.get(`/files/${id}/content`)).status).toBe(404);
    expect((await owner.get(`/files/${id}`)).body).toMatchObject({ id, item: null });
    const item = await createWith(id);
    expect((await owner.get(`/files/${id}`)).body).toMatchObject({ id, item: item.id });
    expect((await owner.delete(`/submissions/${item.id}`)).status).toBe(204);
    expect((await owner.get(`/files/${id}/content`)).status).toBe(404);
    expect((await owner.get(`/files/${id}`)).status).toBe(404);
  });

  it("returns 404 through a view that hides the field or the item", async () => {
    const views = [
      { key: "titles", name: "Titles", fields: ["title"] },
      {
        key: "red",
        name: "Red",
        conditions: [{ field: "title", op: "eq", value: "red" }],
      },
    ];
    const viewed = await makeForm(owner, fields, { views });
    const file = async (title: string) => {
      const id = await upload(owner, `form:${viewed}`);
      await owner.post(`/forms/${viewed}/submissions`, { data: { title, invoices: [id] } });
      return id;
    };
    const [red, blue] = [await file("red"), await file("blue")];
    const permissions = ["submissions:read", "submissions:write"];
    const titles = await client({ resources: [`form:${viewed}/titles`], permissions });
    const reds = await client({ resources: [`form:${viewed}/red`], permissions });
    const statuses = [titles, reds].map((caller) =>
      Promise.all([red, blue].map(async (id) => (await download(caller, id)).status)),
    );
    expect(await Promise.all(statuses)).toEqual([
      [404, 404],
      [200, 404],
    ]);
    const hidden = await titles.post("/files", announcement(`form:${viewed}`, pdf()));
    expect([hidden.status, ...codesOf(hidden)]).toEqual([422, "unknown_field"]);
  });

  it("lists its methods and headers to browsers", async () => {
    const origin = "https://shop.example";
    const headers = { Origin: origin, "Access-Control-Request-Method": "PUT" };
    const request = new Request(`${root}/files/fil_x/content`, { method: "OPTIONS", headers });
    const preflight = await exports.default.fetch(request);
    expect(preflight.headers.get("Access-Control-Allow-Methods")).toBe("PUT, GET");
    expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("Range");
    const shop = await client({ origins: [origin] });
    const id = await upload(shop, collection);
    await create({ invoices: [id] }, shop);
    const answer = await download(shop, id, { Origin: origin });
    expect(answer.headers.get("Access-Control-Expose-Headers")).toContain("Repr-Digest");
    await answer.arrayBuffer();
  });
});

describe("Deleting a file", () => {
  it("works until it is attached, for the credential that uploaded it", async () => {
    const stranger = await client();
    const id = await upload(owner, collection);
    expect((await stranger.delete(`/files/${id}`)).status).toBe(404);
    expect((await owner.delete(`/files/${id}`)).status).toBe(204);
    expect((await owner.delete(`/files/${id}`)).status).toBe(404);
    expect(codesOf(await create({ invoices: [id] }))).toEqual(["unknown_file"]);
    const used = await upload(owner, collection);
    await createWith(used);
    const refused = await owner.delete(`/files/${used}`);
    expect([refused.status, ...codesOf(refused)]).toEqual([422, "file_in_use"]);
  });
});

describe("A link to a file", () => {
  const linkTo = async (id: string, caller = owner): Promise<Json> => {
    const answer = await caller.post(`/files/${id}/link`, undefined);
    expect([answer.status, answer.text]).toMatchObject([200, expect.any(String)]);
    return answer.body;
  };
  const attached = async () => {
    const id = await upload(owner, collection);
    return { id, item: await createWith(id) };
  };

  it("works without a credential for at most one hour", async () => {
    const { id } = await attached();
    const { url, expires_at } = await linkTo(id);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(60 * 60_000);
    const answer = await open(url);
    expect([answer.status, new Uint8Array(await answer.arrayBuffer())]).toEqual([200, pdf()]);
    expect(answer.headers.get("Content-Security-Policy")).toContain("sandbox");
  });

  it("returns what the document says, without the limits of a credential", async () => {
    const { id } = await attached();
    const { url } = await linkTo(id);
    const cases: [string, Record<string, string>, number][] = [
      [url, {}, 200],
      [url, { Range: "bytes=0-1" }, 206],
      [url, { Range: "bytes=900-" }, 416],
      [`${url}x`, {}, 404],
    ];
    for (const [address, headers, status] of cases) {
      const request = new Request(address, { headers });
      const answer = await answerOf(await exports.default.fetch(request));
      expect([status, answer.headers.get("RateLimit")]).toEqual([answer.status, null]);
      await conforms("GET", address, answer);
    }
    const { paths } = (await owner.get("/openapi.json")).body;
    expect(paths["/files/{id}/content"].get.security).toContainEqual({});
  });

  it("returns 404 when it was changed, or is for another file", async () => {
    const [{ id }, other] = [await attached(), await attached()];
    const { url } = await linkTo(id);
    const [, text] = (url as string).split("link=");
    expect((await open(`${host}/api/v1/files/${other.id}/content?link=${text}`)).status).toBe(404);
    expect((await open(`${url}x`)).status).toBe(404);
    expect((await open((url as string).slice(0, -1))).status).toBe(404);
  });

  it("ends after exactly one hour", async () => {
    const { id } = await attached();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const { url, expires_at } = await linkTo(id);
    const statusAt = async (time: number) => {
      vi.setSystemTime(time);
      return (await open(url)).status;
    };
    const end = Date.parse(expires_at);
    expect([await statusAt(end - 1), await statusAt(end), await statusAt(end + 1)]).toEqual([
      200, 404, 404,
    ]);
  });

  it("ends when the credential expires, or when its member is removed", async () => {
    const [{ id }, { Client: ApiClient }] = [await attached(), await import("../support/client")];
    const member = await join("editor");
    const call = as(member.cookie);
    const choice = { name: "Mine", permissions: ["submissions:read"], resources: "all" };
    const issued = await call("POST", "/integrations", {
      kind: "token",
      expires: "30d",
      ...choice,
    });
    const expiring = await issue({ expires: "30d" });
    const urls = [
      (await linkTo(id, new ApiClient(issued.body.token))).url,
      (await call("POST", `/files/${id}/link`, {})).body.url,
      (await linkTo(id, new ApiClient(expiring.token))).url,
    ];
    const statuses = () => Promise.all(urls.map(async (url) => (await open(url)).status));
    expect(await statuses()).toEqual([200, 200, 200]);
    await admin("POST", `/members/${member.id}`, { disabled: "true" });
    expect(await statuses()).toEqual([404, 404, 200]);
    const expire = "UPDATE credential SET expires_at = ? WHERE id = ?";
    await homeDb
      .prepare(expire)
      .bind(Date.now() - 1, expiring.id)
      .run();
    expect(await statuses()).toEqual([404, 404, 404]);
  });

  it("ends when the item is erased, and when its form is deleted", async () => {
    const [first, second] = [await attached(), await attached()];
    const urls = [(await linkTo(first.id)).url, (await linkTo(second.id)).url];
    const statuses = () => Promise.all(urls.map(async (url) => (await open(url)).status));
    await admin("POST", `/forms/${form}/items/${first.item.id}/erase`, {});
    expect(await statuses()).toEqual([404, 200]);
    await admin("POST", `/forms/${form}/delete`, { confirm: form });
    expect(await statuses()).toEqual([404, 404]);
    const { items } = (await admin("GET", "/deleted")).body;
    const { id } = items.find(({ key }: Json) => key === form);
    await admin("POST", `/deleted/${id}/restore`, {});
  });

  it("dies with the item, the file and the rights of the credential", async () => {
    const issued = await issue();
    const { Client: ApiClient } = await import("../support/client");
    const reader = new ApiClient(issued.token);
    const first = await attached();
    const second = await attached();
    const links = [await linkTo(first.id, reader), await linkTo(second.id, reader)];
    const statuses = () => Promise.all(links.map(async ({ url }) => (await open(url)).status));
    expect(await statuses()).toEqual([200, 200]);
    await owner.patch(`/submissions/${first.item.id}`, { data: { invoices: [] } });
    expect(await statuses()).toEqual([404, 200]);
    const narrow = { permissions: ["records:read"] };
    await admin("POST", `/integrations/${issued.id}`, narrow);
    expect(await statuses()).toEqual([404, 404]);
    await admin("POST", `/integrations/${issued.id}`, { permissions: ["submissions:read"] });
    expect(await statuses()).toEqual([404, 200]);
    await admin("POST", `/integrations/${issued.id}/revoke`);
    expect(await statuses()).toEqual([404, 404]);
  });
});
