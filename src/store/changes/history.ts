import { sql, type SQL } from "drizzle-orm";
import type { Actor } from "../../domain/actor";
import type { Value } from "../../domain/data/values";
import type { ItemAction } from "../../domain/item/change";
import { attempt } from "../db/attempt";
import { statement, type Bind, type Parameters } from "../db/statement";

/** A change of one item, with what its fields held before. */
export interface PastChange {
  number: number;
  at: number;
  actor: Actor;
  /** The e-mail of a member, the name of a credential; null where that one is gone. */
  actorName: string | null;
  action: ItemAction;
  version: number;
  previous: number | null;
  fields: number[];
  /** By id of the field, null where it was empty; null where it is not known any more. */
  former: Record<string, Value | null> | null;
}

/** At most so many changes, and about so many bytes of former values. */
export interface HistoryLimits {
  limit: number;
  bytes: number;
}

const actorName = sql<string | null>`case
  when actor like 'member:%' then (select email from member where id = substr(actor, 8))
  when actor like 'credential:%' then (select name from credential where id = substr(actor, 12)) end`;

/** Follows the pointers from a change to the ones before, newest first. */
export const historyFrom = <Values extends object>(
  newest: (values: Parameters<Values>) => SQL,
): Bind<Values & HistoryLimits> =>
  statement<Values & HistoryLimits>((db, v) =>
    db
      .select({
        number: sql<number>`number`,
        at: sql<number>`at`,
        actor: sql<Actor>`actor`,
        actorName: actorName.as("actorName"),
        action: sql<ItemAction>`action`,
        version: sql<number>`version`,
        previous: sql<number | null>`previous`,
        fields: sql<string>`fields`,
        former: sql<string | null>`former`,
      })
      .from(
        sql`(with recursive past as (
          select c.*, 1 as place, 0 as spent from change c where c.number = ${newest(v)}
          union all
          select c.*, place + 1, spent + coalesce(octet_length(past.former), 0)
            from past join change c on c.number = past.previous
            where place < ${v.limit} and spent + coalesce(octet_length(past.former), 0) < ${v.bytes})
        select * from past)`,
      ),
  );

const selectHistory = historyFrom<{ from: number }>(({ from }) => from);

/** A change as D1 gives it. */
export type PastRow = Omit<PastChange, "fields" | "former"> & {
  fields: string;
  former: string | null;
};

/** An item's changes from this one back. */
export async function readHistory(
  db: D1Database,
  values: { from: number } & HistoryLimits,
): Promise<PastChange[]> {
  const { results } = await attempt(() => selectHistory(db, values).all<PastRow>());
  return results.map(pastFromRow);
}

export function pastFromRow({ fields, former, ...row }: PastRow): PastChange {
  return {
    ...row,
    fields: JSON.parse(fields) as number[],
    former: former === null ? null : (JSON.parse(former) as PastChange["former"]),
  };
}
