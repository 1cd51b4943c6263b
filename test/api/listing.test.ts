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
    "limit=%s is out_of_range, never clamped",
    async (limit) => {
      const answer = await integrator.get(`/forms/${form}/submissions?limit=${limit}`);
      expect([answer.status, codes(answer)]).toEqual([422, { limit: "out_of_range" }]);
      expect(answer.body.errors[0]).toMatchObject({ minimum: 1, maximum: 200 });
    },
  );

  it("limit goes from 1 to 200", async () => {
    const list = (limit: number) => integrator.get(`/forms/${form}/submissions?limit=${limit}`);
    expect((await list(1)).body.items).toHaveLength(1);
    expect((await list(200)).body.items).toHaveLength(7);
    expect((await list(200)).body.links.next).toBeNull();
    expect((await list(200)).headers.has("Link")).toBe(false);
  });

  it("the last page of a full one has no next", async () => {
    const page = await integrator.get(`/forms/${form}/submissions?limit=7`);
    expect(page.body.links.next).toBeNull();
  });

  it("a cursor keeps its place under inserts and deletes", async () => {
    const other = await makeForm(integrator);
    const path = `/forms/${other}/submissions`;
    const add = async (title: string) => (await integrator.post(path, { data: { title } })).body.id;
    const ids: string[] = [];
    for (const title of ["a", "b", "c", "d"]) ids.push(await add(title));
    const page = await integrator.get(`${path}?limit=2`);
    await integrator.delete(`/submissions/${ids[0]}`);
    await integrator.delete(`/submissions/${ids[1]}`);
    await integrator.delete(`/submissions/${ids[2]}`);
    await add("e");
    const rest = await everyItem(integrator, page.body.links.next);
    expect(rest.map((item) => item.data.title)).toEqual(["d", "e"]);
  });

  it("a place in the list is never given again, also after the last item was deleted", async () => {
    const other = await makeForm(integrator);
    const path = `/forms/${other}/submissions`;
    await integrator.post(path, { data: { title: "a" } });
    const last = await integrator.post(path, { data: { title: "b" } });
    const page = await integrator.get(`${path}?limit=1`);
    await integrator.delete(`/submissions/${last.body.id}`);
    await integrator.post(path, { data: { title: "c" } });
    const rest = await everyItem(integrator, page.body.links.next);
    expect(rest.map((item) => item.data.title)).toEqual(["c"]);
  });

  it("a cursor of another list, or a damaged one, is invalid_cursor", async () => {
    const other = await makeForm(integrator);
    const page = await integrator.get(`/forms/${form}/submissions?limit=1`);
    const cursor = new URL(page.body.links.next).searchParams.get("cursor") ?? "";
    const end = cursor.endsWith("A") ? "B" : "A";
    for (const path of [
      `/forms/${other}/submissions?cursor=${cursor}`,
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

  it("a parameter named like what JavaScript objects have by birth is unknown too", async () => {
    for (const name of ["__proto__", "%5F_proto__", "constructor"]) {
      const answer = await integrator.get(`/forms/${form}/submissions?${name}=1&limit=0`);
      expect(answer.body.errors).toHaveLength(2);
    }
  });

  it("a parameter that is sent twice is refused", async () => {
    const answer = await integrator.get(`/forms/${form}/submissions?limit=1&limit=2`);
    expect(answer.status).toBe(422);
  });

  it("another limit with the same cursor is fine, and items carry their tags", async () => {
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

  it("HEAD works where GET does", async () => {
    for (const path of ["/me", "/forms", `/forms/${form}/schema`, `/forms/${form}/submissions`]) {
      const answer = await integrator.send("HEAD", path);
      expect([path, answer.status, answer.text]).toEqual([path, 200, ""]);
    }
  });
});
