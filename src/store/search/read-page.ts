import { eq, sql } from "drizzle-orm";
import type { WholePosition } from "../../domain/cursor";
import type { Item } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { itemOf, type ItemRow } from "../items/items";
import { collection, indexing } from "../db/schema";
import { statement } from "../db/statement";
import { pageStatement } from "./page-statement";
import type { Plan } from "./plan";
import type { Walk } from "./walk";

/** The definition's revision, and the fields that items lack entries of, where there are any. */
const selectHead = statement((builder) =>
  builder
    .select({ revision: collection.revision, fields: indexing.fields })
    .from(collection)
    .leftJoin(indexing, eq(indexing.collectionId, collection.id))
    .where(eq(collection.id, sql.placeholder("id"))),
);

export interface Page {
  revision: number;
  /** Ids of fields of which not all items have their entries yet. */
  unfinished: number[];
  hits: { item: Item; position: WholePosition }[];
  /** Up to where was looked, when the budget ended the page before it was full. */
  edge: WholePosition | null;
  /** There is more than is sorted at once. */
  heavy: boolean;
}

/** `allowed` is how many items the page may have, where every candidate is one. */
type Row = ItemRow & { allowed?: number } & { kind: "hit" | "edge" | "heavy" } & Record<
    `k${number}`,
    WholePosition[number]
  >;

/** At most `rows` matches from the walk's start on, in the order of the search. */
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
  const position = (row: Row): WholePosition =>
    [...walk.search.sort, null].map((_, index) => row[`k${index}`] ?? null);
  const isCut = read[0]?.allowed === read.length && read.length < rows;
  const edge = isCut ? read.at(-1) : read.find((row) => row.kind === "edge");
  const { revision, fields } = readHead(head);
  return {
    revision,
    unfinished: fields === null ? [] : (JSON.parse(fields) as number[]),
    hits: read
      .filter((row) => row.kind === "hit")
      .map((row) => ({ item: itemOf(row), position: position(row) })),
    edge: edge ? position(edge) : null,
    heavy: read.some((row) => row.kind === "heavy"),
  };
}

function readHead(head: D1Result | undefined): { revision: number; fields: string | null } {
  const [row] = (head?.results ?? []) as { revision: number; fields: string | null }[];
  if (!row) throw new Error("A collection is gone, though collections are never deleted.");
  return row;
}
