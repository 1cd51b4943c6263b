import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Answer, Client, Json } from "../support/client";
import { host, root } from "../support/client";
import { dataDb } from "../support/databases";
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
import { admin, anonymous, client, makeApp, makeForm } from "../support/service";
import { sized, unsized } from "../support/size";

/** What a caller with a valid credential tries with files that are not its own, or not what they claim to be. */

const fields = [
  { key: "title", type: "text" },
  { key: "invoices", type: "files", max_files: 20 },
];

let owner: Client;
let form: string;
let items: string;
beforeAll(async () => {
  owner = await client();
  form = await makeForm(owner, fields);
  items = `/forms/${form}/submissions`;
});

const bytesOf = (text: string) => new TextEncoder().encode(text);
const newFile = (bytes = pdf(), name = "a.pdf", caller = owner) =>
  upload(caller, `form:${form}`, bytes, name);

async function attached(bytes = pdf(), name = "a.pdf"): Promise<{ id: string; item: string }> {
  const id = await newFile(bytes, name);
  const { status, body } = await owner.post(items, { data: { title: "x", invoices: [id] } });
  expect([status, body.errors]).toEqual([201, undefined]);
  return { id, item: body.id };
}

const html = { Accept: "text/html" };

const call = (method: string, url: string, headers = {}) =>
  exports.default.fetch(new Request(url, { method, headers, redirect: "manual" }));

const without = (body: Json) => ({ ...body, request_id: undefined });

unsized.describe("A malicious name", () => {
  const names = [
    "../../etc/passwd",
    "..\\..\\windows\\win.ini",
    "C:\\autoexec.bat",
    "a\r\nSet-Cookie: session=stolen\r\n\r\n<script>.pdf",
    'a"; filename="evil.exe',
    "a%0d%0aX-Injected: yes.pdf",
    "invoice\u202Efdp.exe",
    "a\u0000.pdf.exe",
    "<img src=x onerror=alert(1)>.png",
    '=HYPERLINK("https://evil.example")',
    "nom\u0301 \u{1F4A9}'();*.pdf",
    ".htaccess",
  ];

  it("reaches no header, path, page or table as more than a name", async () => {
    const sheetApp = await makeApp(owner, fields);
    const invoices = await Promise.all(names.map((name) => newFile(pdf(name), name)));
    const { body: item } = await owner.post(items, { data: { invoices } });
    // oxlint-disable-next-line no-control-regex
    const dangerous = /[/\\\0-\x1f\u202e]|^\.\.?$/;
    expect(item.data.invoices.filter(({ name }: Json) => dangerous.test(name))).toEqual([]);
    for (const id of invoices) {
      const { headers } = await download(owner, id, {}, "HEAD");
      expect(headers.get("Content-Disposition")).toMatch(
        /^attachment; filename="[^"\\%\r\n]*"; filename\*=UTF-8''[\w!#$&+.^`|~%-]+$/,
      );
      expect(headers.get("Set-Cookie") ?? headers.get("X-Injected")).toBeNull();
    }
    const page = await admin("GET", `/forms/${form}/items/${item.id}`, undefined, html);
    expect([page.status, /<(img src=x|script>)/.test(page.text)]).toEqual([200, false]);
    const { objects } = await env.FILES.list();
    expect(objects.every(({ key }) => /^fil_[0-9A-Z]{26}$/.test(key))).toBe(true);
    const id = await upload(owner, `app:${sheetApp}`, pdf(), "=1+1");
    await owner.post(`/apps/${sheetApp}/records`, { data: { invoices: [id] } });
    const sheet = await owner.get(`/apps/${sheetApp}/records`, {
      Accept: "text/csv; profile=spreadsheet",
    });
    expect(sheet.text).toContain(`'=1+1 (${id})`);
  });

  it("in place of an ID is 404, and reads no other object", async () => {
    await env.FILES.put("secret", "nothing for you");
    const { id } = await attached();
    for (const path of [
      "secret",
      "..%2Fsecret",
      `${id}%2F..%2Fsecret`,
      `${id}%00`,
      id.toLowerCase(),
      `${id}%20`,
      "fil_",
      `rec_${id.slice(4)}`,
    ])
      for (const rest of ["", "/content"]) {
        const answer = await owner.get(`/files/${path}${rest}`);
        expect([path, answer.status]).toEqual([path, 404]);
      }
    await env.FILES.delete("secret");
  });
});

unsized.describe("Content that is not what it seems", () => {
  const script = "<script>alert(document.domain)</script>";
  const contents: [string, Uint8Array][] = [
    ["text/html", bytesOf(`<!doctype html>${script}`)],
    ["image/svg+xml", bytesOf(`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`)],
    [
      "image/png",
      Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...bytesOf(script)]),
    ],
    ["image/gif", bytesOf(`GIF89a/*${script}*/=alert(1)`)],
    ["application/pdf", bytesOf(`%PDF-1.7 ${script}`)],
    ["text/plain", bytesOf(`hello ${script}`)],
    [
      "application/xml",
      bytesOf(`<?xml version="1.0"?><x:script xmlns:x="http://www.w3.org/1999/xhtml"/>`),
    ],
  ];

  it("has the type of its first bytes, and cannot run in our origin by any route", async () => {
    for (const [type, bytes] of contents) {
      const { id } = await attached(bytes, "harmless.png");
      const { url } = (await owner.post(`/files/${id}/link`, undefined)).body;
      const page = await admin("GET", `/files/${id}/content`);
      for (const { headers } of [await download(owner, id), await open(url), page]) {
        expect(headers.get("Content-Type")?.split(";")[0]).toBe(type);
        expect(headers.get("Content-Disposition")).toMatch(/^attachment;/);
        expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
        expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'; sandbox;");
      }
    }
  });

  it("is previewed only as a raster image", async () => {
    const shown = async (bytes: Uint8Array) => {
      const { item } = await attached(bytes, "picture.png");
      const page = await admin("GET", `/forms/${form}/items/${item}`, undefined, html);
      return /<img[^>]+files\/fil_/.test(page.text);
    };
    const [page, svg, png] = contents.map(([, bytes]) => bytes);
    expect(await Promise.all([page, svg, png].map((bytes) => shown(bytes ?? pdf())))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

unsized.describe("A file of another credential", () => {
  it("is as unknown as one that does not exist, for every operation", async () => {
    const stranger = await client();
    const missing = "fil_01KAHV3M4E7XQ2R5T8W9YZB6CD";
    const complete = await newFile();
    const { id: incomplete } = await announce(owner, `form:${form}`);
    const { body: item } = await stranger.post(items, { data: {} });
    const operations: ((id: string) => Promise<Answer>)[] = [
      (id) => stranger.get(`/files/${id}`),
      (id) => stranger.get(`/files/${id}/content`),
      (id) => stranger.delete(`/files/${id}`),
      (id) => stranger.post(`/files/${id}/link`, undefined),
      (id) => putContent(stranger, id, pdf()),
      (id) => stranger.post(items, { data: { invoices: [id] } }),
      (id) => stranger.post(`${items}/validate`, { data: { invoices: [id] } }),
      (id) => stranger.patch(`/submissions/${item.id}`, { data: { invoices: [id] } }),
      (id) =>
        stranger.post(`${items}/batch`, {
          operations: [{ op: "create", data: { invoices: [{ id }] } }],
        }),
    ];
    for (const operation of operations) {
      const expected = await operation(missing);
      expect(expected.status).toBeGreaterThanOrEqual(expected.body.valid === false ? 200 : 400);
      for (const id of [complete, incomplete]) {
        const answer = await operation(id);
        const same = JSON.stringify(without(answer.body)).replaceAll(id, missing);
        expect([answer.status, same]).toEqual([
          expected.status,
          JSON.stringify(without(expected.body)),
        ]);
      }
    }
    expect((await owner.get(`/files/${complete}`)).body.item).toBeNull();
  });

  it("does not appear to callers whose view hides the field, in any response", async () => {
    const views = [{ key: "titles", name: "Titles", fields: ["title"] }];
    const viewed = await makeForm(owner, fields, { views });
    const path = `/forms/${viewed}/submissions`;
    const name = "very secret name.pdf";
    const id = await upload(owner, `form:${viewed}`, pdf("secret"), name);
    const { body } = await owner.post(path, { data: { title: "x", invoices: [id] } });
    const permissions = ["submissions:read", "submissions:write", "schema:read"];
    const viewer = await client({ resources: [`form:${viewed}/titles`], permissions });
    const item = `/submissions/${body.id}`;
    const tool = { name: "get_file_link", arguments: { id } };
    const responses = [
      await viewer.get(item),
      await viewer.get(path),
      await viewer.get(path, { Accept: "text/csv" }),
      await viewer.get(path, { Accept: "text/csv; profile=spreadsheet" }),
      await viewer.get(`/forms/${viewed}/changes`),
      await viewer.patch(item, { data: { title: "y" } }),
      await viewer.post(`${path}/search`, { conditions: [] }),
      await viewer.post(`${path}/aggregate`, {
        metrics: { n: { op: "count", field: "invoices" } },
      }),
      await viewer.patch(item, { data: { invoices: [] } }),
      await viewer.get(`/files/${id}`),
      await viewer.post(`/files/${id}/link`, undefined),
      await anonymous(
        "POST",
        "/mcp",
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: tool },
        { Authorization: `Bearer ${viewer.bearer}`, Accept: "application/json, text/event-stream" },
      ),
    ];
    for (const { text } of responses)
      expect([name, sha256(pdf("secret")), "link="].filter((part) => text.includes(part))).toEqual(
        [],
      );
    expect(responses.slice(0, 7).some(({ text }) => text.includes(id))).toBe(false);
    expect((await download(owner, id)).status).toBe(200);
  });
});

unsized.describe("A link", () => {
  it("downloads, and does nothing else", async () => {
    const { id } = await attached();
    const { url } = (await owner.post(`/files/${id}/link`, undefined)).body;
    const query = new URL(url).search;
    for (const method of ["PUT", "POST", "PATCH", "DELETE"])
      expect([method, (await call(method, url)).status]).toEqual([method, 401]);
    for (const path of [`/files/${id}`, items, "/forms"])
      expect((await call("GET", `${root}${path}${query}`)).status).toBe(401);
    expect((await call("GET", `${host}/admin/files/${id}/content${query}`)).status).not.toBe(200);
    expect((await call("HEAD", url)).status).toBe(200);
  });
});

unsized.describe("A Range", () => {
  it("never reaches outside of the file, and HEAD ignores it", async () => {
    const { id } = await attached(bytesOf("0123456789"), "ten.txt");
    const part = async (range: string, method = "GET", more = {}) => {
      const answer = await download(owner, id, { Range: range, ...more }, method);
      return [answer.status, answer.status < 300 ? await answer.text() : (await answer.text(), "")];
    };
    expect(await part("bytes=-0")).toEqual([416, ""]);
    expect(await part("bytes=-99999999999")).toEqual([206, "0123456789"]);
    expect(await part("bytes=5-999999999999999")).toEqual([206, "56789"]);
    expect(await part("bytes=10-")).toEqual([416, ""]);
    for (const range of ["bytes=5-2", "bytes=0-1,2-3", "bytes=--1", "items=0-1", "bytes=0-1x"])
      expect(await part(range)).toEqual([200, "0123456789"]);
    expect(await part(`bytes=${"9".repeat(30)}-`)).toEqual([200, "0123456789"]);
    const etag = `"${sha256(bytesOf("0123456789"))}"`;
    expect(await part("bytes=0-1", "GET", { "If-Range": etag })).toEqual([206, "01"]);
    for (const validator of [`W/${etag}`, new Date().toUTCString()])
      expect(await part("bytes=0-1", "GET", { "If-Range": validator })).toEqual([
        200,
        "0123456789",
      ]);
    expect(await part("bytes=0-1", "HEAD")).toEqual([200, ""]);
    expect(await part("bytes=99-", "HEAD")).toEqual([200, ""]);
  });
});

describe("Simultaneous requests", () => {
  it("that store right and wrong content at once never leave wrong content", async () => {
    for (let turn = 0; turn < sized(2, 10); turn += 1) {
      const { id } = await announce(owner, `form:${form}`, pdf("right"));
      const answers = await Promise.all(
        ["right", "wrong", "right", "wrong"].map((text) => putContent(owner, id, pdf(text))),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 422, 200, 422]);
      expect((await owner.post(items, { data: { invoices: [id] } })).status).toBe(201);
      const late = await putContent(owner, id, pdf("wrong"));
      expect([late.status, ...codesOf(late)]).toEqual([422, "digest_mismatch"]);
      expect(await (await download(owner, id)).text()).toContain("right");
    }
  });

  it("of one credential announce at most 1 GB", async () => {
    const hoarder = await client();
    const large = { ...announcement(`form:${form}`, pdf()), bytes: 90_000_000 };
    const answers = await Promise.all(
      Array.from({ length: sized(30, 100) }, () => hoarder.post("/files", large)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(11);
    const sum = "select sum(bytes) as n from file where owner = ?";
    const owned = await dataDb
      .prepare(sum)
      .bind(`credential:${(await hoarder.get("/me")).body.id}`)
      .first<number>("n");
    expect(owned ?? 0).toBeLessThanOrEqual(1_000_000_000);
  });

  unsized.it(
    "download and erase: a download has all bytes or fails, and later ones return 404",
    async () => {
      const bytes = new Uint8Array(2_000_000).fill(65);
      const { id, item } = await attached(bytes, "large.txt");
      const running = await download(owner, id);
      const erased = await admin("POST", `/forms/${form}/items/${item}/erase`, {});
      expect([running.status, erased.status]).toEqual([200, 204]);
      const received = await running.arrayBuffer().catch(() => undefined);
      expect(received?.byteLength ?? bytes.length).toBe(bytes.length);
      expect((await download(owner, id)).status).toBe(404);
    },
  );
});
