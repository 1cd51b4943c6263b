import { beforeAll, describe, expect, it } from "vitest";
import { sweepStorage } from "../../src/schedule.ts";
import { eraseDeleted } from "../../src/store/data/erase-deleted.ts";
import { eraseDeletedItem, eraseDueItems } from "../../src/store/data/erase-deleted-items.ts";
import { Client, type Json } from "../support/client";
import { databases, dataDb } from "../support/databases";
import { background } from "../support/serve";
import { createWebhook, deliverNow, Receiver } from "../webhooks/receiver";
import { admin, client, issue, makeApp, makeForm } from "../support/service";

const dayMs = 24 * 60 * 60 * 1000;
const fields = [
  { key: "title", label: "Title", type: "text", searchable: true },
  { key: "amount", label: "Amount", type: "number", searchable: true },
];

let integrator: Client;
beforeAll(async () => {
  integrator = await client({ requests: 6000, writes: 6000 });
});

const items = (form: string) => `/forms/${form}/items`;
const create = async (form: string, title: string, headers = {}): Promise<Json> =>
  (await integrator.post(`/forms/${form}/submissions`, { data: { title } }, headers)).body;
const remove = (form: string, id: string) => admin("POST", `${items(form)}/${id}/delete`, {});
const restore = (form: string, id: string) =>
  admin("POST", `${items(form)}/deleted/${id}/restore`, {});
const erase = (form: string, id: string) => admin("POST", `${items(form)}/deleted/${id}/erase`, {});
const listDeleted = async (form: string): Promise<Json[]> =>
  (await admin("GET", `${items(form)}/deleted`)).body.items;
const changesOf = async (form: string): Promise<Json[]> =>
  (await integrator.get(`/forms/${form}/changes?all=true&limit=200`)).body.items;

/** Erases the items that are due after this time, and what their erasure queued. */
async function eraseDue(ms: number): Promise<void> {
  const later = Date.now() + ms;
  for (const db of background().databases.dataDatabases()) while (await eraseDueItems(db, later));
  await sweepStorage(background(), Date.now());
}

const count = (sql: string, ...values: unknown[]) =>
  dataDb
    .prepare(`SELECT count(*) n FROM ${sql}`)
    .bind(...values)
    .first<number>("n");

describe("Requests at once", () => {
  it("either edit an item before its deletion or are 404, and a restore returns the last edit", async () => {
    const form = await makeForm(integrator, fields);
    const { id } = await create(form, "first");
    const edits = Array.from({ length: 60 }, (_, index) =>
      integrator.patch(`/submissions/${id}`, { data: { amount: index } }),
    );
    const deletions = Array.from({ length: 40 }, () => remove(form, id));
    const [edited, deleted] = await Promise.all([Promise.all(edits), Promise.all(deletions)]);
    const counts = Object.groupBy([...edited, ...deleted], ({ status }) => status);
    expect(Object.keys(counts).filter((status) => !["200", "204", "404"].includes(status))).toEqual(
      [],
    );
    expect(deleted.filter(({ status }) => status === 204)).toHaveLength(1);
    const applied = edited.filter(({ status }) => status === 200);
    const feed = await changesOf(form);
    expect(feed.map(({ type }) => type)).toEqual([
      "created",
      ...applied.map(() => "updated"),
      "deleted",
    ]);
    const last = applied.toSorted((a, b) => a.body.version - b.body.version).at(-1);
    expect((await restore(form, id)).status).toBe(200);
    const { body } = await integrator.get(`/submissions/${id}`);
    expect(body.data.amount).toBe(last?.body.data.amount ?? null);
    expect(body.version).toBe(applied.length + 2);
  });

  it("restore an item once if a hundred members ask, and each is answered 200", async () => {
    const form = await makeForm(integrator, fields);
    const { id } = await create(form, "first");
    await remove(form, id);
    const answers = await Promise.all(Array.from({ length: 100 }, () => restore(form, id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await changesOf(form)).map(({ type }) => type)).toEqual([
      "created",
      "deleted",
      "created",
    ]);
    expect((await integrator.get(`/submissions/${id}`)).body.version).toBe(2);
  });
});

describe("An item with more than 200 changes", () => {
  async function changeOften(form: string): Promise<string> {
    const { id } = await create(form, "first");
    for (let batch = 0; batch < 3; batch += 1) {
      const operations = Array.from({ length: 100 }, (_, index) => ({
        op: "update",
        id,
        data: { amount: batch * 100 + index },
      }));
      const { status } = await integrator.post(`/forms/${form}/submissions/batch`, { operations });
      expect(status).toBe(200);
    }
    return id;
  }
  const formerCount = (id: string) =>
    count("change WHERE item_id = ? AND former IS NOT NULL AND former <> '{}'", id);

  it("keeps its whole history when it is restored", async () => {
    const form = await makeForm(integrator, fields);
    const id = await changeOften(form);
    const before = await formerCount(id);
    expect(before).toBeGreaterThanOrEqual(300);
    await remove(form, id);
    await sweepStorage(background(), Date.now());
    await restore(form, id);
    await sweepStorage(background(), Date.now());
    expect(await formerCount(id)).toBe(before);
    const { history } = (await admin("GET", `${items(form)}/${id}`)).body;
    const newest = history.items.slice(0, 3).map(({ action }: Json) => action);
    expect(newest).toEqual(["submission.restore", "submission.delete", "submission.update"]);
  });

  it.each(["permanently", "by the schedule"])(
    "has no former value left when it is erased %s",
    async (way) => {
      const form = await makeForm(integrator, fields);
      const id = await changeOften(form);
      await remove(form, id);
      await restore(form, id);
      await remove(form, id);
      if (way === "permanently") {
        expect((await erase(form, id)).status).toBe(204);
        await eraseDue(0);
      } else await eraseDue(7 * dayMs + 60_000);
      expect(await count("change WHERE item_id = ? AND former IS NOT NULL", id)).toBe(0);
      expect(await count("deleted_item WHERE id = ?", id)).toBe(0);
    },
  );
});

describe("A form that is deleted with deleted items", () => {
  const collectionId = (form: string) =>
    dataDb
      .prepare("SELECT abs(id) id FROM collection WHERE key = ?")
      .bind(form)
      .first<number>("id");
  async function deleteForm(form: string): Promise<string> {
    expect((await admin("POST", `/forms/${form}/delete`, { confirm: form })).status).toBe(204);
    const { items: deleted } = (await admin("GET", "/deleted")).body;
    return deleted.find(({ key }: Json) => key === form).id;
  }

  it("has them again when it is restored, and they can be restored", async () => {
    const form = await makeForm(integrator, fields);
    const { id } = await create(form, "first");
    await remove(form, id);
    const deletion = await deleteForm(form);
    expect((await admin("GET", `${items(form)}/deleted`)).status).toBe(404);
    expect((await restore(form, id)).status).toBe(404);
    expect((await erase(form, id)).status).toBe(404);
    expect((await admin("POST", `/deleted/${deletion}/restore`, {})).status).toBe(204);
    expect((await listDeleted(form)).map((item) => item.id)).toEqual([id]);
    expect((await restore(form, id)).status).toBe(200);
    expect((await integrator.get(`/submissions/${id}`)).status).toBe(200);
  });

  it("takes them along when it is erased", async () => {
    const form = await makeForm(integrator, fields);
    const { id } = await create(form, "first");
    await integrator.patch(`/submissions/${id}`, { data: { title: "second" } });
    await remove(form, id);
    const number = await collectionId(form);
    await deleteForm(form);
    const { databases: all } = background();
    for (const db of all.dataDatabases())
      while (await eraseDeleted(all, db, "request", Date.now() + 8 * dayMs));
    for (const table of ["deleted_item", "change"])
      expect(await count(`${table} WHERE number / 4294967296 = ?`, number)).toBe(0);
  });
});

describe("A retry of the create", () => {
  const send = (form: string) => create(form, "first", { "Idempotency-Key": `${form}-key` });
  const retry = (form: string) =>
    integrator.post(
      `/forms/${form}/submissions`,
      { data: { title: "first" } },
      { "Idempotency-Key": `${form}-key` },
    );

  it("returns the first response while the item is deleted or restored, and 404 once it is erased", async () => {
    const form = await makeForm(integrator, fields);
    const first = await send(form);
    await remove(form, first.id);
    expect((await retry(form)).body).toEqual(first);
    await restore(form, first.id);
    expect((await retry(form)).body).toEqual(first);
    await remove(form, first.id);
    await erase(form, first.id);
    await sweepStorage(background(), Date.now());
    await expect.poll(async () => (await retry(form)).status).toBe(404);
    expect((await integrator.get(`/forms/${form}/submissions`)).body.items).toEqual([]);
  });

  it("still returns the first response if an erasure came after a restore", async () => {
    const form = await makeForm(integrator, fields);
    const first = await send(form);
    const row = await dataDb
      .prepare("SELECT number, collection_id FROM item WHERE id = ?")
      .bind(first.id)
      .first<{ number: number; collection_id: number }>();
    const db = databases.of({ id: row?.collection_id ?? 0 });
    const isErased = await eraseDeletedItem(db, row?.number ?? 0, {
      at: Date.now(),
      actor: "system",
      action: "submission.erase",
      collectionId: row?.collection_id ?? 0,
      version: null,
      session: null,
      requestId: "request",
      sentRequestId: null,
      detail: null,
    });
    expect(isErased).toBe(false);
    await sweepStorage(background(), Date.now());
    expect((await retry(form)).body).toEqual(first);
  });
});

describe("The rights", () => {
  it("do not let a path of another form or app reach a deleted item", async () => {
    const [form, other] = [await makeForm(integrator, fields), await makeForm(integrator, fields)];
    const app = await makeApp(integrator, fields);
    const { id } = await create(form, "first");
    await remove(form, id);
    for (const base of [items(other), `/apps/${app}/items`, `/apps/${form}/items`])
      for (const action of ["restore", "erase"])
        expect((await admin("POST", `${base}/deleted/${id}/${action}`, {})).status).toBe(404);
    expect((await listDeleted(form)).map((item) => item.id)).toEqual([id]);
  });

  it("refuse a restore and an erasure that another website sends", async () => {
    const form = await makeForm(integrator, fields);
    const { id } = await create(form, "first");
    await remove(form, id);
    const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
    for (const action of ["restore", "erase"]) {
      const path = `${items(form)}/deleted/${id}/${action}`;
      expect((await admin("POST", path, {}, foreign)).status).toBe(403);
    }
    expect((await listDeleted(form)).map((item) => item.id)).toEqual([id]);
  });
});

describe("Readers of a view", () => {
  it("see that a deleted item left and that a restored item entered, in feeds and webhooks", async () => {
    const views = [
      {
        key: "large",
        name: "Large",
        conditions: [{ field: "amount", op: "gte", value: 10 }],
        fields: ["title", "amount"],
      },
    ];
    const app = await makeApp(integrator, fields, { views });
    const list = `/apps/${app}/records`;
    const { token } = await issue({
      permissions: ["records:read"],
      resources: [`app:${app}/large`],
    });
    const narrow = new Client(token);
    const receiver = new Receiver();
    const types = ["record.created", "record.updated", "record.deleted"];
    const hook = await createWebhook(integrator, receiver, {
      types,
      collections: [`app:${app}/large`],
    });
    const make = async (amount: number) =>
      (await integrator.post(list, { data: { title: "t", amount } })).body.id;
    const [large, small] = [await make(20), await make(1)];
    const start = (await narrow.get(`/apps/${app}/changes?all=true`)).body;
    for (const id of [large, small]) {
      await admin("POST", `/apps/${app}/items/${id}/delete`, {});
      await admin("POST", `/apps/${app}/items/deleted/${id}/restore`, {});
    }
    const next = (await narrow.get(start.links.next.replace(/^.*\/api\/v1/, ""))).body;
    expect(next.items.map(({ id, type, version }: Json) => [id, type, version])).toEqual([
      [large, "deleted", 1],
      [large, "created", 2],
    ]);
    await deliverNow(hook.id);
    expect(receiver.accepted.map(({ body }) => [body.type, body.data.id])).toEqual([
      ["record.created", large],
      ["record.deleted", large],
      ["record.created", large],
    ]);
  });
});
