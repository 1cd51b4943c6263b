import type { GetColumnData } from "drizzle-orm";
import type { Data } from "../../domain/data/values";
import type { Item } from "../../domain/item/item";
import { item } from "../db/schema";

export const itemColumns = {
  number: item.number,
  id: item.id,
  collection_id: item.collectionId,
  receipt_number: item.receiptNumber,
  status: item.status,
  version: item.version,
  definition_version: item.definitionVersion,
  created_at: item.createdAt,
  created_by: item.createdBy,
  updated_at: item.updatedAt,
  updated_by: item.updatedBy,
  data: item.data,
  last_change: item.lastChange,
};

/** An item as D1 gives it: its columns by their own names. */
export type ItemRow = {
  [Name in keyof typeof itemColumns]: GetColumnData<(typeof itemColumns)[Name]>;
};

export function itemFromRow(row: ItemRow): Item {
  return {
    number: row.number,
    id: row.id,
    collectionId: row.collection_id,
    receiptNumber: row.receipt_number,
    status: row.status,
    version: row.version,
    definitionVersion: row.definition_version,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
    data: JSON.parse(row.data) as Data,
    lastChange: row.last_change,
  };
}
