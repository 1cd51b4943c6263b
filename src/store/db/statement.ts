import { is, Param, Placeholder, sql, type Query, type SQL } from "drizzle-orm";
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
  let built: { text: string; bound: Bound[] } | undefined;
  return (db, values) => {
    if (!built) {
      const query = build(builder, parameters<Values>()).toSQL();
      built = { text: query.sql, bound: query.params.map(boundOf) };
    }
    const byName = values as Record<string, unknown>;
    return db.prepare(built.text).bind(...built.bound.map((valueIn) => valueIn(byName)));
  };
}

/** Gives what a parameter is bound to. */
type Bound = (values: Record<string, unknown>) => unknown;

/** Found once: Drizzle's own `fillPlaceholders` asks each parameter what it is each time. */
function boundOf(parameter: unknown): Bound {
  if (is(parameter, Placeholder)) return (values) => values[parameter.name];
  if (is(parameter, Param) && is(parameter.value, Placeholder)) {
    const { encoder, value } = parameter;
    return (values) => encoder.mapToDriverValue(values[value.name]);
  }
  return () => parameter;
}

/** Some of the values, each for the column of its own name: what an insert or an update sets. */
export function pick<Values, Name extends keyof Values>(
  values: Parameters<Values>,
  names: readonly Name[],
): Pick<Parameters<Values>, Name> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as never;
}

/** D1 takes 2,000,000 bytes in a parameter. */
const mostBytes = 1_500_000;

export const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** Rows as JSON, in arrays of a size that D1 takes. */
export function runsOf(rows: readonly unknown[], most = mostBytes): string[] {
  return runs(
    rows.map((row) => JSON.stringify(row)),
    most,
  );
}

/** The same of rows that are JSON. */
export function runs(rows: readonly string[], most = mostBytes): string[] {
  const made: string[] = [];
  let run: string[] = [];
  let size = 0;
  for (const row of rows) {
    const length = byteLength(row) + 1;
    if (size + length > most && run.length > 0) {
      made.push(`[${run.join()}]`);
      run = [];
      size = 0;
    }
    run.push(row);
    size += length;
  }
  if (run.length > 0) made.push(`[${run.join()}]`);
  return made;
}
