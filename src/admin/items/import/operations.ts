import { fingerprint, operationsBy, rowIds } from "../../../domain/import/rows";
import { sha256 } from "../../../domain/credential/signature";
import type { Collection } from "../../../domain/definition/collection";
import type { Operation } from "../../../domain/item/batch-body";
import type { Import } from "./file";

/** What these rows ask for. */
export async function operationsOf(
  { csv, plan }: Import,
  collection: Collection,
  from = 0,
  to = csv.rows.length,
): Promise<Operation[]> {
  const rows = csv.rows.slice(from, to);
  const ids = await rowIds(collection, await sha256(fingerprint(collection, plan, csv)), rows);
  const operationOf = operationsBy(collection, plan);
  return rows.map((row, i) => operationOf(row, ids[i] ?? ""));
}
