import { drizzle } from "drizzle-orm/d1";
import { attempt } from "../db/attempt";
import { member } from "../db/schema";
import type { Member } from "./members";

export type MemberSummary = Omit<Member, "password"> & {
  createdAt: number;
  disabledAt: number | null;
};

/** Every member, the first one first. */
export function selectMembers(db: D1Database) {
  const { id, version, email, role, createdAt, disabledAt } = member;
  return drizzle(db)
    .select({ id, version, email, role, createdAt, disabledAt })
    .from(member)
    .orderBy(id);
}

export async function listMembers(db: D1Database): Promise<MemberSummary[]> {
  return attempt(() => selectMembers(db));
}
