import { index, integer, text } from "drizzle-orm/sqlite-core";
import { lazyTable } from "./lazy.ts";
import type { Actor } from "#domain/audit.ts";

/** The tables of items. */

/** The columns with which both tables begin. */
const commonColumns = () => ({
  number: integer("number").primaryKey(),
  id: text("id").notNull().unique(),
  collectionId: integer("collection_id").notNull(),
  receiptNumber: text("receipt_number"),
  status: text("status", { enum: ["draft", "submitted", "closed"] }),
  version: integer("version").notNull(),
  definitionVersion: integer("definition_version").notNull(),
  createdAt: integer("created_at").notNull(),
  createdBy: text("created_by").notNull().$type<Actor>(),
  updatedAt: integer("updated_at").notNull(),
  updatedBy: text("updated_by").notNull().$type<Actor>(),
});

export const item = lazyTable("item", () => ({
  ...commonColumns(),
  data: text("data").notNull(),
  lastChange: integer("last_change"),
}));

/** Items that members deleted and can restore. */
export const deletedItem = lazyTable(
  "deleted_item",
  () => ({
    ...commonColumns(),
    lastChange: integer("last_change").notNull(),
    deletedAt: integer("deleted_at").notNull(),
    deletedBy: text("deleted_by").notNull().$type<Actor>(),
    eraseAt: integer("erase_at").notNull(),
    title: text("title"),
    data: text("data").notNull(),
  }),
  (table) => [index("deleted_item_by_time").on(table.collectionId, table.eraseAt)],
);
