import { env } from "cloudflare:workers";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import * as schema from "../../src/store/db/schema.ts";

describe("The migrations and the Drizzle schema", () => {
  it("tell the same tables", async () => {
    const { results } = await env.DB.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations'",
    ).all<{ name: string }>();
    const told = Object.values(schema).map((table) => getTableConfig(table).name);
    expect(told.toSorted()).toEqual(results.map(({ name }) => name).toSorted());
  });

  it.each(Object.entries(schema) as [string, SQLiteTable][])(
    "tell the same columns of %s, in the same order",
    async (_, table) => {
      const { name, columns, primaryKeys } = getTableConfig(table);
      const { results } = await env.DB.prepare(`SELECT * FROM pragma_table_info('${name}')`).all<{
        name: string;
        type: string;
        notnull: number;
        pk: number;
      }>();
      const composite = new Set(primaryKeys.flatMap((key) => key.columns.map((each) => each.name)));
      const told = columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        key: column.primary || composite.has(column.name),
        required: column.notNull,
      }));
      const stored = results.map((column) => ({
        name: column.name,
        type: column.type,
        key: column.pk > 0,
        // A rowid alias and the key of a table without rowid are never null, said or not.
        required: column.notnull === 1 || column.pk > 0,
      }));
      expect(told).toEqual(stored);
    },
  );
});
