import { asc, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Credential } from "../../domain/credential/credential";
import type { CollectionKind } from "../../domain/definition/collection";
import { attempt } from "../db/attempt";
import { credential } from "../db/people-schema";
import { collection } from "../db/schema";
import { credentialFromRow, selectCredentials } from "./credentials";

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
