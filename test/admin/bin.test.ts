import { beforeAll, describe, expect, it } from "vitest";
import { repeatErasures } from "../../src/actions/repeat-erasures.ts";
import { eraseDueItems } from "../../src/store/data/erase-deleted-items.ts";
import type { Answer, Client, Json } from "../support/client";
import { dataDb } from "../support/databases";
import { attachedFile } from "../support/admin-files";
import { as, newMember } from "../support/members";
import { background } from "../support/serve";
import { createWebhook, deliverNow, Receiver } from "../webhooks/receiver";
import { admin, anonymous, client, makeApp, makeForm, ownerCookie } from "../support/service";

const dayMs = 24 * 60 * 60 * 1000;
const fields = [
  { key: "title", label: "Title", type: "text", unique: true, searchable: true },
  { key: "amount", label: "Amount", type: "number", searchable: true },
];

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

interface Place {
  /** The path of the items in the area. */
  items: string;
  /** The path of the items in the API. */
  list: string;
  feed: string;
  item: (id: string) => string;
}

async function makePlace(kind: "app" | "form", extra: object = {}): Promise<Place> {
  const key =
    kind === "app"
      ? await makeApp(integrator, fields, extra)
      : await makeForm(integrator, fields, extra);
  const list = kind === "app" ? `/apps/${key}/records` : `/forms/${key}/submissions`;
  return {
    items: `/${kind}s/${key}/items`,
    list,
    feed: `/${kind}s/${key}/changes?all=true`,
    item: (id) => (kind === "app" ? `${list}/${id}` : `/submissions/${id}`),
  };
}

const create = async ({ list }: Place, title: string): Promise<Json> =>
  (await integrator.post(list, { data: { title, amount: 1 } })).body;
const remove = ({ items }: Place, id: string) => admin("POST", `${items}/${id}/delete`, {});
const restore = ({ items }: Place, id: string) =>
  admin("POST", `${items}/deleted/${id}/restore`, {});
const erase = ({ items }: Place, id: string) => admin("POST", `${items}/deleted/${id}/erase`, {});
const listDeleted = async ({ items }: Place): Promise<Json[]> =>
  (await admin("GET", `${items}/deleted`)).body.items;
/** Erases what is due after this time. */
async function eraseDue(ms: number): Promise<void> {
  for (const db of background().databases.dataDatabases())
    while (await eraseDueItems(db, Date.now() + ms));
}
const countOf = (table: string, id: string) =>
  dataDb.prepare(`SELECT count(*) n FROM ${table} WHERE id = ?`).bind(id).first<number>("n");

describe.each(["app", "form"] as const)("Deleting an item of an %s", (kind) => {
  it("hides it from every reader, frees its unique value, and lists it with who deleted it", async () => {
    const place = await makePlace(kind);
    const { id, receipt_number: receipt } = await create(place, "Desk");
    expect((await remove(place, id)).status).toBe(204);
    expect((await integrator.get(place.item(id))).status).toBe(404);
    expect((await integrator.get(place.list)).body.items).toEqual([]);
    const search = { conditions: [{ field: "amount", op: "eq", value: 1 }] };
    expect((await integrator.post(`${place.list}/search`, search)).body.items).toEqual([]);
    const { body: feed } = await integrator.get(place.feed);
    expect(feed.items.at(-1)).toMatchObject({ id, type: "deleted", version: 1, etag: '"1"' });
    expect(feed.items.at(-1)).not.toHaveProperty("item");
    const [deleted] = await listDeleted(place);
    expect(deleted).toMatchObject({ id, title: "Desk", receipt_number: receipt ?? null });
    expect(Date.parse(deleted?.erased_from) - Date.parse(deleted?.deleted_at)).toBe(7 * dayMs);
    expect((await create(place, "Desk")).id).not.toBe(id);
  });

  it("restores it with its ID, number, times and history, in the next version", async () => {
    const place = await makePlace(kind);
    const { id } = await create(place, "Desk");
    await integrator.patch(place.item(id), { data: { amount: 2 } });
    const before = (await integrator.get(place.item(id))).body;
    await remove(place, id);
    expect((await restore(place, id)).status).toBe(200);
    const after = (await integrator.get(place.item(id))).body;
    const { updated_at: _a, updated_by: _b, etag: _f, version, ...same } = after;
    const { updated_at: _c, updated_by: _d, etag: _g, version: _e, ...expected } = before;
    expect(same).toEqual(expected);
    expect(version).toBe(3);
    const search = { conditions: [{ field: "amount", op: "eq", value: 2 }] };
    const found = await integrator.post(`${place.list}/search`, search);
    expect(found.body.items.map((item: Json) => item.id)).toEqual([id]);
    const { body: feed } = await integrator.get(place.feed);
    const types = feed.items.map((change: Json) => [change.type, change.version]);
    expect(types).toEqual([
      ["created", 1],
      ["updated", 2],
      ["deleted", 2],
      ["created", 3],
    ]);
    const { history } = (await admin("GET", `${place.items}/${id}`)).body;
    const word = kind === "app" ? "record" : "submission";
    expect(history.items.map((entry: Json) => entry.action)).toEqual(
      ["restore", "delete", "update", "create"].map((action) => `${word}.${action}`),
    );
    const audit = (await admin("GET", `/audit?subject=${id}&action=${word}.restore`)).body.items;
    expect(audit).toHaveLength(1);
    expect(await listDeleted(place)).toEqual([]);
    expect((await integrator.post(place.list, { data: { title: "Desk" } })).status).toBe(409);
    // It can be deleted again at once, and a lost answer does no harm.
    expect((await restore(place, id)).status).toBe(200);
    expect((await remove(place, id)).status).toBe(204);
    expect((await restore(place, id)).status).toBe(200);
  });

  it("refuses a restore while another item has the unique value, and names field and value", async () => {
    const place = await makePlace(kind);
    const { id } = await create(place, "Desk");
    await remove(place, id);
    const other = await create(place, "Desk");
    const refused = await restore(place, id);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toBe(
      "Not restored: another item has “Desk” in Title, which must be unique.",
    );
    expect((await listDeleted(place)).map((item) => item.id)).toEqual([id]);
    await remove(place, other.id);
    expect((await restore(place, id)).status).toBe(200);
  });

  it("erases it at once for owners and admins, and its restore is then 404", async () => {
    const place = await makePlace(kind);
    const { id } = await create(place, "Desk");
    await integrator.patch(place.item(id), { data: { title: "Chair" } });
    await remove(place, id);
    const editor = as((await newMember("editor")).cookie);
    expect((await editor("POST", `${place.items}/deleted/${id}/erase`, {})).status).toBe(403);
    expect((await erase(place, id)).status).toBe(204);
    expect((await restore(place, id)).status).toBe(404);
    expect((await erase(place, id)).status).toBe(404);
    const former = dataDb.prepare(
      "SELECT count(*) n FROM change WHERE item_id = ? AND former IS NOT NULL",
    );
    expect(await former.bind(id).first("n")).toBe(0);
    expect(await countOf("erased_item", id)).toBe(1);
    // The feed has the deletion once.
    const { body: feed } = await integrator.get(place.feed);
    expect(feed.items.filter((change: Json) => change.type === "deleted")).toHaveLength(1);
    const word = kind === "app" ? "record" : "submission";
    const audit = (await admin("GET", `/audit?subject=${id}&action=${word}.erase`)).body.items;
    expect(audit).toHaveLength(1);
  });

  it("erases it after 7 days, not earlier", async () => {
    const place = await makePlace(kind);
    const { id } = await create(place, "Desk");
    await integrator.patch(place.item(id), { data: { title: "Chair" } });
    await remove(place, id);
    await eraseDue(7 * dayMs - 60_000);
    expect(await countOf("deleted_item", id)).toBe(1);
    await eraseDue(7 * dayMs + 60_000);
    expect(await countOf("deleted_item", id)).toBe(0);
    const former = dataDb.prepare(
      "SELECT count(*) n FROM change WHERE item_id = ? AND former IS NOT NULL",
    );
    expect(await former.bind(id).first("n")).toBe(0);
    expect((await restore(place, id)).status).toBe(404);
  });
});

describe("The roles", () => {
  it("let editors delete and restore, and show viewers nothing", async () => {
    const place = await makePlace("app");
    const { id } = await create(place, "Desk");
    const [editor, viewer] = [
      as((await newMember("editor")).cookie),
      as((await newMember("viewer")).cookie),
    ];
    const paths = [`${place.items}/${id}/delete`, `${place.items}/deleted/${id}/restore`];
    for (const path of paths) {
      expect((await viewer("POST", path, {})).status).toBe(403);
      expect((await editor("POST", path, {})).status).toBeLessThan(300);
    }
    expect((await viewer("GET", `${place.items}/deleted`)).status).toBe(403);
    expect((await editor("GET", `${place.items}/deleted`)).status).toBe(200);
  });
});

describe("Races", () => {
  const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).toSorted();

  it("restore an item once, however many ask at once", async () => {
    const place = await makePlace("form");
    const { id } = await create(place, "Desk");
    await remove(place, id);
    const answers = await Promise.all(Array.from({ length: 20 }, () => restore(place, id)));
    expect(new Set(statusesOf(answers))).toEqual(new Set([200]));
    const { body: feed } = await integrator.get(place.feed);
    expect(feed.items.map((change: Json) => change.type)).toEqual([
      "created",
      "deleted",
      "created",
    ]);
  });

  it("let either a restore or an erasure win", async () => {
    const place = await makePlace("form");
    const { id } = await create(place, "Desk");
    await remove(place, id);
    const [restored, erased] = await Promise.all([restore(place, id), erase(place, id)]);
    const isThere = (await integrator.get(place.item(id))).status === 200;
    expect([restored.status, erased.status]).toEqual(isThere ? [200, 404] : [404, 204]);
  });

  it("give a unique value to a restored item or to a new one", async () => {
    const place = await makePlace("app");
    const { id } = await create(place, "Desk");
    await remove(place, id);
    const [restored, created] = await Promise.all([
      restore(place, id),
      integrator.post(place.list, { data: { title: "Desk" } }),
    ]);
    expect([
      [200, 409],
      [409, 201],
    ]).toContainEqual([restored.status, created.status]);
    expect((await integrator.get(place.list)).body.items).toHaveLength(1);
  });

  it("never let a form have more than its maximum", async () => {
    const place = await makePlace("form", { acceptance: { max_submissions: 3 } });
    const ids: string[] = [];
    for (const title of ["a", "b", "c"]) ids.push((await create(place, title)).id);
    for (const id of ids) await remove(place, id);
    await create(place, "d");
    const answers = await Promise.all(ids.map((id) => restore(place, id)));
    expect(statusesOf(answers)).toEqual([200, 200, 409]);
    expect((await integrator.get(place.list)).body.items).toHaveLength(3);
  });
});

describe("A definition that changed", () => {
  it("gives the restored item the values, results and unique values that it has now", async () => {
    const key = await makeForm(integrator, [
      { key: "title", type: "text" },
      { key: "amount", type: "number" },
      { key: "code", type: "text" },
    ]);
    const place = {
      items: `/forms/${key}/items`,
      list: `/forms/${key}/submissions`,
      feed: `/forms/${key}/changes?all=true`,
      item: (id: string) => `/submissions/${id}`,
    };
    const data = { title: "Desk", amount: 2, code: "not a number" };
    const { id } = (await integrator.post(place.list, { data })).body;
    await remove(place, id);
    await integrator.put(`/forms/${key}/schema`, {
      fields: [
        { key: "title", type: "text", unique: true, searchable: true },
        { key: "amount", type: "number" },
        { key: "double", type: "computed", formula: "amount * 2.0", result: "number" },
        { key: "code", type: "number" },
      ],
    });
    await expect
      .poll(async () => (await integrator.get(`/forms/${key}/schema`)).body.fields.length)
      .toBe(4);
    expect((await restore(place, id)).status).toBe(200);
    const { body } = await integrator.get(place.item(id));
    expect(body.data).toEqual({ title: "Desk", amount: 2, double: 4, code: null });
    expect((await integrator.post(place.list, { data: { title: "Desk" } })).status).toBe(409);
    const search = { conditions: [{ field: "title", op: "eq", value: "Desk" }] };
    expect((await integrator.post(`${place.list}/search`, search)).body.items).toHaveLength(1);
  });
});

describe("Bulk deletion", () => {
  const headers = async () => ({ Accept: "text/html", Cookie: await ownerCookie() });
  const select = (place: Place, ids: string[]) =>
    ({ act: "delete", ids, sure: "yes" }) satisfies Json;

  it("offers to undo it, and says what it could not restore", async () => {
    const place = await makePlace("app");
    const ids: string[] = [];
    for (const title of ["a", "b", "c"]) ids.push((await create(place, title)).id);
    const sent = await anonymous(
      "POST",
      `/admin${place.items}/selected`,
      select(place, ids),
      await headers(),
    );
    const cookie = sent.headers.getSetCookie().find((each) => each.startsWith("__Host-said="));
    const said = decodeURIComponent(cookie?.split(";")[0]?.slice("__Host-said=".length) ?? "");
    const { shown, undo } = JSON.parse(said.slice(1));
    expect(shown).toBe("3 records deleted");
    await create(place, "b");
    const undone = await admin("POST", undo.action.replace("/admin", ""), undo.values);
    expect(undone.body).toEqual({ done: 2, refused: 1 });
    expect((await integrator.get(place.list)).body.items).toHaveLength(3);
    // Undoing twice does no harm.
    expect((await admin("POST", undo.action.replace("/admin", ""), undo.values)).status).toBe(200);
    expect((await listDeleted(place)).map((item) => item.id)).toEqual([ids[1]]);
  });
});

describe("A deletion without script", () => {
  it("shows “Undo” beside its notice, and the list links to the deleted items", async () => {
    const place = await makePlace("form");
    const { id } = await create(place, "Desk chair");
    const cookie = await ownerCookie();
    const page = { Accept: "text/html", Cookie: cookie };
    const sent = await anonymous("POST", `/admin${place.items}/${id}/delete`, {}, page);
    const said = sent.headers.getSetCookie().find((each) => each.startsWith("__Host-said="));
    const shown = await anonymous("GET", `/admin${place.items}`, undefined, {
      ...page,
      Cookie: `${cookie}; ${said?.split(";")[0] ?? ""}`,
    });
    expect(shown.text).toContain("Desk chair deleted");
    expect(shown.text).toContain(`action="/admin${place.items}/deleted/${id}/restore"`);
    expect(shown.text).toContain(`href="/admin${place.items}/deleted"`);
    const list = await anonymous("GET", `/admin${place.items}/deleted`, undefined, page);
    expect(list.text).toContain("Permanently deleted on");
    const restored = await anonymous(
      "POST",
      `/admin${place.items}/deleted/${id}/restore`,
      {},
      page,
    );
    expect(restored.headers.get("Location")).toBe(`/admin${place.items}/${id}`);
  });
});

describe("Personal data", () => {
  it("is found in deleted items, and can be erased there", async () => {
    const place = await makePlace("form");
    const { id } = await create(place, "Ada Lovelace bin");
    await remove(place, id);
    const { body: search } = await admin("POST", "/people", { text: "Lovelace bin" });
    const found = async () => (await admin("GET", `/people/${search.id}`)).body;
    await expect.poll(async () => (await found()).state, { timeout: 10_000 }).toBe("done");
    const { items } = await found();
    expect(items).toMatchObject([{ id, deleted: true }]);
    await erase(place, id);
    expect((await found()).items).toEqual([]);
  });

  it("is erased again in deleted items after a restore of the database", async () => {
    const place = await makePlace("form");
    const { id } = await create(place, "Desk");
    await remove(place, id);
    await dataDb.prepare("INSERT INTO owed_erasure VALUES (?)").bind(id).run();
    await repeatErasures(background());
    expect(await countOf("deleted_item", id)).toBe(0);
    expect(await dataDb.prepare("SELECT count(*) n FROM owed_erasure").first("n")).toBe(0);
  });
});

describe("The files of a deleted item", () => {
  it("are 404 to everybody, come back with it, and go when it is erased", async () => {
    const file = await attachedFile();
    const row = () =>
      dataDb
        .prepare(
          "SELECT f.remove_at, f.item, i.id, c.kind, c.key FROM file f LEFT JOIN item i ON i.number = f.item JOIN collection c ON c.id = f.collection_id WHERE f.id = ?",
        )
        .bind(file)
        .first<Json>();
    const attached = await row();
    const items = `/${attached?.kind}s/${attached?.key}/items`;
    const id: string = attached?.id;
    const read = async () => (await admin("GET", `/files/${file}/content`)).status;
    expect(await read()).toBe(200);
    expect((await admin("POST", `${items}/${id}/delete`, {})).status).toBe(204);
    expect(await read()).toBe(404);
    expect((await row())?.remove_at).toBeNull();
    expect((await admin("POST", `${items}/deleted/${id}/restore`, {})).status).toBe(200);
    expect(await read()).toBe(200);
    await admin("POST", `${items}/${id}/delete`, {});
    await admin("POST", `${items}/deleted/${id}/erase`, {});
    expect((await row())?.remove_at).toBe(0);
  });
});

describe("A webhook", () => {
  it("gets a deletion and a restore as events of a deleted and a created item", async () => {
    const place = await makePlace("app");
    const receiver = new Receiver();
    const app = place.items.split("/")[2] ?? "";
    const hook = await createWebhook(integrator, receiver, {
      types: ["record.created", "record.deleted"],
      collections: [`app:${app}`],
    });
    const { id } = await create(place, "Desk");
    await remove(place, id);
    await restore(place, id);
    await deliverNow(hook.id);
    expect(receiver.accepted.map(({ body }) => [body.type, body.data.version])).toEqual([
      ["record.created", 1],
      ["record.deleted", 1],
      ["record.created", 2],
    ]);
  });
});

describe("The page of deleted items", () => {
  it("is paged, and reads no data of the items", async () => {
    const place = await makePlace("app");
    const records = Array.from({ length: 60 }, (_, index) => ({
      op: "create",
      data: { title: `Record ${index}` },
    }));
    await integrator.post(`${place.list}/batch`, { operations: records });
    await admin("POST", `${place.items}/selected`, { act: "delete", all: "yes", sure: "yes" });
    const first = (await admin("GET", `${place.items}/deleted`)).body;
    expect(first.items).toHaveLength(50);
    const next = await admin("GET", first.links.next.replace("/admin", ""));
    expect(next.body.items).toHaveLength(10);
    expect(next.body.links.next).toBeNull();
    const ids = [...first.items, ...next.body.items].map((item: Json) => item.id);
    expect(new Set(ids).size).toBe(60);
  });

  it("speaks Japanese", async () => {
    const place = await makePlace("form");
    const { id } = await create(place, "机");
    await remove(place, id);
    await create(place, "机");
    const headers = { Accept: "text/html", "Accept-Language": "ja", Cookie: await ownerCookie() };
    const list = await anonymous("GET", `/admin${place.items}/deleted`, undefined, headers);
    expect(list.text).toContain("削除済みのデータ");
    const path = `/admin${place.items}/deleted/${id}/restore`;
    const refused = await anonymous("POST", path, {}, headers);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(
      "重複できない「Title」の値「机」を、ほかのデータが使用しています",
    );
  });
});

describe("References", () => {
  it("to a deleted record lead nowhere until it is restored", async () => {
    const place = await makePlace("app");
    const record = await create(place, "Customer");
    const app = place.items.split("/")[2] ?? "";
    const form = await makeForm(integrator, [
      { key: "customer", type: "reference", app, searchable: true },
    ]);
    const list = `/forms/${form}/submissions`;
    const sent = await integrator.post(list, { data: { customer: record.id } });
    await remove(place, record.id);
    expect((await integrator.post(list, { data: { customer: record.id } })).status).toBe(422);
    expect((await integrator.get(`/submissions/${sent.body.id}`)).status).toBe(200);
    await restore(place, record.id);
    expect((await integrator.post(list, { data: { customer: record.id } })).status).toBe(201);
  });
});

describe("The API", () => {
  it("deletes for good", async () => {
    const place = await makePlace("form");
    const [single, batched] = [await create(place, "a"), await create(place, "b")];
    expect((await integrator.delete(place.item(single.id))).status).toBe(204);
    const operations = [{ op: "delete", id: batched.id }];
    expect((await integrator.post(`${place.list}/batch`, { operations })).status).toBe(200);
    expect(await listDeleted(place)).toEqual([]);
  });
});
