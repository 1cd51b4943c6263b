import { eq, sql } from "drizzle-orm";
import type { Item } from "../../domain/item";
import type { Driver, Plan, Size } from "../../domain/search/plan";
import { attempt } from "../attempt";
import { itemOf, type ItemRow } from "../items";
import { collection, indexing } from "../schema";
import { statement } from "../statement";
import { Values } from "./condition-sql";
import { countSql, spanSql } from "./driver-sql";
import { pageStatement, type Position, type Walk } from "./page";

/** The definition's version, and the fields that items lack entries of, where there are any. */
const selectHead = statement((builder) =>
  builder
    .select({ version: collection.version, fields: indexing.fields })
    .from(collection)
    .leftJoin(indexing, eq(indexing.collectionId, collection.id))
    .where(eq(collection.id, sql.placeholder("id"))),
);

/** How many entries each driver has, counted up to one more than `upTo`, with the definition's version. */
export async function probeSizes(
  db: D1Database,
  collectionId: number,
  drivers: readonly Driver[],
  upTo: number,
): Promise<{ definitionVersion: number; sizes: Size[] }> {
  const values = new Values();
  const columns = drivers.flatMap((driver, index) => [
    `${countSql(driver, upTo, values)} as count${index}`,
    `${spanSql(driver, values)} as span${index}`,
  ]);
  const probe = db.prepare(`select ${columns.join(", ")}`).bind(values.json);
  const version = selectHead(db, { id: collectionId });
  const [head, counted] = await attempt(() => db.batch<Record<string, number>>([version, probe]));
  return {
    definitionVersion: headOf(head).version,
    sizes: drivers.map((_, index) => ({
      count: counted?.results[0]?.[`count${index}`] ?? 0,
      span: counted?.results[0]?.[`span${index}`] ?? 0,
    })),
  };
}

export interface Page {
  definitionVersion: number;
  /** Ids of fields of which not all items have their entries yet. */
  unfinished: number[];
  hits: { item: Item; place: Position }[];
  /** Up to where was looked, when the budget ended the page before it was full. */
  edge: Position | null;
}

type Row = ItemRow & { kind: "hit" | "edge" } & Record<`k${number}`, string | number | null>;

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
  const version = selectHead(db, { id: walk.collectionId });
  const [head, found] = await attempt(() => db.batch([version, page]));
  const read = (found?.results ?? []) as Row[];
  const place = (row: Row) =>
    [...walk.search.sort, null].map((_, index) => row[`k${index}`] ?? null);
  const edge = read.find((row) => row.kind === "edge");
  const { version: definitionVersion, fields } = headOf(head);
  return {
    definitionVersion,
    unfinished: fields === null ? [] : (JSON.parse(fields) as number[]),
    hits: read
      .filter((row) => row.kind === "hit")
      .map((row) => ({ item: itemOf(row), place: place(row) })),
    edge: edge ? place(edge) : null,
  };
}

function headOf(head: D1Result | undefined): { version: number; fields: string | null } {
  const [row] = (head?.results ?? []) as { version: number; fields: string | null }[];
  if (!row) throw new Error("A collection is gone, though collections are never deleted.");
  return row;
}
