import { eq, sql } from "drizzle-orm";
import type { ItemAction } from "../../domain/item/change";
import { numbersOf, type Item } from "../../domain/item/item";
import { changeColumns, changeFromRow, type Change, type ChangeRow } from "../changes/change-row";
import { attempt } from "../db/attempt";
import { collection, item } from "../db/schema";
import { parameters, statement } from "../db/statement";
import { headColumns, headFromRow, type Head, type HeadRow } from "../definitions/head";
import { itemColumns, itemFromRow, type ItemRow } from "../items/item-row";

/** Changes that are looked at in one step, for one that is to be told. */
const window = 1000;

interface Values {
  after: number;
  below: number;
  /** Names of acts, JSON. */
  actions: string;
}

const v = parameters<Values>();
const scanned = sql`(select * from change where number > ${v.after} and number < ${v.below}
  order by number limit ${sql.raw(String(window))})`;
const first = sql`(select * from ${scanned} where action in (select value from json_each(${v.actions}))
  order by number limit 1)`;

const selectEnd = statement<Values>((db) =>
  db
    .select({
      through: sql<number | null>`max(number)`.as("through"),
      count: sql<number>`count(*)`.as("count"),
    })
    .from(scanned),
);

const selectFirst = statement<Values>((db) => db.select(changeColumns).from(first));

const selectItem = statement<Values>((db) =>
  db
    .select(itemColumns)
    .from(item)
    .where(sql`number = (select item from ${first})`),
);

const selectHead = statement<{ id: number; known: string }>((db, { id, known }) =>
  db.select(headColumns(known)).from(collection).where(eq(collection.id, id)),
);

export interface NextChange {
  change: Change | null;
  /** As it is now; null where it has gone. */
  item: Item | null;
  /** All changes up to this one are looked at. */
  through: number;
  /** Whether that is the present end. */
  atEnd: boolean;
  head: Head;
}

/** The first change behind `after` that is one of these acts, and its item as it is now. */
export async function nextChange(
  db: D1Database,
  collectionId: number,
  after: number,
  actions: readonly ItemAction[],
  known: string,
): Promise<NextChange> {
  const { below } = numbersOf(collectionId);
  const values = { after, below, actions: JSON.stringify(actions) };
  const [end, changes, items, collections] = await attempt(() =>
    db.batch([
      selectEnd(db, values),
      selectFirst(db, values),
      selectItem(db, values),
      selectHead(db, { id: collectionId, known }),
    ]),
  );
  const [scan] = (end?.results ?? []) as { through: number | null; count: number }[];
  const [row] = (changes?.results ?? []) as ChangeRow[];
  const [found] = (items?.results ?? []) as ItemRow[];
  const [own] = (collections?.results ?? []) as HeadRow[];
  const change = row ? changeFromRow(row) : null;
  return {
    change,
    item: found ? itemFromRow(found) : null,
    through: change?.number ?? scan?.through ?? after,
    atEnd: change === null && (scan?.count ?? 0) < window,
    head: own ? headFromRow(own) : { id: collectionId, fresh: null },
  };
}
