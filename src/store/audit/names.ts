import { sql } from "drizzle-orm";
import { statement } from "../db/statement";

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
