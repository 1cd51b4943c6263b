import { and, eq, gt, gte, isNotNull, isNull, lt, lte, or, asc, desc, sql } from "drizzle-orm";
import type { Credential, CredentialKind } from "#domain/credential/credential.ts";
import { attempt } from "#store/db/retry.ts";
import { credential } from "#store/db/home-schema.ts";
import { credentialFromRow, selectCredentials } from "./credentials.ts";
import { drizzle } from "drizzle-orm/d1";
import type { CollectionKind, Collection } from "#domain/definition/collection.ts";
import { collection } from "#store/db/schema.ts";
import { headColumns, headFromRow, type HeadRow } from "#store/data/definition-head.ts";

export const credentialStates = ["current", "ends_soon", "expired", "revoked", "all"] as const;
export type CredentialStateFilter = (typeof credentialStates)[number];

export interface CredentialFilter {
  /** Those of one member; null for everybody's. */
  memberId: string | null;
  kind?: CredentialKind | undefined;
  state: CredentialStateFilter;
  /** Milliseconds since 1970. */
  now: number;
  /** What counts as soon. */
  soon: number;
}

function inState({ state, now, soon }: CredentialFilter) {
  switch (state) {
    case "current":
      return isNull(credential.revokedAt);
    case "ends_soon":
      return and(
        isNull(credential.revokedAt),
        gt(credential.expiresAt, now),
        lt(credential.expiresAt, soon),
      );
    case "expired":
      return and(isNull(credential.revokedAt), lte(credential.expiresAt, now));
    case "revoked":
      return isNotNull(credential.revokedAt);
    case "all":
      return undefined;
  }
}

/** A page of credentials, newest first; `before` is the id of the last one of the page before. */
export async function listCredentials(
  db: D1Database,
  filter: CredentialFilter,
  before: string | null,
  limit: number,
): Promise<Credential[]> {
  const { memberId, kind } = filter;
  const rows = await attempt(() =>
    selectCredentials(
      db,
      and(
        inState(filter),
        memberId === null ? undefined : eq(credential.memberId, memberId),
        kind === undefined ? undefined : eq(credential.kind, kind),
        before === null ? undefined : lt(credential.id, before),
      ),
      limit,
    ),
  );
  return rows.map(credentialFromRow);
}

const mostOfMember = 1000;

/** Those of a member that are not revoked, or were with its removal at `since`. */
export async function listMemberCredentials(
  db: D1Database,
  memberId: string,
  since: number,
): Promise<Credential[]> {
  const live = or(isNull(credential.revokedAt), gte(credential.revokedAt, since));
  const rows = await attempt(() =>
    selectCredentials(db, and(eq(credential.memberId, memberId), live), mostOfMember),
  );
  return rows.map(credentialFromRow);
}

/** An app or form as a credential names it. */
export interface Reachable {
  kind: CollectionKind;
  key: string;
  name: string;
}

const mostReachable = 1000;

export function selectReachable(db: D1Database) {
  const { kind, key, name } = collection;
  return drizzle(db)
    .select({ kind, key, name })
    .from(collection)
    .orderBy(asc(kind), asc(name))
    .limit(mostReachable);
}

export async function listReachable(db: D1Database): Promise<Reachable[]> {
  return attempt(() => selectReachable(db));
}

/** A credential, and all that one could reach, in one trip. */
export async function findWithReachable(
  db: D1Database,
  id: string,
): Promise<{ credential: Credential | undefined; reachable: Reachable[] }> {
  const [[found], reachable] = await attempt(() =>
    drizzle(db).batch([selectCredentials(db, eq(credential.id, id), 1), selectReachable(db)]),
  );
  return { credential: found && credentialFromRow(found), reachable };
}

/** What a credential reaches: the form, and the app, that were made last. */
export interface Reached {
  form: Collection | undefined;
  app: Collection | undefined;
}

/** The app or form that was made last of those that a credential reaches. */
function selectNewestReached(db: D1Database, id: string, kind: CollectionKind) {
  const named = sql`${credential.resources} = '"all"' or exists (
    select 1 from json_each(${credential.resources}) where value = ${collection.kind} || ':' || ${collection.key})`;
  return drizzle(db)
    .select(headColumns(sql`'{}'`))
    .from(collection)
    .innerJoin(credential, and(eq(credential.id, id), sql`(${named})`))
    .where(eq(collection.kind, kind))
    .orderBy(desc(collection.id))
    .limit(1);
}

/** A credential, and examples of what it reaches, in one trip. */
export async function findWithReached(
  db: D1Database,
  id: string,
): Promise<{ credential: Credential | undefined; reached: Reached }> {
  const [[found], [form], [app]] = await attempt(() =>
    drizzle(db).batch([
      selectCredentials(db, eq(credential.id, id), 1),
      selectNewestReached(db, id, "form"),
      selectNewestReached(db, id, "app"),
    ]),
  );
  return {
    credential: found && credentialFromRow(found),
    reached: { form: whole(form), app: whole(app) },
  };
}

function whole(row: HeadRow | undefined): Collection | undefined {
  return (row && headFromRow(row).fresh?.collection) ?? undefined;
}
