import { sql } from "drizzle-orm";
import { placesPerCollection } from "../../domain/item/item";
import type { Parameters } from "../db/statement";
import type { CollectionName } from "../definitions/head";

/** The id of a collection, looked up only where it is not known. */
export const collectionId = ({ id, kind, key }: Parameters<CollectionName>) =>
  sql`coalesce(${id}, (select id from collection where kind = ${kind} and key = ${key}))`;

export const perCollection = sql.raw(String(placesPerCollection));
