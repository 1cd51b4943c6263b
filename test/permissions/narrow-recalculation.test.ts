import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runBackfill } from "../../src/actions/backfill.ts";
import type { Client, Json } from "../support/client";
import { dataDb } from "../support/databases";
import { announcement, pdf, putContent } from "../support/files";
import { client, makeApp, makeForm } from "../support/service";
import { background } from "../support/serve";

/** What a narrow credential reaches while the results that its view uses are not yet calculated. */

const rights = [
  "records:read",
  "records:write",
  "submissions:read",
  "submissions:write",
  "submissions:delete",
];
const base = [
  { key: "title", type: "text" },
  { key: "team", type: "text" },
  { key: "src", type: "text" },
  { key: "docs", type: "files" },
];
const kind = (formula: string) => ({ key: "kind", type: "computed", formula, result: "text" });
const viewOf = (...conditions: object[]) => [
  { key: "v", name: "V", conditions, fields: ["title", "docs"] },
];
const ours = { field: "team", op: "eq", value: "ours" };
const notInternal = { field: "kind", op: "ne", value: "internal" };

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

/** Keeps items from being recalculated until `resume`. */
const suspended = {
  a: "update on indexing when new.done > old.done",
  b: "update on item when new.updated_by = 'system'",
};
const run = (sql: string) => dataDb.prepare(sql).run();
beforeEach(async () => {
  for (const [name, event] of Object.entries(suspended)) {
    const [act, when = ""] = event.split(" when ");
    const condition = when && ` when ${when}`;
    await run(
      `create trigger ${name} before ${act}${condition} begin select raise(abort, 'suspended'); end`,
    );
  }
});
async function resume(): Promise<void> {
  for (const name of Object.keys(suspended)) await run(`drop trigger if exists ${name}`);
  await runBackfill(background());
}
afterEach(resume);

interface World {
  path: string;
  items: string;
  caller: Client;
  hidden: Json;
  shown: Json;
}

async function makeWorld(conditions: object[], fields: object[] = base): Promise<World> {
  const form = await makeForm(owner, fields, { views: viewOf(...conditions) });
  const path = `/forms/${form}`;
  const items = `${path}/submissions`;
  const caller = await client({ permissions: rights, resources: [`form:${form}/v`] });
  const create = async (data: object) => (await owner.post(items, { data })).body;
  const hidden = await create({ title: "SECRET", team: "theirs", src: "internal" });
  const shown = await create({ title: "a", team: "ours", src: "public" });
  return { path, items, caller, hidden, shown };
}

/** Gives an item a file. */
async function attach({ path, ...world }: World, item: "hidden" | "shown"): Promise<void> {
  const collection = path.replace("/forms/", "form:");
  const { id } = (await owner.post("/files", { ...announcement(collection, pdf()), field: "docs" }))
    .body;
  await putContent(owner, id, pdf());
  world[item].data = (
    await owner.patch(`/submissions/${world[item].id}`, { data: { docs: [id] } })
  ).body.data;
}

async function define({ path }: World, fields: object[], ...conditions: object[]): Promise<void> {
  const put = await owner.put(`${path}/schema`, { fields, views: viewOf(...conditions) });
  expect([put.status, put.text]).toEqual([200, put.text]);
}

/** The statuses of the ways to reach an item by its ID. */
async function reach(
  { items, caller }: World,
  { id, data }: Json,
): Promise<Record<string, number>> {
  const file = data.docs[0].id as string;
  const path = `/submissions/${id}`;
  const operations = [{ op: "update", id, data: {} }];
  return {
    get: (await caller.get(path)).status,
    patch: (await caller.patch(path, { data: {} })).status,
    batch: (await caller.post(`${items}/batch`, { operations })).status,
    file: (await caller.get(`/files/${file}`)).status,
    content: (await caller.get(`/files/${file}/content`)).status,
    link: (await caller.post(`/files/${file}/link`, {})).status,
  };
}

/** The statuses of the ways to read several items. */
async function read({ path, items, caller }: World): Promise<Record<string, number>> {
  const metrics = { n: { op: "count" } };
  return {
    list: (await caller.get(items)).status,
    search: (await caller.post(`${items}/search`, {})).status,
    aggregate: (await caller.post(`${items}/aggregate`, { metrics })).status,
    changes: (await caller.get(`${path}/changes`)).status,
    end: (await caller.get(`${path}/changes?cursor=now`)).status,
  };
}

const all = (statuses: Record<string, number>) => [...new Set(Object.values(statuses))].toSorted();

const feedOf = async ({ path, caller }: World) =>
  (await caller.get(`${path}/changes?all=true`)).body.items.map(({ id, type }: Json) => [id, type]);

describe("While the results that its view uses are not calculated, a narrow credential", () => {
  it.each<[string, (world: World) => Promise<void>, object[], object[]]>([
    [
      "a formula comes with its condition",
      (world) => define(world, [...base, kind("src")], notInternal),
      [ours],
      base,
    ],
    [
      "its formula changes",
      (world) => define(world, [...base, kind("src")], notInternal),
      [notInternal],
      [...base, kind("title")],
    ],
    [
      "a formula changes that its formula uses",
      (world) =>
        define(world, [...base, kind("other"), { ...kind("src"), key: "other" }], notInternal),
      [notInternal],
      [...base, kind("other"), { ...kind("title"), key: "other" }],
    ],
  ])(
    "reaches only items that the view shows afterwards when %s",
    async (_, change, conditions, fields) => {
      const world = await makeWorld(conditions, fields);
      await attach(world, "hidden");
      await attach(world, "shown");
      await change(world);
      const { hidden, shown } = world;
      expect(await reach(world, hidden)).toEqual({
        get: 404,
        patch: 404,
        batch: 404,
        file: 404,
        content: 404,
        link: 404,
      });
      expect(await reach(world, shown)).toMatchObject({
        get: 200,
        file: 200,
        content: 200,
        link: 200,
      });
      expect(await read(world)).toEqual({
        list: 503,
        search: 503,
        aggregate: 503,
        changes: 503,
        end: 503,
      });
      await resume();
      expect(all(await reach(world, hidden))).toEqual([404]);
      expect(all(await reach(world, shown))).toEqual([200]);
      expect(all(await read(world))).toEqual([200]);
    },
  );

  it("deletes nothing that the view hides afterwards", async () => {
    const world = await makeWorld([ours]);
    await define(world, [...base, kind("src")], notInternal);
    const { caller, hidden } = world;
    expect((await caller.delete(`/submissions/${hidden.id}`)).status).toBe(404);
    expect((await owner.get(`/submissions/${hidden.id}`)).status).toBe(200);
  });

  it("also waits if it gets the view only then", async () => {
    const world = await makeWorld([notInternal], [...base, kind("title")]);
    await define(world, [...base, kind("src")], notInternal);
    const resources = [world.path.replace("/forms/", "form:").concat("/v")];
    const caller = await client({ permissions: rights, resources });
    expect((await caller.get(`/submissions/${world.hidden.id}`)).status).toBe(404);
    expect(await read({ ...world, caller })).toMatchObject({ list: 503, changes: 503 });
  });

  it("refers to no record that the view hides afterwards", async () => {
    const fields = [
      { key: "name", type: "text", unique: true },
      { key: "src", type: "text" },
    ];
    const view = { key: "v", name: "V", conditions: [notInternal], fields: ["name"] };
    const app = await makeApp(owner, [...fields, kind("name")], { views: [view] });
    const data = { name: "SECRET", src: "internal" };
    const record = (await owner.post(`/apps/${app}/records`, { data })).body;
    const notes = await makeApp(owner, [{ key: "about", type: "reference", app }]);
    const mine = (await owner.post(`/apps/${notes}/records`, { data: { about: record.id } })).body;
    const caller = await client({
      permissions: rights,
      resources: [`app:${notes}`, `app:${app}/v`],
    });
    await owner.put(`/apps/${app}/schema`, { fields: [...fields, kind("src")] });
    const refer = async (about: unknown) =>
      (await caller.post(`/apps/${notes}/records`, { data: { about } })).status;
    const names = [record.id, record.receipt_number, { name: "SECRET" }];
    for (const name of names) expect(await refer(name)).toBe(503);
    const expanded = await caller.get(`/apps/${notes}/records/${mine.id}?expand=about`);
    expect([expanded.status, expanded.text.includes("SECRET")]).toEqual([503, false]);
    const byReceipt = await caller.get(`/apps/${app}/records/${record.receipt_number}`);
    expect(byReceipt.status).toBe(404);
    await resume();
    for (const name of names) expect(await refer(name)).toBe(422);
  });

  it("is not told by the feed which items the view hides afterwards", async () => {
    const world = await makeWorld([ours]);
    await define(world, [...base, kind("src")], notInternal);
    const { items, hidden, shown } = world;
    const more = (await owner.post(items, { data: { title: "S2", src: "internal" } })).body;
    await owner.patch(`/submissions/${hidden.id}`, { data: { title: "SECRET2" } });
    await owner.delete(`/submissions/${more.id}`);
    await resume();
    expect(await feedOf(world)).toEqual([[shown.id, "updated"]]);
  });

  it("is not told by the feed of a hidden item that somebody deletes or that is recalculated", async () => {
    const world = await makeWorld([ours]);
    const { items, shown } = world;
    const more = (await owner.post(items, { data: { title: "S2", src: "internal" } })).body;
    const last = (await owner.post(items, { data: { title: "S3", src: "internal" } })).body;
    await define(world, [...base, kind("src")], notInternal);
    const operations = [{ op: "delete", id: last.id }];
    expect((await owner.post(`${items}/batch`, { operations })).status).toBe(200);
    expect((await owner.delete(`/submissions/${more.id}`)).status).toBe(204);
    await resume();
    expect(await feedOf(world)).toEqual([[shown.id, "updated"]]);
  });

  it("reads in the feed that an item left, if it saw the item before the formula changed", async () => {
    const world = await makeWorld([notInternal], [...base, kind("title")]);
    const { path, caller, hidden, shown } = world;
    const { links } = (await caller.get(`${path}/changes?cursor=now`)).body;
    await define(world, [...base, kind("src")], notInternal);
    await resume();
    const { status, body } = await caller.get(links.next);
    const changes = body.items.map(({ id, type }: Json) => [id, type]);
    expect([status, changes]).toEqual([
      200,
      [
        [hidden.id, "left"],
        [shown.id, "updated"],
      ],
    ]);
  });
});

describe("While other results are recalculated, a narrow credential", () => {
  const other = (formula: string) => ({ ...kind(formula), key: "other" });
  const used = { get: 200, patch: 200, batch: 200, file: 200, content: 200, link: 200 };

  it("reads as before if its view uses none of them", async () => {
    const world = await makeWorld([notInternal], [...base, kind("src"), other("title")]);
    await attach(world, "hidden");
    await attach(world, "shown");
    const { caller, items } = world;
    const { links } = (await caller.get(`${world.path}/changes?cursor=now`)).body;
    await define(world, [...base, kind("src"), other("title + '!'")], notInternal);
    expect(all(await read(world))).toEqual([200]);
    expect(all(await reach(world, world.hidden))).toEqual([404]);
    expect(await reach(world, world.shown)).toEqual(used);
    const ids = async () => (await caller.get(items)).body.items.map(({ id }: Json) => id);
    expect(await ids()).toEqual([world.shown.id]);
    await resume();
    expect(await ids()).toEqual([world.shown.id]);
    const { body } = await caller.get(links.next);
    expect(body.items.map(({ id, type }: Json) => [id, type])).toEqual([
      [world.shown.id, "updated"],
    ]);
  });

  it("sees at once what a write calculates meanwhile", async () => {
    const world = await makeWorld([notInternal], [...base, kind("src"), other("title")]);
    await define(world, [...base, kind("src"), other("title + '!'")], notInternal);
    const { caller, hidden, shown } = world;
    await owner.patch(`/submissions/${hidden.id}`, { data: { src: "public" } });
    await owner.patch(`/submissions/${shown.id}`, { data: { src: "internal" } });
    const { body } = await caller.get(world.items);
    expect(body.items.map(({ id }: Json) => id)).toEqual([hidden.id]);
  });

  it("waits for its result if another change adds results before the recalculation ends", async () => {
    const world = await makeWorld([notInternal], [...base, kind("title"), other("title")]);
    await define(world, [...base, kind("src"), other("title")], notInternal);
    await define(world, [...base, kind("src"), other("title + '!'")], notInternal);
    expect(all(await read(world))).toEqual([503]);
    expect((await world.caller.get(`/submissions/${world.hidden.id}`)).status).toBe(404);
    await resume();
    expect(all(await read(world))).toEqual([200]);
    expect((await world.caller.get(world.items)).body.items).toHaveLength(1);
  });

  it("waits if somebody undoes the change of its result before the recalculation ends", async () => {
    const world = await makeWorld([notInternal], [...base, kind("src")]);
    await define(world, [...base, kind("title")], notInternal);
    await define(world, [...base, kind("src")], notInternal);
    expect(all(await read(world))).toEqual([503]);
    expect((await world.caller.get(`/submissions/${world.hidden.id}`)).status).toBe(404);
    await resume();
    expect(all(await read(world))).toEqual([200]);
    expect((await world.caller.get(world.items)).body.items).toHaveLength(1);
  });

  it("waits if its formula reads other fields because their keys were swapped", async () => {
    const world = await makeWorld([notInternal], [...base, kind("src")]);
    const newKeys: Record<string, object> = {
      title: { key: "src", renamed_from: "title" },
      src: { key: "title", renamed_from: "src" },
    };
    const swapped = base.map((field) => ({ ...field, ...newKeys[field.key] }));
    await define(world, [...swapped, kind("src")], notInternal);
    expect(all(await read(world))).toEqual([503]);
    await resume();
    expect((await world.caller.get(world.items)).body.items).toHaveLength(2);
  });
});
