import { beforeAll, describe, expect, it } from "vitest";
import { repeatErasures } from "../../src/actions/repeat-erasures.ts";
import { sweepStorage } from "../../src/schedule.ts";
import type { Client } from "../support/client";
import { dataDb } from "../support/databases";
import { as, newMember } from "../support/members";
import { background } from "../support/serve";
import { admin, client, makeApp, makeForm } from "../support/service";

const fields = [
  { key: "title", type: "text", unique: true },
  { key: "amount", type: "number" },
];
const minute = 60_000;

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

describe("Erasing an item", () => {
  it("erases a closed submission with its former values, and the feed tells that it is deleted", async () => {
    const form = await makeForm(integrator, fields);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    await integrator.patch(`/submissions/${body.id}`, { data: { title: "b" }, status: "closed" });
    const path = `/forms/${form}/items/${body.id}/erase`;
    const page = await admin("GET", path);
    expect(page.body).toEqual({ id: body.id, version: 2, fields: 1, changes: 1 });
    expect((await admin("POST", path, { version: "1" })).status).toBe(412);
    expect((await admin("POST", path, { version: "2" })).status).toBe(204);
    expect((await integrator.get(`/submissions/${body.id}`)).status).toBe(404);
    expect((await admin("POST", path, {})).status).toBe(404);
    const { body: feed } = await integrator.get(`/forms/${form}/changes?all=true`);
    expect(feed.items.at(-1)).toMatchObject({ id: body.id, type: "deleted", version: 2 });
    const { results } = await dataDb
      .prepare("SELECT former FROM change WHERE item_id = ?")
      .bind(body.id)
      .all();
    expect(results).toEqual([{ former: null }, { former: null }, { former: null }]);
    const again = await integrator.post(`/forms/${form}/submissions`, { data: { title: "b" } });
    expect(again.status).toBe(201);
  });

  it("erases a record by its receipt number, which is never given again, and the audit names who did it", async () => {
    const app = await makeApp(integrator, fields);
    const { body } = await integrator.post(`/apps/${app}/records`, { data: { title: "a" } });
    const { id, receipt_number: receipt } = body;
    expect((await admin("POST", `/apps/${app}/items/${receipt}/erase`, {})).status).toBe(204);
    expect((await integrator.get(`/apps/${app}/records/${receipt}`)).status).toBe(404);
    const next = await integrator.post(`/apps/${app}/records`, { data: { title: "a" } });
    expect(next.body.receipt_number).not.toBe(receipt);
    const audit = await admin("GET", `/audit?subject=${id}`);
    expect(audit.body.items[0]).toMatchObject({ action: "record.erase", subject: id });
    const feed = await integrator.get(`/apps/${app}/changes?all=true`);
    expect(feed.body.items[1]).toMatchObject({ id, type: "deleted" });
  });

  it("keeps a used Idempotency-Key used: its replay is 404 and creates nothing, and KV forgets the response", async () => {
    const form = await makeForm(integrator, fields);
    const send = (key: string, title: string) =>
      integrator.post(
        `/forms/${form}/submissions`,
        { data: { title } },
        { "Idempotency-Key": `${form}-${key}` },
      );
    const [erased, kept] = [await send("1", "a"), await send("2", "b")];
    expect((await send("1", "a")).body).toEqual(erased.body);
    await admin("POST", `/forms/${form}/items/${erased.body.id}/erase`, {});
    const { replays } = background();
    const cachedCount = async () => {
      const { keys } = await replays.list();
      const values = await Promise.all(keys.map(({ name }) => replays.get(name)));
      return values.filter((value) => value?.includes(erased.body.id)).length;
    };
    await expect.poll(cachedCount).toBe(0);
    expect((await send("1", "a")).status).toBe(404);
    expect((await send("1", "another")).status).toBe(404);
    expect((await send("2", "b")).body).toEqual(kept.body);
    const { body: list } = await integrator.get(`/forms/${form}/submissions`);
    expect(list.items).toHaveLength(1);
    const queued = () => dataDb.prepare("SELECT count(*) n FROM erased_replay").first("n");
    await sweepStorage(background(), Date.now());
    expect(await queued()).toBe(1);
    await sweepStorage(background(), Date.now() + minute);
    expect(await queued()).toBe(0);
  });

  it("is for owners and admins", async () => {
    const form = await makeForm(integrator, fields);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    const path = `/forms/${form}/items/${body.id}`;
    const erase = async (role: string) =>
      as((await newMember(role)).cookie)("POST", `${path}/erase`, {});
    expect((await erase("editor")).status).toBe(403);
    expect((await erase("admin")).status).toBe(204);
  });
});

describe("After a restore of the database", () => {
  it("repeats the erasures of items, apps and forms that the restore undid", async () => {
    const app = await makeApp(integrator, fields);
    const form = await makeForm(integrator, fields);
    const create = async (path: string) =>
      (await integrator.post(path, { data: { title: "a" } })).body;
    const record = await create(`/apps/${app}/records`);
    const submission = await create(`/forms/${form}/submissions`);
    const other = await makeForm(integrator, fields);
    const kept = await create(`/forms/${other}/submissions`);
    const idOf = (key: string) =>
      dataDb.prepare("SELECT id FROM collection WHERE key = ?").bind(key).first<number>("id");
    const subjects = [
      record.id,
      "sub_01M83667S45KT3P239HV2H234V",
      `${await idOf(form)} form:${form}`,
      // The number belongs to another form in this state of the database.
      `${await idOf(other)} form:${form}`,
    ];
    for (const subject of subjects)
      await dataDb.prepare("INSERT INTO owed_erasure VALUES (?)").bind(subject).run();
    await repeatErasures(background());
    expect((await integrator.get(`/apps/${app}/records/${record.id}`)).status).toBe(404);
    expect((await integrator.get(`/forms/${form}`)).status).toBe(404);
    expect((await integrator.get(`/submissions/${submission.id}`)).status).toBe(404);
    expect((await integrator.get(`/submissions/${kept.id}`)).status).toBe(200);
    expect(await dataDb.prepare("SELECT count(*) n FROM owed_erasure").first("n")).toBe(0);
    const deleted = (await admin("GET", "/deleted")).body.items.find(
      ({ key }: { key: string }) => key === form,
    );
    expect((await admin("POST", `/deleted/${deleted.id}/restore`, {})).status).toBe(409);
  });

  it("remembers an erasure that it repeated, so that a second restore repeats it, too", async () => {
    const form = await makeForm(integrator, fields);
    const { id } = (await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } }))
      .body;
    await dataDb.prepare("INSERT INTO owed_erasure VALUES (?)").bind(id).run();
    await repeatErasures(background());
    const erased = dataDb.prepare("SELECT count(*) n FROM erased_item WHERE id = ?").bind(id);
    expect(await erased.first("n")).toBe(1);
  });
});
