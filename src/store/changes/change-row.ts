import { sql } from "drizzle-orm";
import type { Actor } from "../../domain/actor";
import type { ItemAction } from "../../domain/item/change";

/** A change as it was written. */
export interface Change {
  /** Its collection's id and its place in the order of commit. */
  number: number;
  at: number;
  actor: Actor;
  action: ItemAction;
  /** The number of its item. */
  item: number;
  itemId: string;
  version: number;
  /** Ids of the fields. */
  fields: number[];
}

/** A change by the names of its columns, whatever it is selected from. */
export const changeColumns = {
  number: sql<number>`number`,
  at: sql<number>`at`,
  actor: sql<Actor>`actor`,
  action: sql<ItemAction>`action`,
  item: sql<number>`item`,
  item_id: sql<string>`item_id`,
  version: sql<number>`version`,
  fields: sql<string>`fields`,
};

export interface ChangeRow extends Omit<Change, "itemId" | "fields"> {
  item_id: string;
  fields: string;
}

export function changeFromRow({ item_id: itemId, fields, ...row }: ChangeRow): Change {
  return { ...row, itemId, fields: JSON.parse(fields) as number[] };
}
