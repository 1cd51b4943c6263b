import { and, eq, isNull, sql } from "drizzle-orm";
import { mostLiveCredentials, type Credential } from "../../domain/credential/credential";
import { insertAct, type Act } from "../audit/audit";
import { guardCode, guardStatement } from "../db/guard";
import { credential } from "../db/schema";
import { pick, statement } from "../db/statement";
import { refusalFor, type Acting } from "../members/acting";

const changedFields = [
  "version",
  "name",
  "permissions",
  "resources",
  "requests",
  "writes",
  "secrets",
  "expiresAt",
  "expiresZone",
  "origins",
] as const;

const fields = ["id", "kind", "memberId", "createdAt", ...changedFields] as const;

type Columns = Pick<typeof credential.$inferSelect, (typeof fields)[number]>;

const insert = statement<Columns>((db, v) => db.insert(credential).values(pick(v, fields)));

const isOneMore = guardStatement<Pick<Columns, "memberId" | "createdAt">>(
  (v) =>
    sql`select ${guardCode("too_many_credentials")} as code where (
    select count(*) from credential where member_id = ${v.memberId} and revoked_at is null
      and (expires_at is null or expires_at > ${v.createdAt})) >= ${sql.raw(String(mostLiveCredentials))}`,
);

/** Of two changes that were made of one state, the second is refused, and told. */
const isUnchanged = guardStatement<{ id: string; expected: number }>(
  (v) =>
    sql`select ${guardCode("credential_changed")} as code
    where not exists (select 1 from credential where id = ${v.id}
      and version = ${v.expected} and revoked_at is null)`,
);

const update = statement<Columns>((db, v) =>
  db.update(credential).set(pick(v, changedFields)).where(eq(credential.id, v.id)),
);

const revoke = statement<{ id: string; at: number }>((db, v) =>
  db
    .update(credential)
    .set({ revokedAt: v.at, version: sql`version + 1` })
    .where(and(eq(credential.id, v.id), isNull(credential.revokedAt))),
);

function rowOf(value: Credential) {
  return {
    id: value.id,
    version: value.version,
    kind: value.kind,
    name: value.name,
    permissions: JSON.stringify(value.permissions),
    resources: JSON.stringify(value.resources),
    requests: value.limits.requests,
    writes: value.limits.writes,
    secrets: JSON.stringify(value.secrets),
    memberId: value.createdBy.id,
    createdAt: value.createdAt,
    expiresAt: value.expiresAt,
    expiresZone: value.expiresZone,
    origins: JSON.stringify(value.origins),
  };
}

/** False, with nothing stored, when its member has as many as it may have. */
export async function insertCredential(
  db: D1Database,
  by: Acting,
  value: Credential,
  act: Act,
): Promise<boolean> {
  const statements = [isOneMore, insert].map((bind) => bind(db, rowOf(value)));
  const refused = await refusalFor(db, by, [...statements, insertAct(db, { ...act })]);
  return refused === undefined;
}

/** False, with nothing stored, when the credential was changed or revoked since it had the version `expected`. */
export async function updateCredential(
  db: D1Database,
  by: Acting,
  expected: number,
  after: Credential,
  act: Act,
): Promise<boolean> {
  const values = { ...rowOf(after), expected, version: expected + 1 };
  const statements = [isUnchanged, update].map((bind) => bind(db, values));
  const refused = await refusalFor(db, by, [...statements, insertAct(db, { ...act })]);
  return refused === undefined;
}

export async function revokeCredential(
  db: D1Database,
  by: Acting,
  id: string,
  act: Act,
): Promise<void> {
  await refusalFor(db, by, [revoke(db, { id, at: act.at }), insertAct(db, { ...act })]);
}
