import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { sweepStorage } from "../../src/schedule.ts";
import type { Answer, Client, Json } from "../support/client";
import { dataDb } from "../support/databases";
import { announce, codesOf, download, pdf, putContent, upload } from "../support/files";
import { background } from "../support/serve";
import { client, makeApp } from "../support/service";
import { sized, unsized } from "../support/size";

let owner: Client;
let app: string;
let records: string;

beforeAll(async () => {
  owner = await client();
  app = await makeApp(owner, [{ key: "invoices", type: "files" }]);
  records = `/apps/${app}/records`;
});

const times = <T>(count: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));
const newFile = () => upload(owner, `app:${app}`);
const attach = (id: string) => owner.post(records, { data: { invoices: [id] } });
const rowOf = (id: string) =>
  dataDb.prepare("select * from file where id = ?").bind(id).first<Json>();
const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);

/** A file that an item has can be downloaded; any other file leaves no row once the schedule ran. */
async function expectConsistent(id: string, isAttached: boolean): Promise<void> {
  await sweepStorage(background(), Date.now());
  expect(await rowOf(id)).toEqual(isAttached ? expect.anything() : null);
  expect((await env.FILES.head(id)) !== null).toBe(isAttached);
  expect((await download(owner, id)).status).toBe(isAttached ? 200 : 404);
}

describe("One file", () => {
  it("goes to one of many items that take it at the same time", async () => {
    const id = await newFile();
    const { body: existing } = await owner.post(records, { data: {} });
    const answers = await times(sized(40, 100), (index) => {
      const data = { invoices: [id] };
      if (index % 3 === 0) return owner.post(records, { data });
      if (index % 3 === 1) return owner.patch(`${records}/${existing.id}`, { data });
      return owner.post(`${records}/batch`, { operations: [{ op: "create", data }] });
    });
    const taken = answers.filter(({ status }) => status < 300);
    const refused = answers.filter(({ status }) => status >= 300);
    // All updates of one item succeed together.
    expect([1, sized(13, 33)]).toContain(taken.length);
    expect(new Set(refused.flatMap(codesOf))).toEqual(new Set(["file_in_use"]));
    const { body } = await owner.post(`${records}/search`, {
      conditions: [{ field: "invoices", op: "is_empty", value: false }],
    });
    const holders = body.items.filter(({ data }: Json) => data.invoices[0].id === id);
    expect(holders).toHaveLength(1);
    await expectConsistent(id, true);
  });

  unsized.it("is either deleted or attached", async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      const id = await newFile();
      const [created, deleted] = await Promise.all([attach(id), owner.delete(`/files/${id}`)]);
      const statuses = statusesOf([created, deleted]);
      expect([
        [201, 422],
        [201, 404],
        [422, 204],
      ]).toContainEqual(statuses);
      await expectConsistent(id, created.status === 201);
    }
  });

  unsized.it("is attached only once its content is complete", async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      const { id } = await announce(owner, `app:${app}`);
      const [created, stored] = await Promise.all([attach(id), putContent(owner, id, pdf())]);
      expect(stored.status).toBe(200);
      expect([201, 422]).toContain(created.status);
      if (created.status === 422) expect(codesOf(created)).toEqual(["file_incomplete"]);
      const late = await attach(id);
      expect(late.status).toBe(created.status === 201 ? 422 : 201);
      await expectConsistent(id, true);
    }
  });

  unsized.it("leaves no object when it is deleted while its content arrives", async () => {
    for (let turn = 0; turn < 8; turn += 1) {
      const { id } = await announce(owner, `app:${app}`);
      const [stored, deleted] = await Promise.all([
        putContent(owner, id, pdf()),
        owner.delete(`/files/${id}`),
      ]);
      expect(deleted.status).toBe(204);
      expect([200, 404]).toContain(stored.status);
      await expectConsistent(id, false);
    }
  });

  unsized.it("is not attached once the schedule has begun to delete it", async () => {
    const day = 24 * 60 * 60_000;
    for (let turn = 0; turn < 5; turn += 1) {
      const id = await newFile();
      const [created] = await Promise.all([
        attach(id),
        sweepStorage(background(), Date.now() + day + 1000),
      ]);
      expect([201, 422]).toContain(created.status);
      await expectConsistent(id, created.status === 201);
    }
  });
});
