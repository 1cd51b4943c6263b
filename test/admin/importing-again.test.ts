import { describe, expect, it } from "vitest";
import { repeatErasures } from "../../src/actions/repeat-erasures.ts";
import { sha256 } from "../../src/domain/credential/keys.ts";
import { importFingerprint, parseCsv, type ImportPlan } from "../../src/domain/import/csv.ts";
import { rowIds } from "../../src/domain/import/row-ids.ts";
import { eraseDueItems } from "../../src/store/data/erase-deleted-items.ts";
import type { Json } from "../support/client";
import { dataDb } from "../support/databases";
import { background } from "../support/serve";
import { admin, makeApp } from "../support/service";
import { createForm, integrator } from "./import-forms";

/** Files that members import again after they deleted items of the first import. */

const csv = "title,amount\nA,1\nB,2\n";
const none = { created: 0, updated: 0, unchanged: 0, refused: 0 };
const dayMs = 24 * 60 * 60 * 1000;

async function importFirst() {
  const form = await createForm();
  const { send, items } = form;
  const importFile = () => send({ csv, act: "write" });
  expect((await importFile()).written).toEqual({ ...none, created: 2 });
  const item = await itemOf(form.key, "A");
  return {
    ...form,
    item,
    importFile,
    toBin: (id: string) => admin("POST", `${items}/${id}/delete`, {}),
    restore: (id: string) => admin("POST", `${items}/deleted/${id}/restore`, {}),
    eraseFromBin: (id: string) => admin("POST", `${items}/deleted/${id}/erase`, {}),
  };
}

const list = async (form: string): Promise<Json[]> =>
  (await integrator.get(`/forms/${form}/submissions`)).body.items;

async function itemOf(form: string, title: string): Promise<Json> {
  const found = (await list(form)).filter(({ data }) => data.title === title);
  expect(found).toHaveLength(1);
  return found[0];
}

const remove = (id: string) => integrator.delete(`/submissions/${id}`);

async function eraseDue(): Promise<void> {
  for (const db of background().databases.dataDatabases())
    while (await eraseDueItems(db, Date.now() + 8 * dayMs));
}

describe("A file that is imported again", () => {
  it("does not create the item of a row again while the deleted item can be restored", async () => {
    const { key, send, importFile, item, toBin, restore } = await importFirst();
    expect((await toBin(item.id)).status).toBe(204);
    expect((await send({ csv })).would).toEqual({ ...none, unchanged: 1, refused: 1 });
    const { written, refused } = await importFile();
    expect(written).toEqual({ ...none, unchanged: 1, refused: 1 });
    expect(refused).toEqual([
      { line: 2, errors: [{ field: "", reason: expect.stringContaining("“Deleted items”") }] },
    ]);
    expect((await restore(item.id)).status).toBe(200);
    expect((await importFile()).written).toEqual({ ...none, unchanged: 2 });
    expect((await itemOf(key, "A")).id).toBe(item.id);
  });

  type Setup = Awaited<ReturnType<typeof importFirst>>;
  it.each<[string, (setup: Setup) => Promise<unknown>]>([
    ["the API", ({ item }) => remove(item.id)],
    [
      "a member who erased it",
      async ({ item, toBin, eraseFromBin }) => {
        await toBin(item.id);
        await eraseFromBin(item.id);
      },
    ],
    [
      "the schedule after 7 days",
      async ({ item, toBin }) => {
        await toBin(item.id);
        await eraseDue();
      },
    ],
  ])("creates an item with another ID if %s deleted the first one permanently", async (_, act) => {
    const setup = await importFirst();
    const { key, item, importFile } = setup;
    await act(setup);
    expect((await importFile()).written).toEqual({ ...none, created: 1, unchanged: 1 });
    const next = await itemOf(key, "A");
    expect(next.id).not.toBe(item.id);
    const late = { data: { title: "late" } };
    const answer = await integrator.patch(`/submissions/${item.id}`, late, {
      "If-Match": item.etag,
    });
    expect(answer.status).toBe(404);
    expect((await importFile()).written).toEqual({ ...none, unchanged: 2 });
  });

  it("creates a record with another ID after the first one was permanently deleted", async () => {
    const app = await makeApp(integrator, [{ key: "title", type: "text" }]);
    const items = `/apps/${app}/items`;
    const importFile = async () =>
      (await admin("POST", `${items}/import`, { csv: "title\nA\n", act: "write" })).body.written;
    const ids = async (): Promise<string[]> =>
      (await integrator.get(`/apps/${app}/records`)).body.items.map(({ id }: Json) => id);
    await importFile();
    const [first = ""] = await ids();
    await admin("POST", `${items}/${first}/delete`, {});
    expect(await importFile()).toEqual({ ...none, refused: 1 });
    await admin("POST", `${items}/deleted/${first}/erase`, {});
    expect(await importFile()).toEqual({ ...none, created: 1 });
    expect(await ids()).toEqual([expect.not.stringMatching(first)]);
    expect(await importFile()).toEqual({ ...none, unchanged: 1 });
  });

  it("gives a third ID after the second item was deleted too", async () => {
    const { key, item, importFile, toBin, eraseFromBin } = await importFirst();
    const ids = [item.id];
    await remove(item.id);
    await importFile();
    for (let round = 0; round < 3; round += 1) {
      const { id } = await itemOf(key, "A");
      ids.push(id);
      await toBin(id);
      expect((await importFile()).written).toMatchObject({ created: 0, refused: 1 });
      await eraseFromBin(id);
      expect((await importFile()).written).toMatchObject({ created: 1, refused: 0 });
    }
    expect(new Set(ids).size).toBe(4);
  });

  it("gives another ID once the service has forgotten the deletion", async () => {
    const { key, item, importFile } = await importFirst();
    await remove(item.id);
    const forget = `DELETE FROM change WHERE number / 4294967296 = (SELECT id FROM collection WHERE key = ?1)
      AND number < (SELECT max(number) FROM change WHERE number / 4294967296 = (SELECT id FROM collection WHERE key = ?1))`;
    await integrator.patch(`/submissions/${(await itemOf(key, "B")).id}`, { data: { amount: 3 } });
    await dataDb.prepare(forget).bind(key).run();
    expect((await importFile()).written).toEqual({ ...none, created: 1, unchanged: 1 });
    expect((await itemOf(key, "A")).id).not.toBe(item.id);
    expect((await importFile()).written).toEqual({ ...none, unchanged: 2 });
  });
});

describe("At the same time", () => {
  const rounds = Array.from({ length: 10 }, (_, index) => index);

  it("imports of a file create each deleted item once, with one new ID", async () => {
    const { key, item, importFile } = await importFirst();
    await remove(item.id);
    await Promise.all(rounds.map(importFile));
    const next = await itemOf(key, "A");
    expect(next.id).not.toBe(item.id);
    expect(await list(key)).toHaveLength(2);
  });

  it.each(rounds)("an import and a restore leave one item per row (round %i)", async () => {
    const { key, item, importFile, toBin, restore } = await importFirst();
    await toBin(item.id);
    const [{ status }] = await Promise.all([restore(item.id), importFile(), importFile()]);
    expect(status).toBe(200);
    expect((await itemOf(key, "A")).id).toBe(item.id);
  });

  it.each(rounds)("imports and deletions never give an ID twice (round %i)", async (round) => {
    const { key, item, importFile, toBin, eraseFromBin } = await importFirst();
    const act = round % 2 === 0 ? () => remove(item.id) : () => toBin(item.id);
    const written = await Promise.all([importFile(), act(), importFile(), importFile()]);
    expect(written).toHaveLength(4);
    if (round % 2 === 1) {
      await Promise.all([importFile(), eraseFromBin(item.id), importFile()]);
    }
    await importFile();
    expect((await itemOf(key, "A")).id).not.toBe(item.id);
    const { results } = await dataDb
      .prepare("SELECT count(DISTINCT item) n FROM change WHERE item_id = ?")
      .bind(item.id)
      .all<{ n: number }>();
    expect(results).toEqual([{ n: 1 }]);
  });
});

describe("Beside the former version of the service", () => {
  /** Creates an item with the ID of a deleted item, as a repeated import in the former version did. */
  const createTwin = (id: string) =>
    dataDb.batch([
      dataDb
        .prepare(
          `INSERT INTO item SELECT t.collection_id * 4294967296 + t.last_place + 1, d.id, d.collection_id, null, d.status, 1,
            d.definition_version, d.created_at, d.created_by, d.updated_at, d.updated_by, d.data, d.last_change
            FROM deleted_item d JOIN tally t USING (collection_id) WHERE d.id = ?1`,
        )
        .bind(id),
      dataDb
        .prepare(
          `UPDATE tally SET last_place = last_place + 1, live = live + 1
            WHERE collection_id = (SELECT collection_id FROM item WHERE id = ?1)`,
        )
        .bind(id),
    ]);
  const countOf = (table: string, id: string) =>
    dataDb.prepare(`SELECT count(*) n FROM ${table} WHERE id = ?`).bind(id).first<number>("n");

  async function importTwins() {
    const setup = await importFirst();
    await setup.toBin(setup.item.id);
    await createTwin(setup.item.id);
    return setup;
  }

  it("an item gets the ID that the former version derives from the file and the row", async () => {
    const { key, item } = await importFirst();
    const id = await dataDb
      .prepare("SELECT id FROM collection WHERE key = ?")
      .bind(key)
      .first("id");
    const collection = { kind: "form", id } as Parameters<typeof rowIds>[0];
    const plan: ImportPlan = {
      columns: ["title", "amount"],
      by: "",
      isLossless: false,
      zone: "UTC",
      numbers: "point",
      dates: "iso",
    };
    const file = parseCsv(csv, 10);
    const digest = await sha256(importFingerprint(collection, plan, file));
    expect(rowIds(collection, digest, file.rows)[0]).toBe(item.id);
  });

  it("an import leaves an item unchanged although a deleted item has its ID", async () => {
    const { importFile } = await importTwins();
    expect((await importFile()).written).toEqual({ ...none, unchanged: 2 });
  });

  it("a restore is refused at once if another item has the ID", async () => {
    const { item, restore } = await importTwins();
    const started = Date.now();
    const { status, body } = await restore(item.id);
    expect([status, body.detail]).toEqual([409, "Not restored: another item has its ID."]);
    expect(Date.now() - started).toBeLessThan(5000);
  });

  it("a deletion replaces the deleted item that has the same ID", async () => {
    const { key, item, toBin, restore } = await importTwins();
    const { id } = await itemOf(key, "A");
    expect((await toBin(id)).status).toBe(204);
    expect(await countOf("deleted_item", id)).toBe(1);
    expect((await restore(item.id)).status).toBe(200);
    expect((await itemOf(key, "A")).id).toBe(item.id);
  });

  it("a bulk action deletes an item whose ID a deleted item has", async () => {
    const { key, items } = await importTwins();
    const all = { act: "delete", all: "yes", sure: "yes" };
    expect((await admin("POST", `${items}/selected`, all)).body).toMatchObject({
      done: 2,
      refused: 0,
    });
    expect(await list(key)).toEqual([]);
  });

  it("an erasure of a deleted item that is repeated after a restore keeps the item with its ID", async () => {
    const { key, item } = await importTwins();
    await dataDb.prepare("INSERT INTO owed_erasure VALUES (?)").bind(item.id).run();
    await repeatErasures(background());
    expect(await countOf("deleted_item", item.id)).toBe(0);
    expect((await itemOf(key, "A")).id).toBe(item.id);
  });
});
