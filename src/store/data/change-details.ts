import { sql } from "drizzle-orm";
import type { Data, Value } from "#domain/data/values.ts";
import { sequencesPerCollection, type Status } from "#domain/item/item.ts";
import type { DataDatabase } from "#store/db/database.ts";
import { isCopy } from "#store/db/moved-tables.ts";
import { retryTransient } from "#store/db/retry.ts";
import { dataStatement } from "#store/db/statement.ts";

/** The maximum number of changes of one item whose former values a list contains. */
const maxStepsPerItem = sql.raw("30");
/** The maximum sizes of former values and items that a list reads. */
const maxFormerBytes = sql.raw("4000");
const maxItemBytes = sql.raw("20000");

/** Excludes a copy that a move has made or left, because the copy may lack later changes. */
const isOwn = sql.raw(`not ${isCopy(`c.number / ${sequencesPerCollection}`)}`);
const shownSql = (numbers: unknown) =>
  sql`(select c.number, c.item from json_each(${numbers}) e join change c on c.number = e.value
    where ${isOwn})`;

const selectSteps = dataStatement<{ numbers: string }>((db, v) =>
  db
    .select({
      item: sql<number>`item`,
      number: sql<number>`number`,
      former: sql<string | null>`iif(octet_length(former) <= ${maxFormerBytes}, former, null)`.as(
        "former",
      ),
    })
    .from(
      sql`(with recursive chain (item, lowest, number, previous, former, place) as (
          select s.item, min(s.number), l.number, l.previous, l.former, 1
            from ${shownSql(v.numbers)} s join item i on i.number = s.item
            join change l on l.number = i.last_change group by s.item
          union all
          select chain.item, lowest, c.number, c.previous, c.former, place + 1
            from chain join change c on c.number = chain.previous
            where chain.number > lowest and place < ${maxStepsPerItem})
        select * from chain)`,
    )
    .orderBy(sql`number desc`),
);

const selectItems = dataStatement<{ numbers: string }>((db, v) =>
  db
    .select({
      number: sql<number>`number`,
      status: sql<Status | null>`status`,
      data: sql<string>`data`,
    })
    .from(sql`item`)
    .where(
      sql`number in (select item from ${shownSql(v.numbers)}) and octet_length(data) <= ${maxItemBytes}`,
    ),
);

/** The items of a list of changes, and the changes that lead back from their present data, newest first. */
export interface ChangeDetails {
  items: { number: number; status: Status | null; data: Data }[];
  steps: { item: number; number: number; former: Record<string, Value | null> | null }[];
}

/** Loads the former values of changes and the present data of their items, in one round trip. */
export async function loadChangeDetails(
  db: DataDatabase,
  changeNumbers: readonly number[],
): Promise<ChangeDetails> {
  const numbers = JSON.stringify(changeNumbers);
  const [steps, items] = await retryTransient(db, () =>
    db.batch<{ item: number; number: number; status: Status; former: string; data: string }>([
      selectSteps(db, { numbers }),
      selectItems(db, { numbers }),
    ]),
  );
  return {
    steps: (steps?.results ?? []).map(({ item, number, former }) => ({
      item,
      number,
      former: former === null ? null : (JSON.parse(former) as Record<string, Value | null>),
    })),
    items: (items?.results ?? []).map(({ number, status, data }) => ({
      number,
      status,
      data: JSON.parse(data) as Data,
    })),
  };
}
