import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compareChunk } from "../../src/store/data/move-rows.ts";
import { openDatabases, type DataDatabase } from "../../src/store/db/database.ts";
import { movedTables, type MovedTable } from "../../src/store/db/moved-tables.ts";
import { timing } from "../support/databases";
import { first, home, migrate, second } from "./installation";

const id = 7;
const numberOf = (sequence: number) => id * 2 ** 32 + sequence;
const table = movedTables().find(({ name }) => name === "search_entry") as MovedTable;

/** Stores entries of the items with these sequences, and a value of so many characters. */
const store = (db: D1Database, from: number, to: number, characters = 1) =>
  db
    .prepare(
      `with recursive n (i) as (select ?2 union all select i + 1 from n where i < ?3)
        insert into search_entry (field, value, item, folded) select ?1, 'a', ?1 + i, substr(hex(zeroblob(?4)), 1, ?4) from n`,
    )
    .bind(numberOf(0), from, to, characters)
    .run();

const note = (from: number, to: number) =>
  first
    .prepare(
      `with recursive n (i) as (select ?2 union all select i + 1 from n where i < ?3)
        insert into move_log (source, k1, k2, k3) select 'search_entry', ?1, 'a', ?1 + i from n`,
    )
    .bind(numberOf(0), from, to)
    .run();

describe("The comparison of a copy", () => {
  let both: readonly [DataDatabase, DataDatabase];
  beforeAll(async () => {
    await migrate();
    const databases = openDatabases({ home, data: { DATA_01: first, DATA_02: second } }, timing);
    const [one, two] = databases.dataDatabases() as [DataDatabase, DataDatabase];
    both = [one, two];
  });
  beforeEach(async () => {
    for (const db of [first, second])
      await db.batch(["search_entry", "move_log"].map((name) => db.prepare(`delete from ${name}`)));
  });
  const compare = async () => {
    const { rows, isEqual } = await compareChunk(both, table, id, null);
    return [rows.length, isEqual];
  };

  it("allows any number of rows in the copy that were deleted since, between rows that are equal", async () => {
    for (const db of [first, second]) {
      await store(db, 1, 1);
      await store(db, 9000, 9000);
    }
    await store(second, 2, 8999);
    await note(2, 8999);
    expect(await compare()).toEqual([2, true]);
    await first.prepare("delete from search_entry").run();
    await note(1, 1);
    await note(9000, 9000);
    expect(await compare()).toEqual([0, true]);
  });

  it("reads no row that changed since, however large", async () => {
    await store(first, 1, 20);
    await store(second, 1, 20, 1_900_000);
    await note(1, 20);
    expect(await compare()).toEqual([20, true]);
  });

  it("finds a row that is missing, differs, or is only in the copy", async () => {
    await store(first, 1, 3);
    await store(second, 1, 2);
    expect(await compare()).toEqual([3, false]);
    await store(second, 3, 3, 2);
    expect(await compare()).toEqual([3, false]);
    await first.prepare("delete from search_entry where item = ?").bind(numberOf(2)).run();
    await first
      .prepare("update search_entry set folded = '00' where item = ?")
      .bind(numberOf(3))
      .run();
    expect(await compare()).toEqual([2, false]);
    await note(2, 2);
    expect(await compare()).toEqual([2, true]);
  });

  it("compares rows of the size that an item may have", async () => {
    for (const db of [first, second]) await store(db, 1, 2, 1_900_000);
    expect(await compare()).toEqual([1, true]);
  });
});
