import { eq, sql } from "drizzle-orm";
import type { Item } from "../../domain/item/item";
import type { Driver, Plan, Size, Whole } from "../../domain/search/plan";
import type { Scalar } from "../../domain/search/tree";
import { attempt } from "../db/attempt";
import { itemOf, type ItemRow } from "../items/items";
import { collection, indexing } from "../db/schema";
import { statement } from "../db/statement";
import { Values } from "./condition-sql";
import { countSql, spanSql } from "./driver-sql";
import { pageStatement } from "./page";
import type { Walk } from "./walk";

/** The definition's revision, and the fields that items lack entries of, where there are any. */
const selectHead = statement((builder) =>
  builder
    .select({ revision: collection.revision, fields: indexing.fields })
    .from(collection)
    .leftJoin(indexing, eq(indexing.collectionId, collection.id))
    .where(eq(collection.id, sql.placeholder("id"))),
);

/** How many entries each driver has, counted up to one more than `upTo`, and how large the collection is. */
export async function probeSizes(
  db: D1Database,
  collectionId: number,
  drivers: readonly Driver[],
  upTo: number,
): Promise<{ sizes: Size[]; whole: Whole }> {
  const values = new Values();
  const columns = drivers.flatMap((driver, index) => [
    `${countSql(driver, upTo, values)} as count${index}`,
    `${spanSql(driver, values)} as span${index}`,
  ]);
  const text = `select ${["live", "largest", ...columns].join(", ")} from tally where collection_id = ${collectionId}`;
  const probe = columns.length > 0 ? db.prepare(text).bind(values.json) : db.prepare(text);
  const found = (await attempt(() => probe.first<Record<string, number>>())) ?? {};
  return {
    sizes: drivers.map((_, index) => ({
      count: found[`count${index}`] ?? 0,
      span: found[`span${index}`] ?? 0,
    })),
    whole: { live: found["live"] ?? 0, largest: found["largest"] ?? 0 },
  };
}

/** A place as the database tells it: the values of the sort keys, null where empty, and the item's number. */
export type FoundPlace = (Scalar | null)[];

export interface Page {
  revision: number;
  /** Ids of fields of which not all items have their entries yet. */
  unfinished: number[];
  hits: { item: Item; place: FoundPlace }[];
  /** Up to where was looked, when the budget ended the page before it was full. */
  edge: FoundPlace | null;
  /** There is more than is sorted at once. */
  heavy: boolean;
}

/** `allowed` is how many items the page may have, where every candidate is one. */
type Row = ItemRow & { allowed?: number } & { kind: "hit" | "edge" | "heavy" } & Record<
    `k${number}`,
    string | number | null
  >;

/** At most `rows` matches behind the walk's position, in the order of the search. */
export async function readPage(
  db: D1Database,
  plan: Plan,
  walk: Walk,
  rows: number,
): Promise<Page> {
  const { text, values } = pageStatement(plan, walk, rows);
  // A page of the bare collection has no values, and D1 counts parameters.
  const page = text.includes("?1") ? db.prepare(text).bind(values) : db.prepare(text);
  const collectionNow = selectHead(db, { id: walk.collectionId });
  const [head, found] = await attempt(() => db.batch([collectionNow, page]));
  const read = (found?.results ?? []) as Row[];
  const place = (row: Row) =>
    [...walk.search.sort, null].map((_, index) => row[`k${index}`] ?? null);
  const isCut = read[0]?.allowed === read.length && read.length < rows;
  const edge = isCut ? read.at(-1) : read.find((row) => row.kind === "edge");
  const { revision, fields } = headOf(head);
  return {
    revision,
    unfinished: fields === null ? [] : (JSON.parse(fields) as number[]),
    hits: read
      .filter((row) => row.kind === "hit")
      .map((row) => ({ item: itemOf(row), place: place(row) })),
    edge: edge ? place(edge) : null,
    heavy: read.some((row) => row.kind === "heavy"),
  };
}

function headOf(head: D1Result | undefined): { revision: number; fields: string | null } {
  const [row] = (head?.results ?? []) as { revision: number; fields: string | null }[];
  if (!row) throw new Error("A collection is gone, though collections are never deleted.");
  return row;
}
