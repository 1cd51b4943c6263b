import { exports } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { host, type Client } from "../support/client";
import { join } from "../support/members";
import { client, makeForm, ownerCookie } from "../support/service";
import { createMember } from "./people";

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const sandbox = "default-src 'none'; sandbox; frame-ancestors 'none'";

describe("Files in the administration", () => {
  let integrator: Client;
  let form: string;
  let path: string;
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator, [
      { key: "title", label: "Title", type: "text", required: true },
      { key: "photos", label: "Photos", type: "files", max_files: 2, accept: ["image/*"] },
    ]);
    path = `/forms/${form}/items`;
  });

  const send = async (method: string, at: string, init: RequestInit = {}, cookie?: string) => {
    const headers = new Headers(init.headers);
    headers.set("Cookie", cookie ?? (await ownerCookie()));
    if (method !== "GET") headers.set("Origin", host);
    if (!headers.has("Accept")) headers.set("Accept", "text/html");
    const url = at.startsWith("http") ? at : `${host}/admin${at}`;
    return exports.default.fetch(
      new Request(url, { ...init, method, headers, redirect: "manual" }),
    );
  };

  /** Sends the form as a browser without scripts does. */
  const submit = async (at: string, values: [string, string | File][]) => {
    const body = new FormData();
    for (const [name, value] of values) body.append(name, value);
    const response = await send("POST", at, { body });
    return { response, text: await response.text() };
  };
  const photo = (name: string, bytes: Uint8Array<ArrayBuffer> = png) =>
    new File([bytes], name, { type: "text/html" });
  const stored = async (id: string) =>
    (await integrator.get(`/submissions/${id}`)).body.data.photos;
  const idOf = (response: Response) => response.headers.get("Location")?.split("/").at(-1) ?? "";

  async function createWithPhoto(): Promise<string> {
    const { response } = await submit(path, [
      ["$seen", "{}"],
      ["title", "A"],
      ["$status", "submitted"],
      ["photos+", photo("../me.png")],
    ]);
    expect(response.status).toBe(303);
    return idOf(response);
  }

  it("are uploaded by a form without scripts, and stay when the form is rejected", async () => {
    const rejected = await submit(path, [
      ["$seen", "{}"],
      ["title", ""],
      ["$status", "submitted"],
      ["photos+", photo("me.png")],
    ]);
    expect(rejected.response.status).toBe(422);
    const file = /name="photos" value="(fil_\w+)"/.exec(rejected.text)?.[1] ?? "";
    expect(rejected.text).toContain(`name="$file.${file}" value="me.png"`);
    const saved = await submit(path, [
      ["$seen", "{}"],
      ["title", "B"],
      ["$status", "submitted"],
      ["photos", file],
      ["photos+", photo("", new Uint8Array(0))],
    ]);
    expect(saved.response.status).toBe(303);
    expect(await stored(idOf(saved.response))).toMatchObject([
      { id: file, name: "me.png", content_type: "image/png", bytes: png.length },
    ]);
  });

  it("are shown with previews that come from the sandboxed route", async () => {
    const id = await createWithPhoto();
    const [{ id: file }] = await stored(id);
    const page = await (await send("GET", `${path}/${id}`)).text();
    expect(page).toContain(`<img src="/admin/files/${file}/content" alt=""`);
    expect(page).toContain(`<bdi>me.png</bdi>`);
    expect(await (await send("GET", path)).text()).toContain(`/admin/files/${file}/content`);
    const content = await send("GET", `/files/${file}/content`);
    expect(new Uint8Array(await content.arrayBuffer())).toEqual(png);
    expect(Object.fromEntries(content.headers)).toMatchObject({
      "content-disposition": `attachment; filename="me.png"; filename*=UTF-8''me.png`,
      "content-security-policy": sandbox,
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
    });
    const anonymous = await exports.default.fetch(`${host}/admin/files/${file}/content`, {
      redirect: "manual",
    });
    expect(anonymous.status).not.toBe(200);
  });

  it("are removed by a box, stay in the history, and come back when the change is reverted", async () => {
    const id = await createWithPhoto();
    const [{ id: file }] = await stored(id);
    const edit = await (await send("GET", `${path}/${id}?edit`)).text();
    const seen = /name="\$seen" value="([^"]*)"/.exec(edit)?.[1]?.replaceAll("&quot;", '"') ?? "";
    const { response } = await submit(`${path}/${id}`, [
      ["$version", "1"],
      ["$seen", seen],
      ["title", "A"],
      ["photos", file],
      ["photos-", file],
    ]);
    expect(response.status).toBe(303);
    expect(await stored(id)).toEqual([]);
    expect(await (await send("GET", `${path}/${id}`)).text()).toContain("<bdi>me.png</bdi>");
    expect((await send("GET", `/files/${file}/content`)).status).toBe(200);
    const reverted = await submit(`${path}/${id}/revert`, [
      ["$version", "2"],
      ["change", "2"],
    ]);
    expect(reverted.response.status).toBe(303);
    expect(await stored(id)).toMatchObject([{ id: file }]);
  });

  it("are rejected beside their field", async () => {
    const { response, text } = await submit(path, [
      ["$seen", "{}"],
      ["title", "A"],
      ["photos+", photo("a.txt", Uint8Array.from(new TextEncoder().encode("text")))],
    ]);
    expect(response.status).toBe(422);
    expect(text).toMatch(/id="f-photos-wrong">TXT files aren’t allowed. Choose images./);
  });

  it("are uploaded by scripts in two steps, which only members who may write can do", async () => {
    const sha256 = createHash("sha256").update(png).digest("hex");
    const place = { collection: `form:${form}`, field: "photos" };
    const body = JSON.stringify({ ...place, name: "me.png", bytes: png.length, sha256 });
    const headers = { Accept: "application/json", "Content-Type": "application/json" };
    const viewer = await createMember("viewer");
    const refused = await send("POST", "/files", { headers, body }, viewer.cookie);
    expect(refused.status).toBe(403);
    const announced = await send("POST", "/files", { headers, body });
    expect(announced.status).toBe(201);
    const { id } = await announced.json<{ id: string }>();
    const content = `/files/${id}/content`;
    const upload = { headers: { Accept: "application/json" }, body: png };
    expect((await send("PUT", content, upload, viewer.cookie)).status).toBe(403);
    const editor = await createMember("editor");
    expect((await send("PUT", content, upload, editor.cookie)).status).toBe(404);
    expect((await send("PUT", content, upload)).status).toBe(200);
    const created = await submit(path, [
      ["$seen", "{}"],
      ["title", "A"],
      ["$status", "submitted"],
      ["photos", id],
    ]);
    expect(await stored(idOf(created.response))).toMatchObject([{ id, name: "me.png" }]);
  });

  it("have links that end with the right of the member who created them", async () => {
    const id = await createWithPhoto();
    const [{ id: file }] = await stored(id);
    const editor = await join("editor");
    const headers = { Accept: "application/json" };
    const created = await send("POST", `/files/${file}/link`, { headers }, editor.cookie);
    const { url } = await created.json<{ url: string }>();
    const open = async (link: string) => (await exports.default.fetch(link)).status;
    expect(await open(url)).toBe(200);
    expect(await open(url.replace(file, `fil_${"0".repeat(26)}`))).toBe(404);
    const owner = await createMember("owner");
    await owner.send("POST", `/members/${editor.id}`, { disabled: "true" });
    expect(await open(url)).toBe(404);
    expect((await send("POST", `/files/${file}/link`)).headers.get("Content-Type")).toContain(
      "text/html",
    );
  });
});
