import { sql } from "drizzle-orm";
import { problem } from "../../domain/problem/problem";
import { refusingGuard } from "../db/unless-refused";
import { guardCode, guardStatement } from "../db/guard";

/** Who acts in the administration area, as it was when it was asked who that is. */
export interface Acting {
  id: string;
  version: number;
}

/** Aborts the batch of who was removed or changed meanwhile. */
export const isStillMember = guardStatement<{ id: string; version: number }>(
  (v) => sql`select ${guardCode("actor_changed")} as code where not exists (
    select 1 from member where id = ${v.id} and version = ${v.version} and disabled_at is null)`,
);

/**
 * Runs the batch of a member's act in one go; the constraint of the guard that refused it, with nothing stored, if one
 * did. Who was removed or changed meanwhile has to sign in again.
 */
export async function refusalFor(
  db: D1Database,
  { id, version }: Acting,
  statements: D1PreparedStatement[],
): Promise<string | undefined> {
  const refused = await refusingGuard(db, [isStillMember(db, { id, version }), ...statements]);
  if (refused === "actor_changed") throw problem.unauthenticated(true);
  return refused;
}
