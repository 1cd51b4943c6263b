import { beforeAll, describe, expect, it } from "vitest";
import type { Answer, Client, Json } from "../support/client";
import { host } from "../support/client";
import { client } from "../support/service";
import { call, toolsOf } from "../mcp/mcp-client";
import { narrowWorld, viewOf, type Kind, type NarrowWorld } from "./narrow-world";

import { ask, assertNoCanary, comparable } from "./narrow-requests";

/** What credentials learn that see a collection through a view, by canaries. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

describe.each(["app", "form"] as Kind[])("A credential that sees a view of an %s", (kind) => {
  let world: NarrowWorld;
  beforeAll(async () => {
    world = await narrowWorld(owner, kind);
    await world.partner.post(world.items, { data: { title: "second", team: "ours" } });
  });
  it("finds no item by what it hides, in any download, page or order", async () => {
    const { partner, items, base } = world;
    const formats = [
      "text/csv",
      "application/x-ndjson",
      "text/csv;locale=de-DE",
      "text/csv;rows=lines",
      "text/csv;profile=spreadsheet",
    ];
    for (const accept of formats)
      for (const path of [items, `${items}?view=canary_view`])
        await ask(partner, { method: "GET", path }, { Accept: accept });
    for (const accept of formats) {
      const search = { method: "POST", path: `${items}/search`, body: {} };
      await ask(partner, search, { Accept: accept });
    }
    for (const sort of [[], [{ field: "amount" }], [{ field: "$updated_at", direction: "desc" }]]) {
      const body = { sort, limit: 1 };
      let count = 0;
      for (let next: string | null = `${items}/search`; next !== null; count += 1) {
        const page: Answer = await ask(partner, { method: "POST", path: next, body });
        expect(page.body.items.length).toBeLessThanOrEqual(1);
        next = page.body.links.next;
      }
      expect(count).toBeGreaterThan(1);
    }
    for (let next: string | null = `${base}/changes?limit=1`; next !== null;) {
      const page: Answer = await ask(partner, { method: "GET", path: next });
      next = page.body.items.length === 0 ? null : page.body.links.next;
    }
    const outside = await ask(partner, {
      method: "POST",
      path: `${items}/search`,
      body: { conditions: [{ field: "$id", op: "eq", value: world.outside.id }] },
    });
    expect(outside.body.items).toEqual([]);
  });

  it("counts only what it sees", async () => {
    const { partner, items } = world;
    const visible = (await partner.post(`${items}/search`, { limit: 200 })).body.items as Json[];
    const figures = await ask(partner, {
      method: "POST",
      path: `${items}/aggregate`,
      body: {
        metrics: {
          n: { op: "count" },
          codes: { op: "count_distinct", field: "code" },
          top: { op: "max", field: "amount" },
        },
      },
    });
    const codes = new Set(visible.flatMap(({ data }) => (data.code === null ? [] : [data.code])));
    expect(figures.body.groups[0].metrics).toMatchObject({ n: visible.length, codes: codes.size });
  });

  it("learns nothing of items outside by their names, unique values and versions", async () => {
    const { partner, items, outside, missing, itemPath, inside } = world;
    for (const headers of [
      { "If-Match": outside.etag },
      { "If-Match": '"9"' },
      { "If-None-Match": outside.etag },
      { "If-Match": "*" },
    ]) {
      const method = "If-None-Match" in headers ? "GET" : "PATCH";
      const body = method === "PATCH" ? { data: { amount: 1 } } : undefined;
      const [hidden, none] = [
        await ask(partner, { method, path: itemPath(outside.id), body }, headers),
        await ask(partner, { method, path: itemPath(missing), body }, headers),
      ];
      expect(comparable(hidden)).toEqual(comparable(none));
    }
    const taken = await ask(partner, {
      method: "POST",
      path: items,
      body: { data: { title: "t", team: "ours", code: "c2" } },
    });
    expect([taken.status, taken.body.code, taken.body.id]).toEqual([409, "duplicate", undefined]);
    expect(taken.text).not.toContain(outside.id);
    const own = await ask(partner, {
      method: "POST",
      path: items,
      body: { data: { title: "t", team: "ours", code: "c1" } },
    });
    expect(own.body.id).toBe(inside.id);
    const operations = (id: string): Json[][] => [
      [
        { op: "update", id: inside.id, data: { amount: 8 } },
        { op: "update", id, data: { amount: 8 } },
      ],
      [{ op: "update", id, data: { amount: 8 }, if_match: '"1"' }],
      ...(kind === "form" ? [[{ op: "delete", id }]] : []),
    ];
    for (const [index, batch] of operations(outside.id).entries()) {
      const [hidden, none] = [
        await ask(partner, { method: "POST", path: `${items}/batch`, body: { operations: batch } }),
        await ask(partner, {
          method: "POST",
          path: `${items}/batch`,
          body: { operations: operations(missing)[index] },
        }),
      ];
      expect(hidden.status).toBe(404);
      expect(comparable(hidden)).toEqual(
        JSON.parse(JSON.stringify(comparable(none)).replaceAll(missing, outside.id)),
      );
    }
    const stored = await owner.get(itemPath(outside.id));
    expect([stored.body.version, stored.body.data.amount]).toEqual([outside.version, 888321]);
    const upsert = await ask(partner, {
      method: "POST",
      path: `${items}/batch`,
      body: {
        operations: [{ op: "upsert", by: "code", data: { title: "t", team: "ours", code: "c2" } }],
      },
    });
    expect([upsert.status, upsert.text.includes(outside.id)]).toEqual([409, false]);
  });

  it("refers to no record that it does not reach, by no name", async () => {
    const { partner, items, people } = world;
    const known = (await owner.get(`/apps/${people}/records`)).body.items[0];
    const answers = [];
    for (const person of [
      known.id,
      known.receipt_number,
      { name: "CANARY person" },
      "rec_01KAHV3M4E7XQ2R5T8W9YZB6CD",
      "PEO-999999",
      { name: "x" },
      { zz: 1 },
    ]) {
      const answer = await partner.post(items, { data: { title: "r", team: "ours", person } });
      answers.push([answer.status, answer.text.replace(/"request_id":"[^"]*"/, "")]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.[0]).toBe(422);
    const listed = await ask(partner, { method: "GET", path: `${items}?expand=person` });
    expect(listed.body.included ?? {}).toEqual({});
    const matches = await ask(partner, {
      method: "POST",
      path: `${items}/search`,
      body: {
        conditions: [
          {
            field: "person",
            op: "matches",
            value: [{ field: "name", op: "starts_with", value: "C" }],
          },
        ],
      },
    });
    expect(matches.status).toBe(422);
    const counted = await ask(partner, {
      method: "POST",
      path: `${items}/aggregate`,
      body: {
        metrics: { n: { op: "count" } },
        conditions: [
          {
            field: "person",
            op: "matches",
            value: [{ field: "name", op: "starts_with", value: "C" }],
          },
        ],
      },
    });
    expect(counted.status).toBe(422);
  });

  it("sees nothing hidden in the tools of MCP and their results", async () => {
    const { partner, key, inside, outside } = world;
    const headers = new Headers();
    for (const search of ["", `?${kind}s=${key}`]) {
      const tools = await toolsOf(partner, search);
      assertNoCanary({ text: JSON.stringify(tools), headers }, search);
      expect([search, JSON.stringify(tools)]).toEqual([search, expect.stringContaining(key)]);
    }
    const many = kind === "app" ? "records" : "submissions";
    const one = kind === "app" ? "record" : "submission";
    const calls: [string, Json][] = [
      ["read_definition", { [kind]: key }],
      [`list_${kind}s`, {}],
      [`search_${many}`, { [kind]: key }],
      [`search_${many}`, { [kind]: key, view: "canary" }],
      [`search_${many}`, { [kind]: key, conditions: [{ field: "zzpay", op: "gt", value: 1 }] }],
      [`aggregate_${many}`, { [kind]: key, metrics: { n: { op: "count" } } }],
      [`get_${one}`, { [kind]: key, id: inside.id }],
      [`get_${one}`, { [kind]: key, id: outside.id }],
      [`update_${one}`, { [kind]: key, id: outside.id, data: { amount: 1 } }],
      [`create_${one}`, { [kind]: key, data: { title: "m", team: "theirs" } }],
      [`create_${one}`, { [kind]: key, data: { title: "m", team: "ours", zzpay: 1 } }],
      [`search_${many}_${key}`, {}],
      [`create_${one}_${key}`, { data: { title: "m", team: "theirs" } }],
    ];
    for (const [name, toolArguments] of calls) {
      const result = await call(partner, name, toolArguments);
      const text = JSON.stringify(result);
      assertNoCanary({ text, headers }, JSON.stringify(toolArguments));
      expect([name, text]).toEqual([name, expect.not.stringMatching(/unknown tool|-32602/i)]);
    }
  });

  it("gets replays and cursors from before a change of the view as the view is now", async () => {
    const own = await narrowWorld(owner, kind);
    const { partner, items, base, itemPath } = own;
    const body = { data: { title: "once", team: "ours", amount: 3 } };
    const once = { "Idempotency-Key": "once" };
    const made = await ask(partner, { method: "POST", path: items, body }, once);
    expect(made.status).toBe(201);
    const page = await ask(partner, { method: "GET", path: `${items}?limit=1` });
    const sorted = await ask(partner, {
      method: "POST",
      path: `${items}/search`,
      body: { sort: [{ field: "amount" }], limit: 1 },
    });
    const feed = await ask(partner, { method: "GET", path: `${base}/changes` });
    const narrower = {
      ...viewOf(kind),
      fields: ["title"],
      conditions: [{ field: "team", op: "eq", value: "theirs" }],
    };
    expect((await owner.patch(`${base}/schema`, { views: [narrower] })).status).toBe(200);
    // Everything but the title is hidden now, and only the other item is shown.
    const replay = await partner.post(items, body, once);
    expect(replay.status).toBe(404);
    const latePage = await partner.get(page.body.links.next);
    expect(latePage.text).not.toMatch(/once|amount|888321/);
    const lateSearch = await partner.post(sorted.body.links.next, {
      sort: [{ field: "amount" }],
      limit: 1,
    });
    expect(lateSearch.status).toBe(422);
    expect((await partner.get(feed.body.links.next)).status).toBe(410);
    expect((await partner.get(itemPath(own.inside.id))).status).toBe(404);
    const late = await partner.post(`${items}/search`, { sort: [{ field: "amount" }] });
    expect(late.status).toBe(422);
    const schema = await partner.get(`${base}/schema`);
    expect(schema.body.fields.map((field: Json) => field.key)).toEqual(["title"]);
  });

  it("cannot use the cursor of a caller that sees everything", async () => {
    const { partner, items } = world;
    const whole = await owner.post(`${items}/search`, { sort: [{ field: "zzpay" }], limit: 1 });
    const address = new URL(whole.body.links.next as string);
    for (const sort of [[{ field: "zzpay" }], [{ field: "amount" }], []])
      expect((await partner.post(address.href, { sort, limit: 1 })).status).toBe(422);
    const cursor = address.searchParams.get("cursor");
    const used = await partner.get(`${items}?cursor=${encodeURIComponent(cursor ?? "")}`);
    expect(used.status).toBe(422);
  });

  // Only submissions are drafts.
  it.each([kind].filter((each) => each === "form"))(
    "of a %s submits a draft whose hidden reference it cannot reach, and cannot close what would leave",
    async () => {
      const { partner, items, people, itemPath } = world;
      const person = (await owner.get(`/apps/${people}/records`)).body.items[0].id;
      const make = async (data: object) =>
        (
          await owner.post(items, {
            status: "draft",
            data: { title: "draft", team: "ours", ...data },
          })
        ).body;
      const draft = await make({ zzref: person });
      const submitted = await ask(partner, {
        method: "PATCH",
        path: itemPath(draft.id),
        body: { status: "submitted" },
      });
      expect([submitted.status, submitted.body.status]).toEqual([200, "submitted"]);
      const visible = await make({ person });
      const refused = await partner.patch(itemPath(visible.id), { status: "submitted" });
      expect(refused.status).toBe(422);
      const batched = await make({ zzref: person });
      const batch = await ask(partner, {
        method: "POST",
        path: `${items}/batch`,
        body: { operations: [{ op: "update", id: batched.id, data: {}, status: "submitted" }] },
      });
      expect(batch.status).toBe(200);
      const closing = await ask(partner, {
        method: "PATCH",
        path: itemPath(draft.id),
        body: { status: "closed" },
      });
      expect(closing.body.errors).toMatchObject([{ code: "outside_view" }]);
    },
  );
});

it("A narrow credential is told nothing hidden by paths of the administration and public pages", async () => {
  const world = await narrowWorld(owner, "form");
  for (const path of [
    "/health",
    "/docs",
    `/admin/forms/${world.key}`,
    `/admin/forms/${world.key}/items`,
  ]) {
    const answer = await world.partner.send("GET", host + path, undefined, {
      Accept: "application/json",
    });
    assertNoCanary(answer, path);
    expect([path, answer.status]).not.toEqual([path, 500]);
  }
});
