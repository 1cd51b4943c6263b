import { newItemId } from "../item/item-id";
import type { Collection } from "../definition/collection";
import type { Operation } from "../item/batch-body";
import { cellReader, type Reading } from "./cells";
import { importable, ownTargets } from "./columns";
import type { Csv, CsvLine } from "./csv";

/** What is to become of a file: which column is which field, and how items are found that are there already. */
export interface Plan extends Reading {
  /** The target of each column; empty for one that is not imported. */
  columns: readonly string[];
  /** `$id`, or the key of a unique field; empty where each row is a new item. */
  by: string;
}

/** What rows ask for. A new item has the id that is given, so that it is made once, however often it is sent. */
export function operationsBy(
  collection: Collection,
  { columns, by, ...reading }: Plan,
): (row: CsvLine, newId: string) => Operation {
  const fields = importable(collection).flatMap((field) => {
    const at = columns.indexOf(field.key);
    return at === -1 ? [] : [{ key: field.key, at, read: cellReader(field, reading) }];
  });
  const idAt = by === ownTargets.id ? columns.indexOf(ownTargets.id) : -1;
  const statusAt = collection.kind === "form" ? columns.indexOf(ownTargets.status) : -1;
  return ({ cells }, newId) => {
    const id = cells[idAt]?.trim() ?? "";
    const isNew = by === "" || (by === ownTargets.id && id === "");
    const data: Record<string, unknown> = {};
    for (const { key, at, read } of fields) {
      const value = read(cells[at] ?? "");
      // What is left empty in something new is not sent: its default stands there.
      if (value !== null || !isNew || reading.lossless) data[key] = value;
    }
    const status = cells[statusAt]?.trim() ?? "";
    const body = { data, ...(status === "" ? {} : { status }) };
    if (isNew) return { op: "create", id: newId, body };
    if (by === ownTargets.id) return { op: "update", id, body, ifMatch: null };
    return { op: "upsert", by, body };
  };
}

const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A file with what is to become of it, told from all others. */
export function fingerprint(collection: Collection, { columns, by }: Plan, csv: Csv): string {
  const rows = csv.rows.map(({ cells }) => cells);
  return JSON.stringify([collection.id, columns, by, csv.header, rows]);
}

/** The ids of what a file makes: each follows from the file and the row. */
export async function rowIds(
  { kind, id }: Collection,
  fileDigest: string,
  rows: readonly CsvLine[],
): Promise<string[]> {
  const encoder = new TextEncoder();
  return Promise.all(
    rows.map(async ({ line }) => {
      const named = encoder.encode(`${fileDigest} ${line}`);
      const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", named)).slice(0, 26);
      const text = [...bytes].map((byte, i) => letters[byte % (i === 0 ? 8 : 32)]).join("");
      return newItemId(kind, id, text);
    }),
  );
}
