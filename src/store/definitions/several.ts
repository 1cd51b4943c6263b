import { sql } from "drizzle-orm";
import type { Collection, CollectionKind } from "../../domain/definition/collection";
import { attempt } from "../db/attempt";
import { collection } from "../db/schema";
import { parameters, statement } from "../db/statement";
import { headColumns, headFromRow, type HeadRow } from "./head";

interface Values {
  /** Pairs of kind and key, JSON. */
  names: string;
  mostBytes: number;
}

const named = parameters<Values>();
const total = sql`(select coalesce(sum(octet_length(c.fields)), 0) from json_each(${named.names}) n
  join collection c on c.kind = n.value ->> 0 and c.key = n.value ->> 1)`;

const measure = statement<Values>((db) =>
  db
    .select({ count: sql<number>`count(*)`.as("count"), bytes: total.as("bytes") })
    .from(sql`json_each(${named.names}) n`)
    .innerJoin(
      collection,
      sql`${collection.kind} = n.value ->> 0 and ${collection.key} = n.value ->> 1`,
    ),
);

/** What is pending is not read: it may be as large as what holds. */
const select = statement<Values>((db) =>
  db
    .select({ ...headColumns(sql`'{}'`), pending: sql<null>`null`.as("pending") })
    .from(sql`json_each(${named.names}) n`)
    .innerJoin(
      collection,
      sql`${collection.kind} = n.value ->> 0 and ${collection.key} = n.value ->> 1`,
    )
    .where(sql`${total} <= ${named.mostBytes}`)
    .orderBy(sql`n.key`),
);

export interface Several {
  /** How many of them there are. */
  count: number;
  /** Of their fields, as they are stored. */
  bytes: number;
  /** In the order in which they were named; none where they have more bytes together than they may. */
  collections: Collection[];
}

/** Several definitions, in one round trip. What is too much together is not read. */
export async function findSeveral(
  db: D1Database,
  names: readonly { kind: CollectionKind; key: string }[],
  mostBytes: number,
): Promise<Several> {
  const pairs = JSON.stringify(names.map(({ kind, key }) => [kind, key]));
  const values = { names: pairs, mostBytes };
  const [sizes, found] = await attempt(() =>
    db.batch<HeadRow | Several>([measure(db, values), select(db, values)]),
  );
  const [size] = (sizes?.results ?? []) as Several[];
  const rows = (found?.results ?? []) as HeadRow[];
  return {
    count: size?.count ?? 0,
    bytes: size?.bytes ?? 0,
    collections: rows.flatMap((row) => headFromRow(row).fresh?.collection ?? []),
  };
}
