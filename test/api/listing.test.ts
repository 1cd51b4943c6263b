import { beforeAll, describe, expect, it } from "vitest";
import { codes, everyItem, type Client } from "../support/client";
import { client, makeForm } from "../support/service";

describe("Listing", () => {
  let integrator: Client;
  let form: string;
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator);
    for (let i = 0; i < 7; i += 1) {
      await integrator.post(`/forms/${form}/submissions`, { data: { title: String(i) } });
    }
  });

  it.each(["0", "201", "-1", "1.5", "ten", "", "1e2", "99999999999"])(
    "returns 422 out_of_range to limit=%s",
    async (limit) => {
      const answer = await integrator.get(`/forms/${form}/submissions?limit=${limit}`);
      expect([answer.status, codes(answer)]).toEqual([422, { limit: "out_of_range" }]);
      expect(answer.body.errors[0]).toMatchObject({ minimum: 1, maximum: 200 });
    },
  );

  it("accepts limits from 1 to 200", async () => {
    const list = (limit: number) => integrator.get(`/forms/${form}/submissions?limit=${limit}`);
    expect((await list(1)).body.items).toHaveLength(1);
    expect((await list(200)).body.items).toHaveLength(7);
    expect((await list(200)).body.links.next).toBeNull();
    expect((await list(200)).headers.has("Link")).toBe(false);
  });

  it("returns no next link with a full last page", async () => {
    const page = await integrator.get(`/forms/${form}/submissions?limit=7`);
    expect(page.body.links.next).toBeNull();
  });

  it("keeps the position of a cursor across inserts and deletes", async () => {
    const otherForm = await makeForm(integrator);
    const path = `/forms/${otherForm}/submissions`;
    const add = async (title: string) => (await integrator.post(path, { data: { title } })).body.id;
    const ids: string[] = [];
    for (const title of ["a", "b", "c", "d"]) ids.push(await add(title));
    const page = await integrator.get(`${path}?limit=2`);
    await integrator.delete(`/submissions/${ids[0]}`);
    await integrator.delete(`/submissions/${ids[1]}`);
    await integrator.delete(`/submissions/${ids[2]}`);
    await add("e");
    const remaining = await everyItem(integrator, page.body.links.next);
    expect(remaining.map((item) => item.data.title)).toEqual(["d", "e"]);
  });

  it("never reuses a position in the list, even after the last item is deleted", async () => {
    const otherForm = await makeForm(integrator);
    const path = `/forms/${otherForm}/submissions`;
    await integrator.post(path, { data: { title: "a" } });
    const last = await integrator.post(path, { data: { title: "b" } });
    const page = await integrator.get(`${path}?limit=1`);
    await integrator.delete(`/submissions/${last.body.id}`);
    await integrator.post(path, { data: { title: "c" } });
    const remaining = await everyItem(integrator, page.body.links.next);
    expect(remaining.map((item) => item.data.title)).toEqual(["c"]);
  });

  it("returns 422 invalid_cursor to a cursor of another list and to a damaged one", async () => {
    const otherForm = await makeForm(integrator);
    const page = await integrator.get(`/forms/${form}/submissions?limit=1`);
    const cursor = new URL(page.body.links.next).searchParams.get("cursor") ?? "";
    const end = cursor.endsWith("A") ? "B" : "A";
    for (const path of [
      `/forms/${otherForm}/submissions?cursor=${cursor}`,
      `/forms?cursor=${cursor}`,
      `/forms/${form}/submissions?cursor=${cursor.slice(0, -1)}${end}`,
      `/forms/${form}/submissions?cursor=${cursor.slice(1)}`,
      `/forms/${form}/submissions?cursor=x`,
      `/forms/${form}/submissions?cursor=`,
    ]) {
      const answer = await integrator.get(path);
      expect([path, answer.status, codes(answer)]).toEqual([
        path,
        422,
        { cursor: "invalid_cursor" },
      ]);
    }
  });

  it("reports parameters named after keys of Object.prototype as unknown", async () => {
    for (const name of ["__proto__", "%5F_proto__", "constructor"]) {
      const answer = await integrator.get(`/forms/${form}/submissions?${name}=1&limit=0`);
      expect(answer.body.errors).toHaveLength(2);
    }
  });

  it("returns 422 to a repeated parameter", async () => {
    const answer = await integrator.get(`/forms/${form}/submissions?limit=1&limit=2`);
    expect(answer.status).toBe(422);
  });

  it("accepts another limit with the same cursor, and includes the ETag of each item", async () => {
    const page = await integrator.get(`/forms/${form}/submissions?limit=1`);
    const next = page.body.links.next.replace("limit=1", "limit=3");
    const { body } = await integrator.get(next);
    expect(body.items.map((item: { data: object }) => item.data)).toEqual([
      { title: "1" },
      { title: "2" },
      { title: "3" },
    ]);
    expect(body.items[0].etag).toBe('"1"');
    expect(body.links.self).toBe(next);
  });

  it("answers HEAD like GET, without a body", async () => {
    for (const path of ["/me", "/forms", `/forms/${form}/schema`, `/forms/${form}/submissions`]) {
      const answer = await integrator.send("HEAD", path);
      expect([path, answer.status, answer.text]).toEqual([path, 200, ""]);
    }
  });
});
