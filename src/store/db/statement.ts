import { type Column, is, Param, Placeholder, sql, SQL, type Query } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { lazy } from "#domain/lazy.ts";
import { lowestSequence, lowestVersion, type Timeline } from "#domain/timeline.ts";
import { lazySql } from "./lazy.ts";
import type { CollectionDatabase, Database, PreparedStatement, Scope } from "./database.ts";

/** Builds queries without a database, because only their SQL is needed. */
const builder = lazy(() => drizzle(undefined as never));

export type Builder = ReturnType<typeof builder>;

/** Binds a statement to a database and its values, ready for a batch. */
export type Bind<S extends Scope, Values> = (
  db: Database<S>,
  values: Values,
) => PreparedStatement<S>;

/** Binds a statement to a collection. The handle supplies `collectionId`, never the values. */
export type CollectionBind<Values> = (
  db: CollectionDatabase,
  values: Values & { collectionId?: never },
) => PreparedStatement<"data">;

/** The placeholders of a statement, by the names of its values. Any other name is a compile error. */
export type Placeholders<Values> = { readonly [Name in keyof Values]-?: SQL<Values[Name]> };

export function placeholders<Values extends object>(): Placeholders<Values> {
  return new Proxy({}, { get: placeholderOf }) as Placeholders<Values>;
}

function placeholderOf(_: object, name: string | symbol): SQL {
  return sql`${sql.placeholder(String(name))}`;
}

type Build<Values> = (db: Builder, values: Placeholders<Values>) => { toSQL(): Query };

/**
 * Builds the SQL of a statement once, on first use, and binds its placeholders for each request, so that hot paths do
 * not rebuild SQL. Raw parameters work in batches this way. drizzle-orm's `batch` loses them (drizzle-orm #2277).
 */
function compileStatement<Values extends object>(build: Build<Values>) {
  let compiled: { text: string; getters: ValueGetter[] } | undefined;
  return <S extends Scope>(
    db: Database<S>,
    values: object,
    collectionId?: number,
  ): PreparedStatement<S> => {
    if (!compiled) {
      const query = build(builder(), placeholders<Values>()).toSQL();
      compiled = { text: query.sql, getters: query.params.map(buildValueGetter) };
    }
    const valuesByName = values as Record<string, unknown>;
    return db.prepare(
      compiled.text,
      compiled.getters.map((getValue) => getValue(valuesByName, collectionId, db.timeline)),
    );
  };
}

/** A statement on tables of the home database. */
export function homeStatement<Values extends object>(build: Build<Values>): Bind<"home", Values> {
  return compileStatement(build);
}

/** A statement on tables of a data database, for any of its collections. */
export function dataStatement<Values extends object>(build: Build<Values>): Bind<"data", Values> {
  return compileStatement(build);
}

/** A statement on one collection. The handle supplies `collectionId`. */
export function collectionStatement<Values extends object>(
  build: Build<Values & { collectionId: number }>,
): CollectionBind<Values> {
  const bind = compileStatement(build);
  return (db, values) => bind(db, values, db.collectionId);
}

/** A statement that joins tables of both scopes. Both must be in one database. */
export function jointStatement<Values extends object>(build: Build<Values>): Bind<Scope, Values> {
  return compileStatement(build);
}

/** A statement on tables that every database has. */
export function sharedStatement<Values extends object>(
  build: Build<Values>,
): <S extends Scope>(db: Database<S>, values: Values) => PreparedStatement<S> {
  return compileStatement(build);
}

/** The values that the timeline of the handle supplies to every statement. */
const timelineValues: Record<string, ((timeline: Timeline) => number) | undefined> = {
  lowestVersion,
  lowestSequence,
};

/** The lowest version and the lowest sequence of a change that the handle's timeline assigns. */
export const lowestVersionSql = lazySql(() => placeholderOf({}, "lowestVersion"));
export const lowestSequenceSql = lazySql(() => placeholderOf({}, "lowestSequence"));

/** The version after `version`, as `nextVersion` computes it. */
export const nextVersionSql = (version: SQL): SQL => sql`max(${version} + 1, ${lowestVersionSql})`;

/** Returns the value to bind to a parameter. */
type ValueGetter = (
  values: Record<string, unknown>,
  collectionId: number | undefined,
  timeline: Timeline,
) => unknown;

/** Inspects a parameter once. Drizzle's own `fillPlaceholders` inspects every parameter on each call. */
function buildValueGetter(parameter: unknown): ValueGetter {
  if (is(parameter, Placeholder)) return buildNamedGetter(parameter.name);
  if (is(parameter, Param) && is(parameter.value, Placeholder)) {
    const { encoder, value } = parameter;
    const getValue = buildNamedGetter(value.name);
    return (...source) => encoder.mapToDriverValue(getValue(...source));
  }
  return () => parameter;
}

/** Reads a value by its name. The collection of the handle overrides a value named `collectionId`. */
function buildNamedGetter(name: string): ValueGetter {
  const timelineValue = timelineValues[name];
  if (timelineValue) return (_values, _collectionId, timeline) => timelineValue(timeline);
  if (name !== "collectionId") return (values) => values[name];
  return (values, collectionId) => collectionId ?? values[name];
}

type Selected = Record<string, Column | SQL.Aliased>;

/** Selects columns under the names of their properties, so that rows of a statement look like rows of a query. */
export const named = <Columns extends Selected>(
  columns: Columns,
): Record<keyof Columns, SQL.Aliased> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      is(column, SQL.Aliased) ? column : sql`${column}`.as(name),
    ]),
  ) as never;

/** Picks the values that an insert or an update sets. Each one has the name of its column. */
export function pick<Values, Name extends keyof Values>(
  values: Placeholders<Values>,
  names: readonly Name[],
): Pick<Placeholders<Values>, Name> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as never;
}

/** D1 limits a parameter to 2,000,000 bytes. */
const maxParameterBytes = 1_500_000;

export const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** Encodes rows as JSON arrays, each small enough for a D1 parameter. */
export function jsonChunks(rows: readonly unknown[], maxBytes = maxParameterBytes): string[] {
  return chunkJsonRows(
    rows.map((row) => JSON.stringify(row)),
    maxBytes,
  );
}

/** Joins rows that are already JSON into arrays, each small enough for a D1 parameter. */
export function chunkJsonRows(rows: readonly string[], maxBytes = maxParameterBytes): string[] {
  const chunks: string[] = [];
  let chunk: string[] = [];
  let size = 0;
  for (const row of rows) {
    const length = byteLength(row) + 1;
    if (size + length > maxBytes && chunk.length > 0) {
      chunks.push(`[${chunk.join()}]`);
      chunk = [];
      size = 0;
    }
    chunk.push(row);
    size += length;
  }
  if (chunk.length > 0) chunks.push(`[${chunk.join()}]`);
  return chunks;
}
