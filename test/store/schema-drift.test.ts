import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import * as homeSchema from "../../src/store/db/home-schema.ts";
import * as schema from "../../src/store/db/schema.ts";
import { dataDb, homeDb } from "../support/databases";

const homeTables = new Set(Object.values(homeSchema).map((table) => getTableConfig(table).name));

async function tablesOf(db: D1Database): Promise<string[]> {
  const { results } = await db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations'",
    )
    .all<{ name: string }>();
  return results.map(({ name }) => name);
}

describe("Drizzle schema", () => {
  it("has the tables of the migrations", async () => {
    const migrated = await Promise.all([homeDb, dataDb].map(tablesOf));
    const declared = Object.values(schema).map((table) => getTableConfig(table).name);
    expect(declared.toSorted()).toEqual([...new Set(migrated.flat())].toSorted());
  });

  it("needs no tables of the home scope in a data database", async () => {
    const [home, own] = await Promise.all([tablesOf(homeDb), tablesOf(dataDb)]);
    if (homeDb === dataDb) return expect(home).toEqual(own);
    expect(own.filter((name) => homeTables.has(name))).toEqual([]);
    expect(own.every((name) => home.includes(name))).toBe(true);
  });

  it.each(Object.entries(schema) as [string, SQLiteTable][])(
    "has the columns of %s in the order of the migrations",
    async (_, table) => {
      const { name, columns, primaryKeys } = getTableConfig(table);
      const { results } = await (homeTables.has(name) ? homeDb : dataDb)
        .prepare(`SELECT * FROM pragma_table_info('${name}')`)
        .all<{
          name: string;
          type: string;
          notnull: number;
          pk: number;
        }>();
      const composite = new Set(
        primaryKeys.flatMap((key) => key.columns.map((column) => column.name)),
      );
      const declared = columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        key: column.primary || composite.has(column.name),
        required: column.notNull,
      }));
      const migrated = results.map((column) => ({
        name: column.name,
        type: column.type,
        key: column.pk > 0,
        // A rowid alias and the key of a table without rowid are never null, even without NOT NULL.
        required: column.notnull === 1 || column.pk > 0,
      }));
      expect(declared).toEqual(migrated);
    },
  );
});
