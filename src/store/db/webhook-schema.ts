import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Actor } from "../../domain/actor";

export const webhook = sqliteTable("webhook", {
  id: text("id").primaryKey(),
  version: integer("version").notNull(),
  name: text("name").notNull(),
  url: text("url").notNull(),
  types: text("types").notNull(),
  collections: text("collections").notNull(),
  include: text("include", { enum: ["item", "ids"] }).notNull(),
  state: text("state", { enum: ["active", "paused", "failing", "disabled", "deleted"] }).notNull(),
  reason: text("reason"),
  secrets: text("secrets").notNull(),
  maker: text("maker").notNull().$type<Actor>(),
  starts: text("starts").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
