import { sql, type SQL } from "drizzle-orm";
import type { Actor, AuditAction } from "#domain/audit.ts";
import { auditEntry } from "#store/db/schema.ts";
import { parameters, statement } from "#store/db/statement.ts";

/** Who did what to what, stored in the same batch as the act. */
export interface Act {
  at: number;
  actor: Actor;
  action: AuditAction;
  collectionId: number | null;
  subject: string;
  version: number | null;
  /** The start of the hash of a member's session. */
  session: string | null;
  requestId: string;
  /** What the caller called the request. */
  sentRequestId: string | null;
}

const v = parameters<Act>();

/** Times grow with the numbers, whatever the clocks of the writers say. */
export const actTime = (at: SQL) =>
  sql`max(${at}, coalesce((select at from audit_entry order by id desc limit 1), 0))`;

export const insertAct = statement<Act>((db) =>
  db.insert(auditEntry).select(
    sql`select null, ${actTime(v.at)}, ${v.actor}, ${v.action}, ${v.collectionId}, ${v.subject}, ${v.version},
        ${v.session}, ${v.requestId}, ${v.sentRequestId}`,
  ),
);

/** What somebody or something is called: `member:ID`, `credential:ID`, `webhook:ID`, `form:KEY`, and a collection by its number. */
export interface NameRow {
  subject: string;
  name: string;
  collection_id: number | null;
}

/** Of each kind, the newest of so many; others are told by their ids. */
const most = sql.raw("1000");

export const selectNames = statement<object>((db) =>
  db
    .select({
      subject: sql<string>`subject`,
      name: sql<string>`name`,
      collection_id: sql<number | null>`collection_id`,
    })
    .from(
      sql`(select * from (select 'member:' || id as subject, email as name, null as collection_id
          from member order by id desc limit ${most})
        union all select * from (select 'credential:' || id, name, null
          from credential order by id desc limit ${most})
        union all select 'webhook:' || id, name, null from webhook where state <> 'deleted'
        union all select * from (select kind || ':' || key, name, id
          from collection order by id desc limit ${most}))`,
    ),
);

export class Names {
  readonly #bySubject: ReadonlyMap<string, string>;
  readonly #byCollection: ReadonlyMap<number, NameRow>;

  constructor(rows: readonly NameRow[]) {
    this.#bySubject = new Map(rows.map(({ subject, name }) => [subject, name]));
    this.#byCollection = new Map(rows.map((row) => [row.collection_id ?? 0, row]));
  }

  /** Invitations name an address in place of a member's id. */
  of(subject: string): string | null {
    const known = this.#bySubject.get(subject);
    if (known !== undefined) return known;
    return /^member:.+@/.test(subject) ? subject.slice("member:".length) : null;
  }

  /** As in `form:purchase`, and its name. */
  collection(id: number | null): NameRow | undefined {
    return id === null ? undefined : this.#byCollection.get(id);
  }
}
