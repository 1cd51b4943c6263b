import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { eraseExpired } from "../../src/actions/retention.ts";
import { Client, root, type Answer, type Json } from "../support/client";
import { background } from "../support/serve";
import { admin, client, issue, makeForm } from "../support/service";
import { createWebhook, deliverNow, Receiver } from "../webhooks/receiver";

/** A view, its credentials and its items change while a narrow credential works. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const rights = ["submissions:read", "submissions:write", "submissions:delete"];
const fields = [
  { key: "title", type: "text", max_length: 2000 },
  { key: "team", type: "text" },
  { key: "note", type: "text" },
];
const viewOf = (team: string, shown = ["title", "team", "note"]) => ({
  views: [
    { key: "v", name: "V", conditions: [{ field: "team", op: "eq", value: team }], fields: shown },
  ],
});
const dayMs = 24 * 60 * 60 * 1000;
const plain = ({ status, text }: Answer) => [
  status,
  text.replace(/"request_id":"[^"]*"/, "").replaceAll(/"schema_version":\d+/g, ""),
];

/** A form with so many items that a download reads the last ones, which are secret, only when the client goes on. */
async function makeLongForm(): Promise<string> {
  const form = await makeForm(owner, fields, viewOf("ours"));
  const title = "t".repeat(1200);
  for (let batch = 0; batch < 13; batch += 1) {
    const operations = Array.from({ length: 100 }, () => ({
      op: "create",
      data: { title, team: "ours", note: batch < 10 ? "early" : "SECRET" },
    }));
    const { status } = await owner.post(`/forms/${form}/submissions/batch`, { operations });
    expect(status).toBe(200);
  }
  return form;
}

/** Reads the start of a download. Returns what reads the rest. */
async function startDownload(form: string, bearer: string, type: string) {
  const response = await exports.default.fetch(
    new Request(`${root}/forms/${form}/submissions`, {
      headers: { Authorization: `Bearer ${bearer}`, Accept: type },
    }),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain("early");
  return async () => {
    let rest = "";
    const readAll = async () => {
      for (;;) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) return "ended";
        rest += value;
      }
    };
    const end = await readAll().catch(() => "aborted");
    return { end, rest };
  };
}

describe("A download of a narrow credential", () => {
  const downloads: [string, string, object][] = [
    ["application/x-ndjson", "other items", viewOf("theirs")],
    ["application/x-ndjson", "fewer fields", viewOf("ours", ["title", "team"])],
    ["text/csv", "fewer fields", viewOf("ours", ["title", "team"])],
  ];

  it.each(downloads)(
    "as %s follows the view from the next step when it shows %s",
    async (type, _, changed) => {
      const form = await makeLongForm();
      const partner = await client({ permissions: rights, resources: [`form:${form}/v`] });
      const readRest = await startDownload(form, partner.bearer, type);
      expect((await owner.patch(`/forms/${form}/schema`, changed)).status).toBe(200);
      const { end, rest } = await readRest();
      expect(rest).not.toContain("SECRET");
      // A table has one header, so it cannot go on with other fields.
      expect(end).toBe(type === "text/csv" ? "aborted" : "ended");
    },
  );
});

describe("A download", () => {
  const changes: [string, (id: string, form: string) => Promise<Answer>][] = [
    [
      "is narrowed to a view",
      (id, form) => admin("POST", `/integrations/${id}`, { resources: [`form:${form}/v`] }),
    ],
    ["is revoked", (id) => admin("POST", `/integrations/${id}/revoke`, {})],
  ];

  it.each(changes)("ends when its credential %s", async (_, change) => {
    const form = await makeLongForm();
    const { id, token } = await issue({ permissions: rights, resources: [`form:${form}`] });
    const readRest = await startDownload(form, token, "application/x-ndjson");
    expect((await change(id, form)).status).toBeLessThan(300);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const { end, rest } = await readRest();
    expect([end, rest.includes("SECRET")]).toEqual(["aborted", false]);
  });
});

describe("After its item left the view, a narrow credential", () => {
  const ends: [string, (form: string, id: string) => Promise<unknown>][] = [
    ["is deleted", (_, id) => owner.delete(`/submissions/${id}`)],
    ["is erased", (form, id) => admin("POST", `/forms/${form}/items/${id}/erase`, {})],
    [
      "expires",
      async (form) => {
        const rule = { retain: { days: 1, only: "all" } };
        expect((await owner.patch(`/forms/${form}/schema`, rule)).status).toBe(200);
        const { replays: _, ...ctx } = background();
        await eraseExpired({ ...ctx, now: () => Date.now() + 9 * dayMs });
      },
    ],
  ];

  it.each(ends)("is not told that it %s", async (_, end) => {
    const form = await makeForm(owner, fields, viewOf("ours"));
    const items = `/forms/${form}/submissions`;
    const partner = await client({ permissions: rights, resources: [`form:${form}/v`] });
    const key = { "Idempotency-Key": "once" };
    const body = { data: { title: "a", team: "ours" } };
    const { id } = (await partner.post(items, body, key)).body;
    const operations = [{ op: "update", id, data: { title: "b" } }];
    const batch = { "Idempotency-Key": "batch" };
    await partner.post(`${items}/batch`, { operations }, batch);
    await owner.patch(`/submissions/${id}`, { data: { team: "theirs" } });
    const { body: feed } = await partner.get(items.replace(/submissions$/, "changes"));
    const ask = async () => [
      plain(await partner.get(`/submissions/${id}`)),
      plain(await partner.post(items, body, key)),
      plain(await partner.post(`${items}/batch`, { operations }, batch)),
      plain(await partner.patch(`/submissions/${id}`, { data: { title: "c" } })),
      plain(await partner.delete(`/submissions/${id}`)),
      plain(await partner.post(`${items}/search`, { conditions: [] })),
      plain(await partner.post(`${items}/aggregate`, { metrics: { n: { op: "count" } } })),
      (await partner.get(feed.links.next)).body.items,
      (await partner.get(items.replace(/submissions$/, "changes?all=true"))).body.items.map(
        ({ id: changed, type, version }: Json) => [changed, type, version],
      ),
    ];
    const before = await ask();
    await end(form, id);
    expect((await owner.get(`/submissions/${id}`)).status).toBe(404);
    expect(await ask()).toEqual(before);
  });
});

describe("A webhook", () => {
  it("sends nothing after its maker was narrowed to a view", async () => {
    const form = await makeForm(owner, fields, viewOf("ours"));
    const permissions = ["submissions:read", "webhooks:manage"];
    const { id, token } = await issue({ permissions, resources: [`form:${form}`] });
    const receiver = new Receiver();
    const maker = new Client(token);
    const hook = await createWebhook(maker, receiver, { collections: [`form:${form}`] });
    const create = (team: string) =>
      owner.post(`/forms/${form}/submissions`, { data: { title: "a", team } });
    await create("theirs");
    await deliverNow(hook.id);
    expect(receiver.received).toHaveLength(1);
    const narrowed = { permissions: ["submissions:read"], resources: [`form:${form}/v`] };
    expect((await admin("POST", `/integrations/${id}`, narrowed)).status).toBe(200);
    await create("ours");
    await create("theirs");
    await deliverNow(hook.id);
    expect(receiver.received).toHaveLength(1);
    expect((await maker.get(`/webhooks/${hook.id}/deliveries`)).status).toBe(403);
  });
});
