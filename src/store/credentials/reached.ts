import { and, desc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Credential } from "../../domain/credential/credential";
import type { Collection, CollectionKind } from "../../domain/definition/collection";
import { attempt } from "../db/attempt";
import { credential } from "../db/people-schema";
import { collection } from "../db/schema";
import { headColumns, headFromRow, type HeadRow } from "../definitions/head";
import { credentialFromRow, selectCredentials } from "./credentials";

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
