import { sql, type SQL } from "drizzle-orm";
import { guard } from "./schema.ts";
import { statement, type Bind, type Parameters } from "./statement.ts";
import { failureOf, once } from "./retry.ts";

/** The constraints of the table `guard`, by the code that breaks them. */
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
} as const;

/** A code as SQL. */
export function guardCode(name: keyof typeof guardCodes): SQL {
  return sql.raw(String(guardCodes[name]));
}

/**
 * A statement that aborts its batch when `code` (a select of one column, `code`) gives a code: the name of the
 * constraint that it breaks says why. Gives nothing, writes nothing.
 */
export function guardStatement<Values extends object>(
  code: (values: Parameters<Values>) => SQL,
): Bind<Values> {
  return statement<Values>((db, v) =>
    db.insert(guard).select(sql`select code from (${code(v)}) where code is not null`),
  );
}

/** Runs a batch in one go; false, with nothing stored, when its guard refuses it. */
export async function unlessRefused(
  db: D1Database,
  statements: D1PreparedStatement[],
): Promise<boolean> {
  return (await refusingGuard(db, statements)) === undefined;
}

/** Runs a batch in one go; the constraint of the guard that refused it, with nothing stored, if one did. */
export async function refusingGuard(
  db: D1Database,
  statements: D1PreparedStatement[],
): Promise<string | undefined> {
  try {
    await once(() => db.batch(statements));
    return undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind === "guard") return failure.constraint;
    throw error;
  }
}
