import { sql, type SQL } from "drizzle-orm";
import type { Actor, AuditAction } from "#domain/audit.ts";
import { auditEntry } from "#store/db/schema.ts";
import {
  dataStatement,
  homeStatement,
  jointStatement,
  sharedStatement,
  type Builder,
} from "#store/db/statement.ts";
import type { HomeDatabase } from "#store/db/database.ts";
import type { PlacedRow } from "#store/db/lists.ts";
import { isCopy } from "#store/db/moved-tables.ts";
import { retryTransient } from "#store/db/retry.ts";
import { lazy } from "#domain/lazy.ts";

/** An action with its actor and subject. It is stored in the batch that performs the action. */
export interface AuditRecord {
  at: number;
  actor: Actor;
  action: AuditAction;
  collectionId: number | null;
  subject: string;
  version: number | null;
  /** The start of the hash of a member's session. */
  session: string | null;
  requestId: string;
  /** The request ID that the caller sent. */
  sentRequestId: string | null;
  /** An `AuditDetail` as JSON. */
  detail: string | null;
}

/**
 * The time of a new entry. It is never before the newest entry, so that times grow with the numbers even if clocks
 * differ.
 */
export const auditTimeSql = (at: SQL) =>
  sql`max(${at}, coalesce((select at from audit_entry order by id desc limit 1), 0))`;

/** Stores the entry in the database of its subject: data for items and definitions, home for all others. */
export const insertAuditEntry = sharedStatement<AuditRecord>((db, v) =>
  db.insert(auditEntry).select(
    sql`select null, ${auditTimeSql(v.at)}, ${v.actor}, ${v.action}, ${v.collectionId}, ${v.subject}, ${v.version},
        ${v.session}, ${v.requestId}, ${v.sentRequestId}, ${v.detail}`,
  ),
);

/** Stores an entry only if the previous statement changed a row. */
export const insertAuditEntryIfChanged = homeStatement<AuditRecord>((db, v) =>
  db.insert(auditEntry).select(
    sql`select null, ${auditTimeSql(v.at)}, ${v.actor}, ${v.action}, ${v.collectionId}, ${v.subject}, ${v.version},
        ${v.session}, ${v.requestId}, ${v.sentRequestId}, ${v.detail} where changes() > 0`,
  ),
);

export interface NameRow extends PlacedRow {
  /** `member:ID`, `credential:ID`, `webhook:ID`, `app:KEY` or `form:KEY`. Only the last two have a collection id. */
  subject: string;
  name: string;
  /** The address of a member. */
  email: string | null;
  collection_id: number | null;
}

/** Only the newest members, credentials and collections have names here. Other subjects appear with their ids. */
const maxNamesSql = sql.raw("1000");

const homeNamesSql = lazy(
  () => sql`select * from (select 'member:' || id as subject, coalesce(nullif(name, ''), email) as name, email,
          null as collection_id, 1 as is_own from member order by id desc limit ${maxNamesSql})
        union all select * from (select 'credential:' || id, name, null, null, 1
          from credential order by id desc limit ${maxNamesSql})
        union all select 'webhook:' || id, name, null, null, 1 from webhook where state <> 'deleted'`,
);
const collectionNamesSql = lazy(
  () => sql`select * from (select kind || ':' || ltrim(key, '~') as subject, name, null as email, abs(id) as collection_id,
          not ${sql.raw(isCopy("abs(collection.id)"))} as is_own from collection order by abs(id) desc limit ${maxNamesSql})`,
);

const buildNameQuery = (db: Builder, source: SQL) =>
  db
    .select({
      subject: sql<string>`subject`,
      name: sql<string>`name`,
      email: sql<string | null>`email`,
      collection_id: sql<number | null>`collection_id`,
      isOwn: sql<number>`is_own`.as("isOwn"),
    })
    .from(sql`(${source})`);

export const selectCollectionNames = dataStatement<object>((db) =>
  buildNameQuery(db, collectionNamesSql()),
);
export const selectNames = jointStatement<object>((db) =>
  buildNameQuery(db, sql`${homeNamesSql()} union all ${collectionNamesSql()}`),
);

const selectActorNames = homeStatement<{ actors: string }>((db, v) =>
  db.select({ actor: sql<string>`actor`, name: sql<string>`name` }).from(
    sql`(select e.value as actor, coalesce(nullif(m.name, ''), m.email) as name from json_each(${v.actors}) e
          join member m on e.value like 'member:%' and m.id = substr(e.value, 8)
        union all select e.value, c.name from json_each(${v.actors}) e
          join credential c on e.value like 'credential:%' and c.id = substr(e.value, 12))`,
  ),
);

/**
 * Loads the names of the members and credentials among these actors. A member without a name gets the e-mail address.
 */
export async function loadActorNames(
  home: HomeDatabase,
  actors: readonly Actor[],
): Promise<ReadonlyMap<string, string>> {
  if (actors.length === 0) return new Map();
  const values = { actors: JSON.stringify([...new Set(actors)]) };
  const { results } = await retryTransient(home, () =>
    selectActorNames(home, values).all<{ actor: string; name: string }>(),
  );
  return new Map(results.map(({ actor, name }) => [actor, name]));
}

/** The name of a subject in the database that owns it. */
export type SubjectName = Omit<NameRow, "isOwn">;

export class SubjectNames {
  readonly #bySubject: ReadonlyMap<string, SubjectName>;
  readonly #byCollection: ReadonlyMap<number, SubjectName>;

  constructor(rows: readonly SubjectName[]) {
    this.#bySubject = new Map(rows.map((row) => [row.subject, row]));
    this.#byCollection = new Map(rows.map((row) => [row.collection_id ?? 0, row]));
  }

  /** Returns the name of a subject. The subject of an invitation contains its e-mail address instead of a member id. */
  of(subject: string): string | null {
    const row = this.#bySubject.get(subject);
    if (row) return row.name;
    return /^member:.+@/.test(subject) ? subject.slice("member:".length) : null;
  }

  /** Returns the address of a member. */
  emailOf(subject: string): string | null {
    return this.#bySubject.get(subject)?.email ?? null;
  }

  /** Returns the apps and forms, sorted by name. */
  get collections(): SubjectName[] {
    return [...this.#byCollection.values()]
      .filter((row) => row.collection_id !== null)
      .toSorted((a, b) => a.name.localeCompare(b.name));
  }

  /** Returns the subject, such as `form:purchase`, and the name of a collection. */
  collection(id: number | null): SubjectName | undefined {
    return id === null ? undefined : this.#byCollection.get(id);
  }
}
