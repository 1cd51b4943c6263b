import { createExecutionContext } from "cloudflare:test";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { runBackfill } from "../../src/actions/backfill.ts";
import { app as worker } from "../../src/app.ts";
import type { Client, Fetch, Json } from "../support/client";
import { dataDb } from "../support/databases";
import { client, makeApp, makeForm } from "../support/service";
import { background, serviceWith } from "../support/serve";

/** Found by an attacker with a narrow credential and the code. */

const rights = [
  "records:read",
  "records:write",
  "submissions:read",
  "submissions:write",
  "submissions:delete",
  "schema:read",
];
let owner: Client;
beforeAll(async () => {
  owner = await client();
});
const run = (sql: string) => dataDb.prepare(sql).run();
const withoutBackgroundWork = async (requests: () => Promise<unknown>) => {
  for (const [name, when] of Object.entries({ t1: "update on indexing", t2: "update on item" }))
    await run(`create trigger ${name} before ${when} begin select raise(abort, 'gone'); end`);
  await run("create trigger t3 before delete on indexing begin select raise(abort, 'gone'); end");
  try {
    await requests();
  } finally {
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const name of ["t1", "t2", "t3"]) await run(`drop trigger ${name}`);
  }
};
afterEach(async () => {
  await runBackfill(background()).catch(() => undefined);
});
const nextPath = (answer: Json) => {
  const { pathname, search } = new URL(answer.body.links.next);
  return pathname.replace("/api/v1", "") + search;
};

describe("A narrow credential", () => {
  it("changes nothing with an empty update, also when the result of a hidden formula is outdated", async () => {
    const days = (count: number) => Date.now() + count * 24 * 60 * 60 * 1000;
    const fields = [
      { key: "title", type: "text" },
      { key: "due", type: "date" },
      {
        key: "late",
        type: "computed",
        formula: "days_between(due, today()) > 0",
        result: "boolean",
      },
    ];
    const view = { key: "v", name: "V", fields: ["title"] };
    const form = await makeForm(owner, fields, { views: [view] });
    const items = `/forms/${form}/submissions`;
    const partner = await client({ permissions: rights, resources: [`form:${form}/v`] });
    const due = new Date(days(5)).toISOString().slice(0, 10);
    const { id, version } = (await owner.post(items, { data: { title: "t", due } })).body;
    vi.useFakeTimers({ toFake: ["Date"], now: days(9) });
    try {
      for (const data of [{}, { title: "t" }]) {
        expect((await partner.patch(`/submissions/${id}`, { data })).body.version).toBe(version);
        const operations = [{ op: "update", id, data }];
        const batch = await partner.post(`${items}/batch`, { operations });
        expect(batch.body.results).toMatchObject([{ outcome: "unchanged" }]);
      }
      const changed = await partner.patch(`/submissions/${id}`, { data: { title: "u" } });
      expect(changed.body.version).toBe(version + 1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("gets as many items on a page however many fields its view hides", async () => {
    const hidden = Array.from({ length: 400 }, (_, n) => ({
      key: `h${n}_${"k".repeat(54)}`,
      type: "text",
      searchable: false,
    }));
    const title = { key: "title", type: "text" };
    const view = { key: "v", name: "V", fields: ["title"] };
    const lengths: number[] = [];
    for (const fields of [[title], [title, ...hidden], [title, ...hidden.slice(0, 380)]]) {
      const app = await makeApp(owner, fields, { views: [view] });
      const operations = Array.from({ length: 100 }, (_, n) => ({
        op: "create",
        data: { title: `t${n}` },
      }));
      for (let n = 0; n < 2; n += 1)
        expect((await owner.post(`/apps/${app}/records/batch`, { operations })).status).toBe(200);
      const partner = await client({ permissions: rights, resources: [`app:${app}/v`] });
      lengths.push((await partner.get(`/apps/${app}/records?limit=200`)).body.items.length);
    }
    expect(lengths).toEqual([200, 200, 200]);
  });

  it.each(["change", "deletion"])(
    "gets the same next page after the %s of an item that its view does not show any more",
    async (what) => {
      const form = await makeForm(
        owner,
        [
          { key: "title", type: "text", max_length: 500 },
          { key: "team", type: "text" },
        ],
        {
          views: [
            { key: "v", name: "V", conditions: [{ field: "team", op: "eq", value: "ours" }] },
          ],
        },
      );
      const items = `/forms/${form}/submissions`;
      const partner = await client({ permissions: rights, resources: [`form:${form}/v`] });
      const make = async (title: string) =>
        (await partner.post(items, { data: { title, team: "ours" } })).body;
      const long = "b".repeat(100);
      const y = await make(`${long}a`);
      const x = await make(`${long}z`);
      const z = await make("c");
      const body = { sort: [{ field: "title" }], limit: 2 };
      const first = await partner.post(`${items}/search`, body);
      expect(first.body.items.map(({ id }: Json) => id)).toEqual([y.id, x.id]);
      const next = nextPath(first);
      const follow = async () =>
        (await partner.post(next, body)).body.items.map(({ id }: Json) => id);
      expect(await follow()).toEqual([z.id]);
      await owner.patch(`/submissions/${x.id}`, { data: { team: "theirs" } });
      expect((await partner.get(`/submissions/${x.id}`)).status).toBe(404);
      const before = await follow();
      if (what === "change")
        await owner.patch(`/submissions/${x.id}`, { data: { title: "secret" } });
      else await owner.delete(`/submissions/${x.id}`);
      const after = await follow();
      expect(after).toEqual(before);
    },
  );

  it("cannot refer by a unique field that its view has just hidden, in an isolate that knows the former view", async () => {
    const view = (fields: string[]) => ({
      views: [
        { key: "v", name: "V", conditions: [{ field: "team", op: "eq", value: "Design" }], fields },
      ],
    });
    const app = await makeApp(
      owner,
      [
        { key: "code", type: "text", unique: true },
        { key: "name", type: "text" },
        { key: "team", type: "text" },
      ],
      view(["code", "name"]),
    );
    const record = (
      await owner.post(`/apps/${app}/records`, { data: { code: "A", team: "Design" } })
    ).body;
    const notes = await makeApp(owner, [{ key: "about", type: "reference", app }]);
    const caller = await client({
      permissions: rights,
      resources: [`app:${notes}`, `app:${app}/v`],
    });
    const service = serviceWith();
    const elsewhere: Fetch = async (request) =>
      worker.fetch(request, service, createExecutionContext());
    const stale = caller.through(elsewhere);
    const post = (about: unknown) => stale.post(`/apps/${notes}/records`, { data: { about } });
    expect((await post({ code: "A" })).status).toBe(201);
    expect((await owner.patch(`/apps/${app}/schema`, view(["name"]))).status).toBe(200);
    await owner.patch(`/apps/${app}/records/${record.id}`, { data: { code: "SECRET7" } });
    const guesses = ["SECRET7"];
    const answer = await stale.post(`/apps/${notes}/records/batch`, {
      operations: guesses.map((code) => ({ op: "create", data: { about: { code } } })),
    });
    expect(answer.status).toBe(422);
  });

  it("cannot refer to records while a field of their view is being indexed", async () => {
    const note = (searchable: boolean) => ({ key: "note", type: "text", searchable });
    const name = { key: "name", type: "text" };
    const app = await makeApp(owner, [name, note(false)], {
      views: [
        {
          key: "v",
          name: "V",
          conditions: [{ field: "name", op: "eq", value: "x" }],
          fields: ["name"],
        },
      ],
    });
    const hidden = (
      await owner.post(`/apps/${app}/records`, { data: { name: "n", note: "secret" } })
    ).body;
    const notes = await makeApp(owner, [{ key: "about", type: "reference", app }]);
    const caller = await client({
      permissions: rights,
      resources: [`app:${notes}`, `app:${app}/v`],
    });
    const post = (about: unknown) => caller.post(`/apps/${notes}/records`, { data: { about } });
    expect((await post(hidden.id)).status).toBe(422);
    let during: Json;
    await withoutBackgroundWork(async () => {
      const put = await owner.put(`/apps/${app}/schema`, {
        fields: [name, note(true)],
        views: [
          {
            key: "v",
            name: "V",
            conditions: [{ not: { field: "note", op: "contains", value: "secret" } }],
            fields: ["name"],
          },
        ],
      });
      expect(put.status).toBe(200);
      during = [
        (await post(hidden.id)).status,
        (await post(hidden.receipt_number)).status,
        (await caller.get(`/apps/${app}/records/${hidden.id}`)).status,
      ];
    });
    await runBackfill(background());
    const after = (await post(hidden.id)).status;
    expect([during, after]).toEqual([[503, 503, 404], 422]);
  });

  it("gets 409 for an upsert that creates an item with a unique value of another", async () => {
    const app = await makeApp(owner, [
      { key: "email", type: "email", unique: true },
      { key: "code", type: "text", unique: true },
    ]);
    await owner.post(`/apps/${app}/records`, { data: { email: "a@example.com", code: "1" } });
    const answer = await owner.post(`/apps/${app}/records/batch`, {
      operations: [{ op: "upsert", by: "email", data: { email: "b@example.com", code: "1" } }],
    });
    expect(answer.status).toBe(409);
  });
});
