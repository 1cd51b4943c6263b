import { sql, type SQL } from "drizzle-orm";
import { guard } from "./schema.ts";
import type { Database, PreparedStatement, Scope } from "./database.ts";
import {
  collectionStatement,
  dataStatement,
  homeStatement,
  jointStatement,
  type Bind,
  type Builder,
  type CollectionBind,
  type Placeholders,
} from "./statement.ts";
import { classifyError, runOnce } from "./retry.ts";

/** For each constraint of the table `guard`, the code that violates it. */
export const guardCodes = {
  definition_changed: 1,
  not_open_yet: 2,
  closed: 3,
  full: 4,
  item_changed: 5,
  values_exist: 6,
  taken: 7,
  credential_changed: 8,
  address_taken: 9,
  link_used: 10,
  last_owner: 11,
  member_changed: 12,
  members_exist: 13,
  role_not_given: 14,
  actor_changed: 15,
  too_many_credentials: 16,
  key_used: 17,
  unknown_app: 18,
  unknown_reference: 19,
  outside_view: 20,
  not_stored: 21,
  unusable_file: 22,
  not_owner: 23,
} as const;

/** The code of a constraint as SQL. */
export function guardCode(name: keyof typeof guardCodes): SQL {
  return sql.raw(String(guardCodes[name]));
}

type SelectCode<Values> = (values: Placeholders<Values>) => SQL;

/**
 * Builds a statement that aborts its batch when the select `code` returns a code in its only column `code`. The name of
 * the violated constraint identifies the reason. Otherwise the statement writes nothing. Each scope has a table
 * `guard`.
 */
const buildGuard =
  <Values extends object>(selectCode: SelectCode<Values>) =>
  (db: Builder, v: Placeholders<Values>) =>
    db.insert(guard).select(sql`select code from (${selectCode(v)}) where code is not null`);

export function homeGuard<Values extends object>(
  selectCode: SelectCode<Values>,
): Bind<"home", Values> {
  return homeStatement<Values>(buildGuard(selectCode));
}

export function dataGuard<Values extends object>(
  selectCode: SelectCode<Values>,
): Bind<"data", Values> {
  return dataStatement<Values>(buildGuard(selectCode));
}

/** A guard on tables of both scopes. Both must be in one database. */
export function jointGuard<Values extends object>(
  selectCode: SelectCode<Values>,
): Bind<Scope, Values> {
  return jointStatement<Values>(buildGuard(selectCode));
}

/** A guard for one collection. The handle supplies `collectionId`. */
export function collectionGuard<Values extends object>(
  selectCode: SelectCode<Values & { collectionId: number }>,
): CollectionBind<Values> {
  return collectionStatement<Values>(buildGuard(selectCode));
}

/** Runs a batch in one transaction. Returns false and stores nothing if a guard aborts it. */
export async function runGuarded<S extends Scope>(
  db: Database<S>,
  statements: readonly PreparedStatement<S>[],
): Promise<boolean> {
  return (await runGuardedBatch(db, statements)) === undefined;
}

/** Runs a batch in one transaction. If a guard aborts it, stores nothing and returns the violated constraint. */
export async function runGuardedBatch<S extends Scope>(
  db: Database<S>,
  statements: readonly PreparedStatement<S>[],
): Promise<string | undefined> {
  try {
    await runOnce(db, () => db.batch(statements));
    return undefined;
  } catch (error) {
    const failure = classifyError(error);
    if (failure.kind === "guard") return failure.constraint;
    throw error;
  }
}
