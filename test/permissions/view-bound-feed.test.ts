import { beforeAll, describe, expect, it } from "vitest";
import { runBackfill } from "../../src/actions/backfill.ts";
import type { Client, Json } from "../support/client";
import { background } from "../support/serve";
import { admin, client, makeForm } from "../support/service";
import { createWebhook, deliverNow, Receiver } from "../webhooks/receiver";

/** What the feed and webhooks of a view say about items that match its conditions but are too large for it. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const long = { type: "multiline_text", max_length: 100_000, searchable: false };
const rows = {
  key: "rows",
  type: "line_items",
  fields: ["kept", "gone"].map((key) => ({ key, ...long })),
};
const fields = [
  { key: "title", type: "text" },
  { key: "team", type: "text", max_length: 200 },
  { key: "hidden", ...long },
  { key: "shown", ...long },
  rows,
];
const texts = Array.from({ length: 46 }, (_, index) => `x${index}`.padEnd(150, "x"));
const expensive = texts.map((value) => ({ field: "team", op: "contains", value }));
const ours = { field: "team", op: "contains", value: "ours" };
const viewOf = (key: string, condition: object, shown?: string[]) => ({
  key,
  name: key,
  conditions: [{ any: [...expensive, condition] }],
  ...(shown && { fields: shown }),
});
const byMe = viewOf("own", { field: "$created_by", op: "eq", value: "$me" }, [
  "title",
  "shown",
  "rows",
]);
const byTime = viewOf("timed", { field: "$created_at", op: "gt", value: "2000-01-01T00:00:00Z" }, [
  "title",
  "shown",
]);
const views = [
  viewOf("ours", ours, ["title", "shown", "rows"]),
  viewOf("titles", ours, ["title"]),
  viewOf("all", ours),
  byMe,
  byTime,
];
/** Two of these texts are too large for the same part of an item. */
const half = "語".repeat(8000);
/** This text is too large for every view. */
const large = "語".repeat(99_000);

interface World {
  form: string;
  create: (data: object) => Promise<string>;
  patch: (id: string, data: object) => Promise<void>;
  /** Returns a function that reads the new entries of the feed through a view. */
  follow: (
    view: string,
    writer?: boolean,
  ) => Promise<{ partner: Client; next: () => Promise<[id: string, type: string][]> }>;
  /** Returns a function that delivers the new messages of a webhook that follows a view. */
  hook: (view: string) => Promise<() => Promise<Json[]>>;
}

async function makeWorld(): Promise<World> {
  const form = await makeForm(owner, fields, { views });
  return {
    form,
    create: async (data) => {
      const created = await owner.post(`/forms/${form}/submissions`, { data });
      expect([created.status, created.text]).toEqual([201, created.text]);
      return created.body.id;
    },
    patch: async (id, data) => {
      const patched = await owner.patch(`/submissions/${id}`, { data });
      expect([patched.status, patched.text]).toEqual([200, patched.text]);
    },
    follow: async (view, writer = false) => {
      const permissions = ["submissions:read", ...(writer ? ["submissions:write"] : [])];
      const partner = await client({ permissions, resources: [`form:${form}/${view}`] });
      let link = (await partner.get(`/forms/${form}/changes?all=true`)).body.links.next;
      const next = async () => {
        const page = await partner.get(link);
        expect([page.status, page.text]).toEqual([200, page.text]);
        link = page.body.links.next;
        return page.body.items.map(({ id, type }: Json) => [id, type]);
      };
      return { partner, next };
    },
    hook: async (view) => {
      const receiver = new Receiver();
      const types = ["created", "updated", "deleted", "left_view"].map(
        (type) => `submission.${type}`,
      );
      const hook = await createWebhook(owner, receiver, {
        types,
        collections: [`form:${form}/${view}`],
      });
      let seen = 0;
      return async () => {
        await deliverNow(hook.id);
        const messages = receiver.accepted.slice(seen).map(({ body }) => body);
        seen = receiver.accepted.length;
        return messages.map(({ type, data }) => [type, data.id, data.entered ?? false]);
      };
    },
  };
}

describe("An item that matches a view but is too large for it", () => {
  it.each(["ours", "all", "timed"])("has no entries in the feed of the view %s", async (view) => {
    const { form, create, patch, follow, hook } = await makeWorld();
    const { partner, next } = await follow(view);
    const deliver = await hook(view);
    const id = await create({ title: "a", team: "ours", hidden: large });
    await patch(id, { title: "b" });
    await patch(id, { hidden: `${large.slice(1)}x` });
    const batch = await owner.post(`/forms/${form}/submissions/batch`, {
      operations: [
        { op: "create", data: { title: "c", team: "ours", hidden: large } },
        { op: "update", id, data: { title: "d" } },
      ],
    });
    expect([batch.status, batch.text]).toEqual([200, batch.text]);
    await admin("POST", `/forms/${form}/items/${id}/delete`, {});
    const restored = await admin("POST", `/forms/${form}/items/deleted/${id}/restore`, {});
    expect([restored.status, (await owner.get(`/submissions/${id}`)).status]).toEqual([200, 200]);
    expect((await partner.get(`/submissions/${id}`)).status).toBe(404);
    expect([await next(), await deliver()]).toEqual([[], []]);
    expect((await owner.get(`/forms/${form}/changes?all=true`)).body.items).toHaveLength(7);
  });

  it("leaves the view when it grows, and enters it when it shrinks", async () => {
    const { form, create, patch, follow, hook } = await makeWorld();
    const { next } = await follow("ours");
    const deliver = await hook("ours");
    const id = await create({ title: "a", team: "ours" });
    await patch(id, { hidden: large });
    await patch(id, { title: "b" });
    await patch(id, { hidden: "small" });
    await patch(id, { title: "c" });
    await admin("POST", `/forms/${form}/items/${id}/delete`, {});
    await admin("POST", `/forms/${form}/items/deleted/${id}/restore`, {});
    expect(await next()).toEqual([
      [id, "created"],
      [id, "left"],
      [id, "updated"],
      [id, "updated"],
      [id, "deleted"],
      [id, "created"],
    ]);
    expect(await deliver()).toEqual([
      ["submission.created", id, true],
      ["submission.left_view", id, false],
      ["submission.updated", id, true],
      ["submission.updated", id, false],
      ["submission.deleted", id, false],
      ["submission.created", id, true],
    ]);
  });

  it("leaves the view when a recalculated result makes it too large", async () => {
    const { form, create, follow, hook } = await makeWorld();
    const { next } = await follow("ours");
    const deliver = await hook("ours");
    const data = { hidden: "é".repeat(16_000), shown: "語".repeat(3000) };
    const id = await create({ title: "a", team: "ours", ...data });
    const copy = { key: "copy", type: "computed", formula: "shown", result: "text" };
    const put = await owner.put(`/forms/${form}/schema`, { fields: [...fields, copy] });
    expect([put.status, put.text]).toEqual([200, put.text]);
    await runBackfill(background());
    expect(await next()).toEqual([
      [id, "created"],
      [id, "left"],
    ]);
    expect((await deliver()).map(([type]) => type)).toEqual([
      "submission.created",
      "submission.left_view",
    ]);
  });

  it("leaves and enters a view with $me for each caller", async () => {
    const { form, patch, follow } = await makeWorld();
    const mine = await follow("own", true);
    const other = await follow("own");
    const created = await mine.partner.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    const { id } = created.body;
    expect(created.status).toBe(201);
    expect([await mine.next(), await other.next()]).toEqual([[[id, "created"]], []]);
    await patch(id, { hidden: large });
    expect([await mine.next(), await other.next()]).toEqual([[[id, "left"]], []]);
    await patch(id, { title: "b" });
    expect([await mine.next(), await other.next()]).toEqual([[], []]);
    await patch(id, { hidden: null });
    expect([await mine.next(), await other.next()]).toEqual([[[id, "updated"]], []]);
    const tooLarge = await mine.partner.post(`/forms/${form}/submissions`, {
      data: { title: "a", shown: large },
    });
    expect([tooLarge.status, tooLarge.body.errors?.[0].code]).toEqual([422, "outside_view"]);
    expect([await mine.next(), await other.next()]).toEqual([[], []]);
  });
});

describe("Views with the same conditions but different fields", () => {
  it("contain different items in their feeds, depending on the part that is too large", async () => {
    const { create, patch, follow } = await makeWorld();
    const follows = await Promise.all(["ours", "titles", "all"].map((view) => follow(view)));
    const read = () =>
      Promise.all(follows.map(async ({ next }) => (await next()).map(([, type]) => type)));
    const id = await create({ title: "a", team: "ours", hidden: half, shown: half });
    expect(await read()).toEqual([["created"], [], []]);
    await patch(id, { hidden: null });
    expect(await read()).toEqual([["updated"], ["updated"], ["updated"]]);
    await patch(id, { shown: large });
    expect(await read()).toEqual([["left"], ["left"], ["left"]]);
  });

  it("expire the cursors of a view without fields if a removed field divides the items differently", async () => {
    const { form, create, follow } = await makeWorld();
    const { partner } = await follow("all");
    const id = await create({ title: "a", team: "ours", hidden: half, shown: half });
    const feed = (await partner.get(`/forms/${form}/changes?all=true`)).body;
    expect([feed.items, (await partner.get(`/submissions/${id}`)).status]).toEqual([[], 404]);
    const others = views.filter(({ key }) => key === "all");
    const removed = { fields: fields.filter(({ key }) => key !== "hidden"), views: others };
    const put = await owner.put(`/forms/${form}/schema`, removed);
    expect([put.status, put.text]).toEqual([200, put.text]);
    expect((await partner.get(`/submissions/${id}`)).status).toBe(200);
    expect((await partner.get(feed.links.next)).status).toBe(410);
  });
});

describe("The feed of a view agrees with requests for the item by its ID", () => {
  const special = 'a"\\\n\u00e9\u{1f600}';
  /** A text that takes about this many bytes. */
  const textOf = (bytes: number) =>
    `${special}${"語".repeat(Math.floor(bytes / 3))}${"y".repeat(bytes % 3)}`;
  const cells = { kept: special, gone: "語".repeat(6000) };

  it.each<[string, (text: string) => object]>([
    ["the hidden fields", (hidden) => ({ hidden })],
    ["the visible fields", (shown) => ({ shown })],
    ["the rows", (kept) => ({ rows: [{ kept: special }, { kept }] })],
  ])("whatever the size of %s, also after the removal of a column", async (_, dataOf) => {
    const { form, create, patch, follow } = await makeWorld();
    const id = await create({ title: "a", team: "ours", rows: [cells] });
    for (const kept of ["both", "one"]) {
      const columns = kept === "both" ? rows.fields : rows.fields.slice(0, 1);
      const changed = fields.map((field) =>
        field.key === "rows" ? { ...rows, fields: columns } : field,
      );
      expect((await owner.put(`/forms/${form}/schema`, { fields: changed })).status).toBe(200);
      const { partner, next } = await follow("ours");
      const states = { inside: 0, outside: 0 };
      let [fitting, tooLarge] = [1, 200_000];
      const isSeen = async () => {
        const one = await partner.get(`/submissions/${id}`);
        const list = await partner.get(`/forms/${form}/submissions`);
        expect(list.body.items).toHaveLength(one.status === 200 ? 1 : 0);
        return one.status === 200;
      };
      let wasInside = await isSeen();
      while (tooLarge - fitting > 1) {
        const bytes = (fitting + tooLarge) >> 1;
        await patch(id, dataOf(textOf(bytes)));
        const isInside = await isSeen();
        const expected = isInside ? ["updated"] : wasInside ? ["left"] : [];
        expect([bytes, (await next()).map(([, type]) => type)]).toEqual([bytes, expected]);
        if (isInside) fitting = bytes;
        else tooLarge = bytes;
        states[isInside ? "inside" : "outside"] += 1;
        wasInside = isInside;
      }
      expect(Math.min(states.inside, states.outside)).toBeGreaterThan(3);
    }
  });
});
