import type { BuildColumns, SQL, SQLWrapper } from "drizzle-orm";
import {
  sqliteTable,
  type SQLiteColumnBuilderBase,
  type SQLiteTableExtraConfigValue,
} from "drizzle-orm/sqlite-core";
import { lazy } from "#domain/lazy.ts";

/** Declares a table that Drizzle builds on first use. Building all tables would take a third of a start. */
export function lazyTable<
  Name extends string,
  Columns extends Record<string, SQLiteColumnBuilderBase>,
>(
  name: Name,
  columns: () => Columns,
  extraConfig?: (table: BuildColumns<Name, Columns, "sqlite">) => SQLiteTableExtraConfigValue[],
) {
  const build = () => sqliteTable(name, columns(), extraConfig);
  const table = lazy(build);
  return new Proxy({} as ReturnType<typeof build>, {
    get: (_, key) => Reflect.get(table(), key) as unknown,
    has: (_, key) => Reflect.has(table(), key),
    getPrototypeOf: () => Reflect.getPrototypeOf(table()),
  });
}

/** SQL for use in other statements, built on first use. */
export const lazySql = (build: () => SQL): SQLWrapper => ({
  getSQL: lazy(build),
  shouldOmitSQLParens: () => true,
});
