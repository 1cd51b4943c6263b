import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import * as homeSchema from "../../src/store/db/home-schema.ts";
import { movedTables, tablesThatStay } from "../../src/store/db/moved-tables.ts";
import * as schema from "../../src/store/db/schema.ts";

const namesOf = (tables: object) =>
  (Object.values(tables) as SQLiteTable[]).map((table) => getTableConfig(table).name);

describe("The list of what moves with a collection", () => {
  it("names every table of the data scope, as one that moves or one that stays", () => {
    const home = new Set(namesOf(homeSchema));
    const data = namesOf(schema).filter((name) => !home.has(name));
    const listed = [...movedTables().map(({ name }) => name), ...Object.keys(tablesThatStay)];
    expect(listed.toSorted()).toEqual(data.toSorted());
  });

  it("keeps its order, and a new table comes last, because two versions may work on one move", () => {
    expect(movedTables().map(({ name }) => name)).toEqual([
      "item",
      "change",
      "search_entry",
      "unique_value",
      "former_definition",
      "tally",
      "file",
      "replay",
      "erased_item",
      "collection",
      "deletion",
      "indexing",
      "pending_change",
      "index_check",
      "erasure",
      "former_unique",
      "former_entry",
      "deleted_item",
    ]);
  });
});
