import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { erase, sweepStorage } from "../../src/schedule.ts";
import { FileStore } from "../../src/store/data/file-store.ts";
import type { Client, Json } from "../support/client";
import { dataDb } from "../support/databases";
import { announce, download, pdf, upload } from "../support/files";
import { background } from "../support/serve";
import { admin, client, makeForm } from "../support/service";

const hour = 60 * 60_000;
const day = 24 * hour;
const fields = [{ key: "invoices", type: "files" }];

let owner: Client;
let form: string;

beforeAll(async () => {
  owner = await client();
  form = await makeForm(owner, fields, { history_days: 30 });
});

const newFile = (key = form) => upload(owner, `form:${key}`);
async function newItem(invoices: string[], key = form): Promise<Json> {
  const answer = await owner.post(`/forms/${key}/submissions`, { data: { invoices } });
  expect(answer.status).toBe(201);
  return answer.body;
}

const sweep = (milliseconds = 0) => sweepStorage(background(), Date.now() + milliseconds);

/** Whether the row and the object exist. */
async function traces(id: string): Promise<[row: boolean, object: boolean]> {
  const row = await dataDb.prepare("select 1 from file where id = ?").bind(id).first();
  return [row !== null, (await env.FILES.head(id)) !== null];
}
const both = [true, true];
const none = [false, false];

describe("The schedule", () => {
  it("deletes the files of a deleted and of an erased item", async () => {
    const [deleted, erased, former] = [await newFile(), await newFile(), await newFile()];
    const first = await newItem([deleted]);
    const second = await newItem([erased, former]);
    await owner.patch(`/submissions/${second.id}`, { data: { invoices: [erased] } });
    await owner.delete(`/submissions/${first.id}`);
    const path = `/forms/${form}/items/${second.id}/erase`;
    expect((await admin("POST", path, { confirm: second.id })).status).toBe(204);
    await sweep();
    expect(await traces(deleted)).toEqual(none);
    expect([await traces(erased), await traces(former)]).toEqual([none, none]);
  });

  it("erases a deleted form only after its files", async () => {
    const key = await makeForm(owner, fields);
    const id = await newFile(key);
    await newItem([id], key);
    expect((await admin("POST", `/forms/${key}/delete`, { confirm: key })).status).toBe(204);
    expect((await download(owner, id)).status).toBe(404);
    await sweep(hour);
    expect(await traces(id)).toEqual(both);
    const later = () => Date.now() + 8 * day;
    const ctx = { ...background(), now: later, objects: { wake: async () => 0 } };
    for (let run = 0; run < 3; run += 1) await erase(ctx);
    expect(await traces(id)).toEqual(none);
    const state = await dataDb
      .prepare("select state from deletion where key = ?")
      .bind(key)
      .first<Json>();
    expect(state.state).toBe("erased");
  });

  // The following tests end the sessions of members, because they sweep so late.

  it("deletes a file that was not attached within 24 hours, but no other", async () => {
    const [late, attached] = [await newFile(), await newFile()];
    const { id: incomplete } = await announce(owner, `form:${form}`, pdf("never sent"));
    await newItem([attached]);
    await sweep(day - hour);
    expect(await traces(late)).toEqual(both);
    await sweep(day + hour);
    expect([await traces(late), await traces(incomplete)]).toEqual([none, none]);
    expect(await traces(attached)).toEqual(both);
  });

  it("deletes a file that its item gave up when the history forgets it, not earlier", async () => {
    const [one, two] = [await newFile(), await newFile()];
    const item = await newItem([one, two]);
    await owner.patch(`/submissions/${item.id}`, { data: { invoices: [two] } });
    await sweep();
    expect(await traces(one)).toEqual(both);
    await sweep(29 * day);
    expect(await traces(one)).toEqual(both);
    await sweep(31 * day);
    expect([await traces(one), await traces(two)]).toEqual([none, both]);
  });

  it("deletes an object without a row after half a day, but no younger one", async () => {
    const id = "fil_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    await env.FILES.put(id, "left by a killed upload");
    await sweep();
    expect(await traces(id)).toEqual([false, true]);
    await sweep(13 * hour);
    expect(await traces(id)).toEqual(none);
  });

  it("deletes the object of an upload that a removal overtook, without listing the bucket", async () => {
    const id = await newFile();
    expect((await owner.delete(`/files/${id}`)).status).toBe(204);
    await sweep();
    await env.FILES.put(id, "stored after the removal");
    const list = async () => ({ objects: [], truncated: false });
    const bucket = { list, delete: env.FILES.delete.bind(env.FILES) } as unknown as R2Bucket;
    const files = new FileStore(bucket);
    await sweepStorage({ ...background(), files }, Date.now() + 11 * hour);
    expect(await traces(id)).toEqual([false, true]);
    await sweepStorage({ ...background(), files }, Date.now() + 13 * hour);
    expect(await traces(id)).toEqual(none);
    const left = await dataDb.prepare("select 1 from removed_file where id = ?").bind(id).first();
    expect(left).toBeNull();
  });

  it("continues after a bucket that failed, and never deletes a row before its object", async () => {
    const ids = [await newFile(), await newFile()];
    const failing = { ...background(), files: new FileStore(failingBucket()) };
    await expect(sweepStorage(failing, Date.now() + 2 * day)).rejects.toThrow("R2 is down");
    for (const id of ids) expect(await traces(id)).toEqual(both);
    const late = await owner.post(`/forms/${form}/submissions`, { data: { invoices: ids } });
    expect(late.status).toBe(422);
    await sweep(2 * day);
    for (const id of ids) expect(await traces(id)).toEqual(none);
  });
});

function failingBucket(): R2Bucket {
  const fail = async () => {
    throw new Error("R2 is down");
  };
  return { list: fail, delete: fail } as unknown as R2Bucket;
}
