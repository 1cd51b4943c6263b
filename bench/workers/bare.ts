import { zValidator } from "@hono/zod-validator";
import { drizzle } from "drizzle-orm/d1";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { Hono } from "hono";
import * as z from "zod";

/**
 * A bare Worker with one table, one schema and one route, with Hono, zod and Drizzle. The start of the service is
 * compared with its start.
 */

const items = sqliteTable("item", {
  id: integer("id").primaryKey(),
  title: text("title").notNull(),
});

const titleSchema = z.strictObject({ title: z.string().max(100) });

export default new Hono<{ Bindings: Pick<Bindings, "DB"> }>().post(
  "/items",
  zValidator("json", titleSchema),
  async (c) =>
    c.json(await drizzle(c.env.DB).insert(items).values(c.req.valid("json")).returning()),
);
