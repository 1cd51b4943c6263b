import type { Item } from "../../domain/item";
import type { Driver, Plan, Size } from "../../domain/search/plan";
import { attempt } from "../attempt";
import { itemOf, selectVersion, type ItemRow } from "../items";
import { Values } from "./condition-sql";
import { countSql, spanSql } from "./driver-sql";
import { pageStatement, type Position, type Walk } from "./page";

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
  const version = selectVersion(db, { id: collectionId });
  const [head, counted] = await attempt(() => db.batch<Record<string, number>>([version, probe]));
  return {
    definitionVersion: versionOf(head),
    sizes: drivers.map((_, index) => ({
      count: counted?.results[0]?.[`count${index}`] ?? 0,
      span: counted?.results[0]?.[`span${index}`] ?? 0,
    })),
  };
}

export interface Page {
  definitionVersion: number;
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
  const { sql, values } = pageStatement(plan, walk, rows);
  // A page of the bare collection has no values, and D1 counts parameters.
  const page = sql.includes("?1") ? db.prepare(sql).bind(values) : db.prepare(sql);
  const version = selectVersion(db, { id: walk.collectionId });
  const [head, found] = await attempt(() => db.batch([version, page]));
  const read = (found?.results ?? []) as Row[];
  const place = (row: Row) =>
    [...walk.search.sort, null].map((_, index) => row[`k${index}`] ?? null);
  const edge = read.find((row) => row.kind === "edge");
  return {
    definitionVersion: versionOf(head),
    hits: read
      .filter((row) => row.kind === "hit")
      .map((row) => ({ item: itemOf(row), place: place(row) })),
    edge: edge ? place(edge) : null,
  };
}

function versionOf(head: D1Result | undefined): number {
  const [row] = (head?.results ?? []) as { version: number }[];
  if (!row) throw new Error("A collection is gone, though collections are never deleted.");
  return row.version;
}
