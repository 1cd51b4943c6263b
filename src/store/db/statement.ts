import { fillPlaceholders, sql, type Query, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

/** Builds queries without a database: only their SQL is taken. */
const builder = drizzle(undefined as never);

type Builder = typeof builder;

/** A D1 statement with its values, ready for a batch. */
export type Bind<Values> = (db: D1Database, values: Values) => D1PreparedStatement;

/** The values of a statement where it is written: another name is a compile error. */
export type Parameters<Values> = { readonly [Name in keyof Values]-?: SQL<Values[Name]> };

export function parameters<Values extends object>(): Parameters<Values> {
  return new Proxy({}, { get: named }) as Parameters<Values>;
}

function named(_: object, name: string | symbol): SQL {
  return sql`${sql.placeholder(String(name))}`;
}

/**
 * Lets Drizzle write a statement once, when the isolate starts, and binds its placeholders for each request:
 * the SQL of a hot path is not built anew each time, and raw parameters work in batches
 * (drizzle-orm's own `batch` loses them, drizzle-orm #2277).
 */
export function statement<Values extends object>(
  build: (db: Builder, values: Parameters<Values>) => { toSQL(): Query },
): Bind<Values> {
  let query: Query | undefined;
  return (db, values) => {
    query ??= build(builder, parameters<Values>()).toSQL();
    return db
      .prepare(query.sql)
      .bind(...fillPlaceholders(query.params, values as Record<string, unknown>));
  };
}

/** Some of the values, each for the column of its own name: what an insert or an update sets. */
export function pick<Values, Name extends keyof Values>(
  values: Parameters<Values>,
  names: readonly Name[],
): Pick<Parameters<Values>, Name> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as never;
}
