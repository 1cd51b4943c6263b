import { eq, sql } from "drizzle-orm";
import type { WholePosition } from "../../domain/cursor";
import type { Item } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { itemFromRow, type ItemRow } from "../items/item-row";
import { collection, indexing } from "../db/schema";
import { statement } from "../db/statement";
import { headColumns, headFromRow, type Head, type HeadRow } from "../definitions/head";
import { selectStanding, standingOf, type Standing } from "./standing";
import { countStatement, type Count } from "./count";
import { leadingStatement, type Starts } from "./leading";
import { pageStatement, type PageStatement } from "./page-statement";
import type { Plan } from "./plan/plan";
import type { Walk } from "./walk";

/** The collection's head, and the fields that items lack entries of, where there are any. */
const selectHead = statement<{ id: number; known: string }>((builder, { id, known }) =>
  builder
    .select({ ...headColumns(known), waiting: sql`${indexing.fields}`.as("waiting") })
    .from(collection)
    .leftJoin(indexing, eq(indexing.collectionId, collection.id))
    .where(eq(collection.id, id)),
);

/** What is read in the same round trip, where it is asked for. */
export interface Besides {
  /** The definitions that need not come along (`knownStamps`). */
  known?: string;
  count?: boolean;
  leading?: Starts | null;
  standing?: boolean;
}

export interface Page {
  head: Head;
  /** Ids of fields of which not all items have their entries yet. */
  unfinished: number[];
  hits: { item: Item; position: WholePosition }[];
  /** Up to where was looked, when the budget ended the page before it was full. */
  edge: WholePosition | null;
  /** There is more than is sorted at once. */
  heavy: boolean;
  /** Of all matches, whichever page this is. */
  count: Count | null;
  /** The items that begin with the texts that were given, newest first. */
  leading: Item[];
  /** How the collection stands, where it was asked for. */
  standing: Standing | null;
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
  besides: Besides = {},
): Promise<Page> {
  const page = prepare(db, pageStatement(plan, walk, rows));
  const named = { id: walk.collectionId, known: besides.known ?? "{}" };
  const [head, found, counted, led, stands] = await together(db, [
    selectHead(db, named),
    page,
    besides.count ? prepare(db, countStatement(plan, walk)) : null,
    besides.leading ? prepare(db, leadingStatement(walk, besides.leading)) : null,
    besides.standing ? selectStanding(db, named) : null,
  ]);
  const read = (found?.results ?? []) as Row[];
  const position = (row: Row): WholePosition =>
    [...walk.search.sort, null].map((_, index) => row[`k${index}`] ?? null);
  const isCut = read[0]?.allowed === read.length && read.length < rows;
  const edge = isCut ? read.at(-1) : read.find((row) => row.kind === "edge");
  const { waiting, ...told } = readHead(head);
  return {
    head: headFromRow(told),
    unfinished: waiting === null ? [] : (JSON.parse(waiting) as number[]),
    hits: read
      .filter((row) => row.kind === "hit")
      .map((row) => ({ item: itemFromRow(row), position: position(row) })),
    edge: edge ? position(edge) : null,
    heavy: read.some((row) => row.kind === "heavy"),
    count: readCount(counted),
    leading: ((led?.results ?? []) as Row[]).filter(({ kind }) => kind === "hit").map(itemFromRow),
    standing: standingOf(stands),
  };
}

/** The results of those that there are, each in its own place. */
async function together(
  db: D1Database,
  statements: readonly (D1PreparedStatement | null)[],
): Promise<(D1Result | undefined)[]> {
  const asked = statements.filter((each) => each !== null);
  const results = await attempt(() => db.batch(asked));
  return statements.map((each) => (each === null ? undefined : results[asked.indexOf(each)]));
}

/** Without conditions there are no values, and D1 counts parameters. */
function prepare(db: D1Database, { text, values }: PageStatement): D1PreparedStatement {
  return text.includes("?1") ? db.prepare(text).bind(values) : db.prepare(text);
}

function readCount(counted: D1Result | undefined): Count | null {
  const [row] = (counted?.results ?? []) as { count: number; exact: number }[];
  return row ? { count: row.count, exact: row.exact === 1 } : null;
}

function readHead(head: D1Result | undefined): HeadRow & { waiting: string | null } {
  const [row] = (head?.results ?? []) as (HeadRow & { waiting: string | null })[];
  if (!row) throw new Error("A collection is gone, though collections are never deleted.");
  return row;
}
