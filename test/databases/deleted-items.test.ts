import { beforeAll, beforeEach, expect, it } from "vitest";
import { runMoves } from "../../src/actions/run-moves.ts";
import { eraseDueItems } from "../../src/store/data/erase-deleted-items.ts";
import type { Client, Json } from "../support/client";
import { freshKey } from "../support/service";
import {
  area,
  first,
  home,
  isolate,
  migrate,
  newCaller,
  second,
  useOnly,
  valueOf,
} from "./installation";
import { finish, idOf, letTimePass, phaseOf, request, scheduleContext } from "./moves";

/** Items that members deleted, while their form moves to another database. */

let several: Client;
beforeAll(async () => {
  await migrate();
  several = isolate(await newCaller());
});
beforeEach(async () => {
  await home.prepare("delete from collection_move").run();
});

const dayMs = 24 * 60 * 60 * 1000;

/** A form in DATA_01 with these items. Returns its key and their IDs. */
async function makeForm(titles: string[]): Promise<{ key: string; ids: string[] }> {
  const key = freshKey("bin");
  await useOnly("DATA_01");
  const fields = [{ key: "title", type: "text", unique: true }];
  expect((await several.put(`/forms/${key}/schema`, { fields })).status).toBe(201);
  await home.prepare("update data_database set used_from = 0").run();
  const ids: string[] = [];
  for (const title of titles) {
    const { body } = await several.post(`/forms/${key}/submissions`, { data: { title: "old" } });
    await several.patch(`/submissions/${body.id}`, { data: { title } });
    ids.push(body.id);
  }
  return { key, ids };
}

const items = (key: string) => `/forms/${key}/items`;
const remove = (key: string, id = "") => area(`${items(key)}/${id}/delete`, {});
const restore = (key: string, id = "") => area(`${items(key)}/deleted/${id}/restore`, {});
const erase = (key: string, id = "") => area(`${items(key)}/deleted/${id}/erase`, {});
const deletedIds = async (key: string): Promise<string[]> =>
  (await area(`${items(key)}/deleted`)).body.items.map(({ id }: Json) => id);

async function eraseDue(ms: number): Promise<void> {
  for (const db of scheduleContext().databases.dataDatabases())
    for (let steps = 0; await eraseDueItems(db, Date.now() + ms); steps += 1)
      if (steps > 20) throw new Error("The erasure does not end.");
}

const countIn = (db: D1Database, table: string, id: string) =>
  valueOf(
    db,
    `select count(*) from ${table} where ${table === "change" ? "item_id" : "id"} = ?`,
    id,
  );
const formerIn = (db: D1Database, id: string) =>
  valueOf(db, "select count(*) from change where item_id = ? and former is not null", id);

it("What members delete, restore and erase during a move is so in the new database", async () => {
  const { key, ids } = await makeForm(["a", "b", "c", "d", "e"]);
  const [before, during, restored, erased, kept] = ids as [string, string, string, string, string];
  for (const id of [before, restored, erased]) expect((await remove(key, id)).status).toBe(204);
  await request(`form:${key}`, "DATA_02");
  await runMoves(scheduleContext());
  expect(await phaseOf(`form:${key}`)).toBe("following");
  expect((await remove(key, during)).status).toBe(204);
  expect((await restore(key, restored)).status).toBe(200);
  expect((await erase(key, erased)).status).toBe(204);
  await letTimePass();
  await finish(`form:${key}`);
  expect(await phaseOf(`form:${key}`)).toBe("kept");
  expect(new Set(await deletedIds(key))).toEqual(new Set([before, during]));
  expect((await several.get(`/submissions/${restored}`)).body.data.title).toBe("c");
  expect((await several.get(`/submissions/${kept}`)).status).toBe(200);
  expect(await formerIn(second, erased)).toBe(0);
  for (const id of [before, during]) expect((await restore(key, id)).status).toBe(200);
  const { body } = await several.get(`/forms/${key}/submissions`);
  expect(body.items).toHaveLength(4);
  const duplicate = await several.post(`/forms/${key}/submissions`, { data: { title: "a" } });
  expect(duplicate.status).toBe(409);
});

it("The schedule erases due items in the database that has the form, and leaves the copy to the move", async () => {
  const { key, ids } = await makeForm(["a", "b"]);
  const [due = "", later = ""] = ids;
  for (const id of ids) await remove(key, id);
  await request(`form:${key}`, "DATA_02");
  await finish(`form:${key}`);
  expect(await phaseOf(`form:${key}`)).toBe("kept");
  await second.prepare("update deleted_item set erase_at = 1 where id = ?").bind(due).run();
  await eraseDue(0);
  expect(await countIn(second, "deleted_item", due)).toBe(0);
  expect(await formerIn(second, due)).toBe(0);
  expect(await deletedIds(key)).toEqual([later]);
  // The copy has both until the move erases it.
  await eraseDue(8 * dayMs);
  expect(await countIn(first, "deleted_item", due)).toBe(1);
  expect(await countIn(second, "deleted_item", later)).toBe(0);
  // A stale path to the copy must not restore or erase there.
  expect((await restore(key, due)).status).toBe(404);
  expect((await erase(key, due)).status).toBe(404);
});

it("An item that is due while its form moves is erased in both databases in the end", async () => {
  const { key, ids } = await makeForm(["a"]);
  const [id = ""] = ids;
  await remove(key, id);
  await request(`form:${key}`, "DATA_02");
  await runMoves(scheduleContext());
  await first.prepare("update deleted_item set erase_at = 1 where id = ?").bind(id).run();
  await eraseDue(0);
  expect(await countIn(first, "deleted_item", id)).toBe(0);
  await letTimePass();
  await finish(`form:${key}`);
  expect(await countIn(second, "deleted_item", id)).toBe(0);
  expect(await countIn(second, "change", id)).toBe(3);
  expect(await formerIn(second, id)).toBe(0);
});

it("A form that refuses writes keeps its due items until it accepts writes again", async () => {
  const { key, ids } = await makeForm(["a"]);
  const [id = ""] = ids;
  await remove(key, id);
  const number = await idOf(key);
  await first.prepare("update deleted_item set erase_at = 1 where id = ?").bind(id).run();
  const set = (state: string, until: number) =>
    first
      .prepare("update owner set state = ?, frozen_until = ? where collection_id = ?")
      .bind(state, until, number)
      .run();
  await set("frozen", Date.now() + dayMs);
  await expect(eraseDue(0)).rejects.toThrow("again");
  expect(await countIn(first, "deleted_item", id)).toBe(1);
  await set("owned", 0);
  await eraseDue(0);
  expect(await countIn(first, "deleted_item", id)).toBe(0);
});
