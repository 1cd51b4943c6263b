import { sql } from "drizzle-orm";
import { unlessRefused } from "../db/unless-refused";
import { insertAct, type Act } from "../audit/audit";
import { guardCode, guardStatement } from "../db/guard";
import { member } from "../db/schema";
import { statement } from "../db/statement";
import type { Member } from "./members";

const insertFirst = statement<{ at: number; email: string; id: string; password: string }>(
  (db, v) =>
    db
      .insert(member)
      .select(sql`select ${v.id}, 1, ${v.email}, 'owner', ${v.password}, ${v.at}, null`),
);
const isNobodyThere = guardStatement(
  () => sql`select ${guardCode("members_exist")} as code where exists (select 1 from member)`,
);

/** Makes the first owner; false when there is a member already. */
export async function insertFirstOwner(
  db: D1Database,
  owner: Pick<Member, "id" | "email" | "password">,
  act: Act,
): Promise<boolean> {
  const values = { ...owner, at: act.at };
  const statements = [isNobodyThere, insertFirst].map((bind) => bind(db, values));
  return unlessRefused(db, [...statements, insertAct(db, { ...act })]);
}
