import { beforeAll, describe, expect, it } from "vitest";
import { copyItem } from "../support/copies";
import type { Json } from "../support/client";
import { admin, client, makeForm } from "../support/service";

describe("A search among 100,000 items", () => {
  let path: string;
  const search = async (query: string): Promise<Json> =>
    (await admin("GET", `${path}?${query}`)).body;
  beforeAll(async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [
      { key: "title", label: "Title", type: "text" },
      { key: "count", label: "Count", type: "number" },
    ]);
    path = `/forms/${form}/items`;
    const create = async (data: object): Promise<string> =>
      (await integrator.post(`/forms/${form}/submissions`, { data })).body.id;
    for (const title of ["One old Stehpult", "Another old Stehpult"])
      await create({ title, count: 7 });
    const id = await create({ title: "Desk # of many" });
    await copyItem(id, 100_000);
  }, 60_000);

  it("finds a word in the middle of a title of the oldest items on the first page", async () => {
    const { items, count, links, progress } = await search("q=stehpult");
    expect(items.map(({ data }: Json) => data.title)).toEqual([
      "Another old Stehpult",
      "One old Stehpult",
    ]);
    expect([count, links.next, progress]).toEqual([{ count: 2, exact: true }, null, null]);
  });

  it("fills its pages, and gives each match once", async () => {
    const all = await search("q=9999");
    expect([all.items.length, all.progress]).toEqual([19, null]);
    const first = await search("q=999");
    const second = await search(new URL(first.links.next).search.slice(1));
    const ids = [...first.items, ...second.items].map(({ id }: Json) => id);
    expect([ids.length, new Set(ids).size]).toEqual([100, 100]);
  });

  it("keeps searching where it stopped, and says how far it has come", async () => {
    const newest = (await search("")).items[0].id;
    await copyItem(newest, 60_000);
    const { items, links, progress } = await search("q=stehpult");
    expect(items).toEqual([]);
    expect(progress.total).toBe(160_003);
    expect(progress.searched).toBeGreaterThan(95_000);
    const html = await admin("GET", `${path}?q=stehpult`, undefined, { Accept: "text/html" });
    expect(html.text).toMatch(/Searched \d+,\d{3} of 160,003 submissions/);
    expect(html.text).toContain("Keep searching");
    const last = await search(new URL(links.next).search.slice(1));
    expect(last.items).toHaveLength(2);
    expect(last.progress).toBeNull();
  });
});
