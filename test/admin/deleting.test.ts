import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { app as worker } from "../../src/app.ts";
import { eraseDeleted } from "../../src/store/data/erase-deleted.ts";
import { Client, type Json } from "../support/client";
import { databases, dataDb, dataHandle } from "../support/databases";
import { as, newMember } from "../support/members";
import { serviceWith } from "../support/serve";
import { admin, client, freshKey, issue, makeApp, makeForm } from "../support/service";
import { createWebhook, deliverNow, Receiver } from "../webhooks/receiver";

const fields = [
  { key: "title", type: "text", unique: true },
  { key: "amount", type: "number" },
];
const day = 24 * 60 * 60 * 1000;

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

const remove = (kind: "app" | "form", key: string) =>
  admin("POST", `/${kind}s/${key}/delete`, { confirm: key });

const findDeleted = async (key: string): Promise<Json> => {
  const { body } = await admin("GET", "/deleted");
  return body.items.find((item: Json) => item.key === key);
};

const restore = async (key: string) =>
  admin("POST", `/deleted/${(await findDeleted(key))?.id}/restore`, {});

/** Runs the erasure as the schedule will run it after this time. */
async function runSchedule(days: number): Promise<void> {
  const now = Date.now() + days * day;
  while (await eraseDeleted(databases, dataHandle, "later", now));
}

describe("Deleting an app or form", () => {
  it("asks for its key, and says in numbers what is lost", async () => {
    const form = await makeForm(integrator, fields);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    await issue({ resources: [`form:${form}`] });
    const page = await admin("GET", `/forms/${form}/delete`);
    expect(page.body).toEqual({
      key: form,
      name: form,
      items: 1,
      fields: 2,
      credentials: 1,
      webhooks: 0,
    });
    const refused = await admin("POST", `/forms/${form}/delete`, { confirm: "other" });
    expect([refused.status, refused.body.errors[0].field]).toEqual([422, "confirm"]);
    expect((await integrator.get(`/forms/${form}`)).status).toBe(200);
    const html = await admin(
      "POST",
      `/forms/${form}/delete`,
      { confirm: "x" },
      { Accept: "text/html" },
    );
    expect([html.status, html.text.includes("Must be")]).toEqual([422, true]);
    const byEditor = as((await newMember("editor")).cookie);
    expect((await byEditor("POST", `/forms/${form}/delete`, { confirm: form })).status).toBe(403);
    expect((await remove("form", form)).status).toBe(204);
  });

  it("returns 409 while a field of another app or form refers to it, also when both happen at once", async () => {
    const lines = (app: string) => ({
      key: "lines",
      type: "line_items",
      fields: [{ key: "product", type: "reference", app }],
    });
    const app = await makeApp(integrator, fields);
    const form = await makeForm(integrator, [lines(app)]);
    const refused = await remove("app", app);
    expect([refused.status, refused.body.code, refused.body.field]).toEqual([
      409,
      "schema_in_use",
      "lines",
    ]);
    await integrator.put(`/forms/${form}/schema`, { fields });
    expect((await remove("app", app)).status).toBe(204);
    const [other, racing] = [await makeApp(integrator, fields), freshKey("form")];
    const [deletion, definition] = await Promise.all([
      remove("app", other),
      integrator.put(`/forms/${racing}/schema`, { fields: [lines(other)] }),
    ]);
    expect([
      [204, 422],
      [409, 201],
    ]).toContainEqual([deletion.status, definition.status]);
  });

  it("hides a form everywhere at once, replays and prepared requests included", async () => {
    const form = await makeForm(integrator, fields);
    const base = `/forms/${form}`;
    const key = { "Idempotency-Key": form };
    const item = { data: { title: "a" } };
    const { body: kept } = await integrator.post(`${base}/submissions`, item, key);
    const batch = { operations: [{ op: "create", data: { title: "b" } }] };
    await integrator.post(`${base}/submissions/batch`, batch, key);
    const replay = await integrator.post(`${base}/submissions`, item, key);
    expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
    const { body: list } = await integrator.post(`${base}/submissions/search`, { limit: 1 });
    expect((await remove("form", form)).status).toBe(204);
    const answers = await Promise.all([
      integrator.get(base),
      integrator.get(`${base}/schema`),
      integrator.get(`${base}/openapi.json`),
      integrator.patch(`${base}/schema`, { name: "x" }),
      integrator.get(`${base}/submissions`),
      integrator.get(`${base}/changes`),
      integrator.post(`${base}/submissions/search`, {}),
      integrator.post(list.links.next, { limit: 1 }),
      integrator.post(`${base}/submissions`, item),
      integrator.post(`${base}/submissions`, item, key),
      integrator.post(`${base}/submissions`, { data: { other: 1 } }, key),
      integrator.post(`${base}/submissions/batch`, batch, key),
      integrator.post(`${base}/submissions/batch`, batch),
      integrator.post(`${base}/submissions/validate`, item),
      integrator.get(`/submissions/${kept.id}`),
      integrator.patch(`/submissions/${kept.id}`, { data: { title: "c" } }),
      integrator.delete(`/submissions/${kept.id}`),
      admin("GET", base),
      admin("GET", `${base}/items`),
      admin("GET", `${base}/items/${kept.id}`),
      admin("GET", `${base}/settings`),
      admin("POST", `${base}/items`, item),
      remove("form", form),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    const keys = (await integrator.get("/forms?limit=200")).body.items.map(({ key: k }: Json) => k);
    expect(keys).not.toContain(form);
    const shown = (await admin("GET", "/forms")).body.items.map(({ key: k }: Json) => k);
    expect(shown.filter((k: string) => k.includes(form))).toEqual([]);
    const joined = await integrator.get(`/openapi.json?forms=${form}`);
    expect(joined.status).toBe(404);
    expect((await admin("GET", "/integrations/new")).text).not.toContain(form);
  });

  it("keeps its key and its number until it is erased", async () => {
    const app = await makeApp(integrator, fields);
    await integrator.post(`/apps/${app}/records`, { data: { title: "a" } });
    await remove("app", app);
    const refused = await integrator.put(`/apps/${app}/schema`, { fields });
    expect([refused.status, refused.body.code, refused.body.field]).toEqual([
      409,
      "schema_in_use",
      "key",
    ]);
    const dryRun = await integrator.put(`/apps/${app}/schema?dry_run=true`, { fields });
    expect(dryRun.status).toBe(409);
    const other = await makeApp(integrator, fields);
    const { body } = await integrator.get(`/apps/${other}/records`);
    expect(body.items).toEqual([]);
    // The form with this key is another collection.
    expect((await integrator.put(`/forms/${app}/schema`, { fields })).status).toBe(201);
  });

  it("takes it from credentials, and a restore within 7 days gives everything back", async () => {
    const form = await makeForm(integrator, fields);
    const other = await makeForm(integrator, fields);
    const issued = await issue({ resources: [`form:${form}`, `form:${other}`] });
    const narrow = new Client(issued.token);
    const { body: item } = await narrow.post(`/forms/${form}/submissions`, {
      data: { title: "a" },
    });
    const { body: feed } = await narrow.get(`/forms/${form}/changes?cursor=now`);
    await remove("form", form);
    await expect
      .poll(async () => (await narrow.get("/me")).body.resources)
      .toEqual([`form:${other}`]);
    await runSchedule(6);
    expect((await restore(form)).status).toBe(204);
    await expect
      .poll(async () => (await narrow.get("/me")).body.resources.toSorted())
      .toEqual([`form:${form}`, `form:${other}`].toSorted());
    expect((await narrow.get(`/submissions/${item.id}`)).body).toEqual(item);
    const duplicate = await narrow.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    expect(duplicate.body.code).toBe("duplicate");
    const search = { conditions: [{ field: "title", op: "eq", value: "a" }] };
    expect(
      (await narrow.post(`/forms/${form}/submissions/search`, search)).body.items,
    ).toHaveLength(1);
    await narrow.patch(`/submissions/${item.id}`, { data: { title: "b" } });
    expect((await narrow.get(feed.links.next)).body.items).toHaveLength(1);
    expect((await restore(form)).status).toBe(404);
    await runSchedule(8);
    expect((await narrow.get(`/submissions/${item.id}`)).status).toBe(200);
  });

  it("erases it after 7 days in steps, and only then its key is free, under a new number", async () => {
    const form = await makeForm(integrator, fields);
    const issued = await issue({ resources: [`form:${form}`] });
    const { body: item } = await integrator.post(`/forms/${form}/submissions`, {
      data: { title: "a" },
    });
    await integrator.patch(`/submissions/${item.id}`, { data: { title: "b" } });
    const { body: stored } = await integrator.get(`/forms/${form}/submissions`);
    await remove("form", form);
    const { id } = await findDeleted(form);
    await runSchedule(7.01);
    const rows = async (text: string) =>
      (await dataDb.prepare(text).bind(id).first<{ n: number }>())?.n;
    for (const text of [
      "SELECT count(*) n FROM item WHERE collection_id = ?1",
      "SELECT count(*) n FROM change WHERE number > ?1 * 4294967296 AND number < (?1 + 1) * 4294967296",
      "SELECT count(*) n FROM search_entry WHERE field >= ?1 * 4294967296 AND field < (?1 + 1) * 4294967296",
      "SELECT count(*) n FROM unique_value WHERE field >= ?1 * 4294967296 AND field < (?1 + 1) * 4294967296",
      "SELECT count(*) n FROM tally WHERE collection_id = ?1",
      "SELECT count(*) n FROM collection WHERE id IN (?1, -?1)",
    ]) {
      expect([text, await rows(text)]).toEqual([text, 0]);
    }
    expect((await admin("POST", `/deleted/${id}/restore`, {})).status).toBe(404);
    expect((await integrator.put(`/forms/${form}/schema`, { fields })).status).toBe(201);
    const { body: list } = await integrator.get(`/forms/${form}/submissions`);
    expect(list.items).toEqual([]);
    expect((await integrator.post(`/forms/${form}/submissions/search`, {})).body.items).toEqual([]);
    const { body: again } = await integrator.post(`/forms/${form}/submissions`, {
      data: { title: "b" },
    });
    expect(again.id.slice(0, 20)).not.toBe(stored.items[0].id.slice(0, 20));
    // The credential that could reach the former form cannot reach the new one.
    expect((await new Client(issued.token).get(`/forms/${form}`)).status).toBe(404);
    const audit = await admin("GET", "/audit?action=definition");
    const actions = audit.body.items
      .filter(({ subject }: Json) => subject === `form:${form}`)
      .map(({ action }: Json) => action);
    expect(actions).toEqual([
      "definition.create",
      "definition.erase",
      "definition.delete",
      "definition.create",
    ]);
  });

  it.each([
    ["form", ""],
    ["form", "/sorted"],
    ["app", ""],
    ["app", "/open"],
  ] as const)(
    "ends the cursors of its lists when its key belongs to another one (%s%s)",
    async (kind, view) => {
      const key = freshKey(kind);
      const items = `/${kind}s/${key}/${kind === "app" ? "records" : "submissions"}`;
      const views = [
        { key: "open", name: "Open", fields: ["title"] },
        { key: "sorted", name: "Sorted", sort: [{ field: "title", direction: "asc" }] },
      ];
      const put = () => integrator.put(`/${kind}s/${key}/schema`, { fields, views });
      const newPartner = () =>
        client({
          permissions: ["submissions:read", "records:read"],
          resources: [`${kind}:${key}${view}`],
        });
      await put();
      for (let n = 0; n < 51; n += 1) await integrator.post(items, { data: { title: `t${n}` } });
      const former = await newPartner();
      const list = `${items}?limit=1${view === "" ? "" : `&view=${view.slice(1)}`}`;
      const search = { sort: [{ field: "title", direction: "asc" }] };
      const links = [
        (await integrator.get(list)).body.links.next,
        (await former.get(`${items}?limit=1`)).body.links.next,
        (await former.get(`/${kind}s/${key}/changes?limit=1`)).body.links.next,
      ];
      const searchLink = (await former.post(`${items}/search?limit=1`, search)).body.links.next;
      const adminLink = (await admin("GET", `/${kind}s/${key}/items`)).body.links.next;
      const secret = await makeForm(integrator, [{ key: "title", type: "text" }]);
      await integrator.post(`/forms/${secret}/submissions`, { data: { title: "SECRET" } });
      await remove(kind, key);
      await runSchedule(8);
      expect((await put()).status).toBe(201);
      await integrator.post(items, { data: { title: "new" } });
      const partner = await newPartner();
      const cursorIn = (url: string) => new URL(url).searchParams.get("cursor");
      const asDownload = { Accept: "application/x-ndjson" };
      const [ofList = ""] = links;
      const responses = [
        await integrator.get(`${list}&cursor=${cursorIn(ofList)}`),
        await integrator.send("GET", `${list}&cursor=${cursorIn(ofList)}`, undefined, asDownload),
        ...(await Promise.all(links.slice(1).map((link) => partner.get(link)))),
        await partner.post(searchLink, search),
        await partner.send("POST", searchLink, search, asDownload),
        await admin("GET", adminLink.replace(/^.*\/admin/, "")),
      ];
      for (const { status, body } of responses)
        expect([status, body.errors]).toMatchObject([422, [{ code: "invalid_cursor" }]]);
    },
  );

  it("ends the cursors of its feed and searches also where it is still known, and starts the new feed", async () => {
    const key = freshKey("form");
    const items = `/forms/${key}/submissions`;
    const put = () => integrator.put(`/forms/${key}/schema`, { fields });
    const issueRights = () => client({ resources: [`form:${key}`] });
    // Isolates with memories of their own do not learn of the erasure.
    const [firstService, otherService] = [serviceWith(), serviceWith()];
    const isolated = (caller: Client, service = firstService) =>
      caller.through(async (request) => worker.fetch(request, service, createExecutionContext()));
    await put();
    for (const title of ["a", "b"]) await integrator.post(items, { data: { title } });
    const former = isolated(await issueRights());
    const search = { sort: [{ field: "$id", direction: "asc" }] };
    const searchLink = (await former.post(`${items}/search?limit=1`, search)).body.links.next;
    const feedLink = (await former.get(`/forms/${key}/changes?limit=1`)).body.links.next;
    await isolated(await issueRights(), otherService).get(items);
    const secret = await makeForm(integrator, [{ key: "title", type: "text" }]);
    await integrator.post(`/forms/${secret}/submissions`, { data: { title: "SECRET" } });
    await remove("form", key);
    await runSchedule(8);
    expect((await put()).status).toBe(201);
    await integrator.post(items, { data: { title: "new" } });
    const partner = await issueRights();
    const responses = [
      await isolated(partner).get(feedLink),
      await isolated(partner).post(searchLink, search),
    ];
    for (const { status, body } of responses)
      expect([status, body.errors]).toMatchObject([422, [{ code: "invalid_cursor" }]]);
    const feed = await isolated(partner, otherService).get(`/forms/${key}/changes`);
    expect(feed.body.items).toMatchObject([{ item: { data: { title: "new" } } }]);
    expect((await partner.get(feed.body.links.next)).status).toBe(200);
  });

  it("stops its webhooks, which continue after a restore", async () => {
    const form = await makeForm(integrator, fields);
    const receiver = new Receiver();
    receiver.respond = () => new Response("", { status: 503 });
    const { id } = await createWebhook(integrator, receiver, { collections: [`form:${form}`] });
    const base = `/forms/${form}/submissions`;
    await integrator.post(base, { data: { title: "a" } });
    await deliverNow(id);
    const { length } = receiver.received;
    await remove("form", form);
    receiver.recover();
    await integrator.patch(`/webhooks/${id}`, { state: "paused" });
    await integrator.patch(`/webhooks/${id}`, { state: "active" });
    await deliverNow(id);
    expect(receiver.received).toHaveLength(length);
    await restore(form);
    await integrator.post(base, { data: { title: "b" } });
    await deliverNow(id);
    expect(receiver.accepted.map(({ body }) => body.data.item.data.title)).toEqual(["a", "b"]);
    await remove("form", form);
    await runSchedule(7.01);
    expect((await integrator.get(`/webhooks/${id}`)).body).toMatchObject({
      state: "disabled",
      reason: `The form "${form}" was deleted.`,
    });
  });

  it("lists deleted ones for owners and admins", async () => {
    const app = freshKey("app");
    await integrator.put(`/apps/${app}/schema`, { fields, name: "Orders" });
    await remove("app", app);
    expect(await findDeleted(app)).toMatchObject({ kind: "app", name: "Orders", items: 0 });
    const page = await admin("GET", "/deleted", undefined, { Accept: "text/html" });
    expect(page.text).toContain("Orders");
    const byEditor = as((await newMember("editor")).cookie);
    expect((await byEditor("GET", "/deleted")).status).toBe(403);
  });
});

describe("A deletion at the same time as other requests", () => {
  it("fails no search whose collection is deleted before it runs", async () => {
    const form = await makeForm(integrator, fields);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "a", amount: 1 } });
    // A deletion negates the number, which the search still has from the definition.
    await dataDb
      .prepare("delete from tally where collection_id = (select id from collection where key = ?)")
      .bind(form)
      .run();
    const conditions = [{ field: "amount", op: "gte", value: 0 }];
    const bodies = [{}, { conditions }, { sort: ["amount"] }, { sort: ["-title"], conditions }];
    for (const body of bodies) {
      const { status } = await integrator.post(`/forms/${form}/submissions/search`, body);
      expect(status).toBeLessThan(500);
    }
    expect((await admin("GET", `/forms/${form}/items?q=a`)).status).toBeLessThan(500);
  });

  it("keeps every create that was confirmed, and confirms none that is lost", async () => {
    const form = await makeForm(integrator, fields);
    const base = `/forms/${form}/submissions`;
    const create = (title: string) => integrator.post(base, { data: { title } });
    const titles = Array.from({ length: 12 }, (_, index) => `title ${index}`);
    const [removal, ...creates] = await Promise.all([remove("form", form), ...titles.map(create)]);
    expect(removal.status).toBe(204);
    const statuses = creates.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 201 && status !== 404)).toEqual([]);
    await restore(form);
    const { body } = await integrator.get(base);
    expect(body.items).toHaveLength(statuses.filter((status) => status === 201).length);
  });

  it("happens once, and a restore and an erasure never both happen", async () => {
    const form = await makeForm(integrator, fields);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    const removals = await Promise.all([remove("form", form), remove("form", form)]);
    expect(removals.map(({ status }) => status).toSorted()).toEqual([204, 404]);
    const { id } = await findDeleted(form);
    const [first, second] = await Promise.all([
      admin("POST", `/deleted/${id}/restore`, {}),
      admin("POST", `/deleted/${id}/restore`, {}),
    ]);
    expect([first.status, second.status].toSorted()[0]).toBe(204);
    expect((await integrator.get(`/forms/${form}/submissions`)).body.items).toHaveLength(1);
    // Erases what other tests left behind, so that the next step is that of this form.
    await runSchedule(8);
    await remove("form", form);
    // The first step of the erasure decides, and the rest continues in the next run.
    await eraseDeleted(databases, dataHandle, "later", Date.now() + 8 * day);
    expect((await admin("POST", `/deleted/${id}/restore`, {})).status).toBe(409);
    expect((await integrator.put(`/forms/${form}/schema`, { fields })).status).toBe(409);
    await runSchedule(8);
    expect((await integrator.put(`/forms/${form}/schema`, { fields })).status).toBe(201);
  });
});
