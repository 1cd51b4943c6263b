import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { orm, type HomeDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { member, session } from "#store/db/schema.ts";
import { listSettingsSql, type ListSettings } from "./list-settings.ts";
import { memberColumns, type Member } from "./members.ts";

/** A member with the settings that it has saved for the list of a request. */
export type ListingMember = Member & { settings: ListSettings | null };

const withSettings = (list: string | undefined) => ({
  ...memberColumns(),
  settings: list === undefined ? sql<null>`null` : listSettingsSql(list),
});

const listingMember = (row: Member & { settings: string | null }): ListingMember => ({
  ...row,
  settings: row.settings === null ? null : (JSON.parse(row.settings) as ListSettings),
});

/** Finds an active member by its address, with its settings for a list. Returns undefined if there is none. */
export async function findListingMember(
  db: HomeDatabase,
  email: string,
  list: string | undefined,
): Promise<ListingMember | undefined> {
  const [row] = await retryTransient(db, () =>
    orm(db)
      .select(withSettings(list))
      .from(member)
      .where(and(eq(member.email, email), isNull(member.disabledAt))),
  );
  return row && listingMember(row);
}

/** The member of a session, with its settings for a list and the time at which the session was last used. */
export interface SessionMember {
  member: ListingMember;
  seenAt: number;
}

/** Finds the member of an unexpired session, with its settings for a list. Returns undefined for a removed member. */
export async function findMemberBySession(
  db: HomeDatabase,
  hash: string,
  now: number,
  list: string | undefined,
): Promise<SessionMember | undefined> {
  const [row] = await retryTransient(db, () =>
    orm(db)
      .select({
        member: withSettings(list),
        seenAt: sql<number>`coalesce(${session.seenAt}, ${session.createdAt})`,
      })
      .from(session)
      .innerJoin(member, eq(member.id, session.memberId))
      .where(and(eq(session.hash, hash), gt(session.expiresAt, now), isNull(member.disabledAt))),
  );
  return row && { member: listingMember(row.member), seenAt: row.seenAt };
}
