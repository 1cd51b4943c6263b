import { idempotencyKey, idempotencyKeyHeader } from "../../domain/idempotency-key";
import { defaultLimit, pageLimit } from "../../domain/page-limit";
import type { Noun } from "./noun";
import { schemaOfZod } from "./schemas/zod-schema";
import { text, type Schema } from "./schemas/schema";

/** Parameters that operations refer to. */
export function sharedParameters(): Schema {
  const limit = { ...schemaOfZod(pageLimit), default: defaultLimit };
  const key = schemaOfZod(idempotencyKey);
  return {
    limit: parameter("limit", "query", "Items of a page.", limit),
    cursor: parameter("cursor", "query", "As `links.next` gives it.", text),
    idempotencyKey: parameter(idempotencyKeyHeader, "header", "Creates once in 24 hours.", key),
    ifMatch: parameter("If-Match", "header", "The ETag that the change is meant for.", text),
    ifNoneMatch: parameter("If-None-Match", "header", "The ETag that the caller has.", text),
  };
}

/** The id in the path of an item. */
export function idParameter({ kind, one }: Noun): Schema {
  const said = kind === "app" ? "The id or the receipt number." : "The id.";
  return { [`${one}Id`]: parameter("id", "path", said, text) };
}

export function parameter(name: string, where: string, description: string, schema: Schema) {
  return { name, in: where, description, required: where === "path", schema };
}
