import type { CollectionKind } from "#domain/definition/collection.ts";
import { keyName, ref, type Schema, schemaOfZod, text } from "./schema.ts";
import { idempotencyKey, idempotencyKeyHeader } from "#domain/preconditions.ts";
import { defaultLimit, pageLimit } from "#domain/cursor.ts";

/** How the things of an app or a form are called, in paths and in names that generators make types of. */
export interface Noun {
  kind: CollectionKind;
  /** Of the one app or form; undefined where the path names it. */
  key: string | undefined;
  /** The prefix of schema names: `OrdersRecord`, `OrdersRecordCreate`, … */
  one: string;
  /** What operations call it: `createOrdersRecord`, or `createRecord`. */
  called: string;
  thing: "record" | "submission";
  many: "records" | "submissions";
  /** The paths of the list and of one item. */
  list: string;
  item: string;
  /** Path parameters that the list and an item need besides the item's own id. */
  listParameters: Schema[];
  itemParameters: Schema[];
}

/**
 * Names for one app or form; without a key, for whichever the path names. `Record` alone is a type of some languages,
 * and what stands behind the word is of no key: so no two documents give one name to two things.
 */
export function nounOf(kind: CollectionKind, key?: string): Noun {
  const within = key ?? `{${kind}}`;
  const parameters = key === undefined ? [ref("parameters", kind)] : [];
  const [what, thing, many] =
    kind === "app"
      ? (["Record", "record", "records"] as const)
      : (["Submission", "submission", "submissions"] as const);
  const own = key === undefined ? undefined : keyName(key) + what;
  const list = `/${kind}s/${within}/${many}`;
  return {
    kind,
    key,
    one: own ?? `${what}Of${kind === "app" ? "App" : "Form"}`,
    called: own ?? what,
    thing,
    many,
    list,
    item: kind === "app" ? `${list}/{id}` : "/submissions/{id}",
    listParameters: parameters,
    itemParameters: kind === "app" ? parameters : [],
  };
}

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
