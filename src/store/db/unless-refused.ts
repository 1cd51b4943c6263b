import { failureOf } from "./failure";
import { once } from "./attempt";

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
