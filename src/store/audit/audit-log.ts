import { desc, lt, sql, type SQLWrapper } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { attempt } from "../db/attempt";
import { auditEntry } from "../db/schema";

export type AuditEntry = typeof auditEntry.$inferSelect;

export interface AuditFilter {
  /** The start of an actor: `member:ID`, `credential:ID`. */
  actor?: string | undefined;
  /** The start of an action: `member`, `submission.create`. */
  action?: string | undefined;
  /** A subject as it is written: the id of an item, `form:KEY`. */
  subject?: string | undefined;
  /** Milliseconds since 1970. */
  from?: number | undefined;
  until?: number | undefined;
}

/** Entries that one page looks at: the audit has no index to filter by, as each would be a row more on every write. */
const scanned = 5000;

const starts = (column: SQLWrapper, text: string) =>
  sql`substr(${column}, 1, ${text.length}) = ${text}`;

/** The entries that pass, newest first, and where to go on: a page may be short, even empty, and still have a next. */
export async function readAudit(
  db: D1Database,
  filter: AuditFilter,
  before: number | null,
  limit: number,
): Promise<{ entries: AuditEntry[]; next: number | null }> {
  const orm = drizzle(db);
  const older = before === null ? undefined : lt(auditEntry.id, before);
  const window = orm
    .select()
    .from(auditEntry)
    .where(older)
    .orderBy(desc(auditEntry.id))
    .limit(scanned)
    .as("looked_at");
  const conditions = [
    filter.actor ? starts(window.actor, filter.actor) : undefined,
    filter.action ? starts(window.action, filter.action) : undefined,
    filter.subject ? sql`${window.subject} = ${filter.subject}` : undefined,
    filter.from === undefined ? undefined : sql`${window.at} >= ${filter.from}`,
    filter.until === undefined ? undefined : sql`${window.at} < ${filter.until}`,
  ].filter((each) => each !== undefined);
  const where = conditions.length > 0 ? sql.join(conditions, sql` and `) : undefined;
  const [entries, edges] = await attempt(() =>
    orm.batch([
      orm
        .select()
        .from(window)
        .where(where)
        .orderBy(desc(window.id))
        .limit(limit + 1),
      orm
        .select({ last: sql<number | null>`min(${window.id})`, count: sql<number>`count(*)` })
        .from(window),
    ]),
  );
  const shown = entries.slice(0, limit);
  const last = shown.at(-1);
  if (entries.length > limit && last) return { entries: shown, next: last.id };
  const [edge] = edges;
  return { entries: shown, next: edge && edge.count === scanned ? edge.last : null };
}
