import { collectionKeyPattern } from "#domain/definition/document.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { defaultPageLimit, pageLimit } from "#domain/cursor.ts";
import { idempotencyKey, idempotencyKeyHeader } from "#domain/preconditions.ts";
import { maxExpansions } from "#domain/search/expand.ts";
import type { ResourceNames } from "./names.ts";
import { enumSchema, stringSchema, toJsonSchema, type Schema } from "./schema.ts";
import { versions } from "./versions.ts";

/** The parameter components of every document, for the items of these names. A document keeps those that it uses. */
export function parameterComponents(names: readonly ResourceNames[]): Schema {
  return {
    ...headerParameters(),
    ...queryParameters(),
    ...keyParameter("app"),
    ...keyParameter("form"),
    ...Object.fromEntries(names.map(idParameter)),
    webhookId: parameter("id", "path", "The id of the webhook.", stringSchema),
    deliveryId: parameter("delivery", "path", "The id of a delivery.", stringSchema),
  };
}

function headerParameters(): Schema {
  const key = toJsonSchema(idempotencyKey());
  return {
    idempotencyKey: parameter(idempotencyKeyHeader, "header", "Creates once in 24 hours.", key),
    ifMatch: parameter(
      "If-Match",
      "header",
      "The ETag that the change is meant for.",
      stringSchema,
    ),
    ifNoneMatch: parameter(
      "If-None-Match",
      "header",
      "The ETag that the caller has.",
      stringSchema,
    ),
    ifNoneMatchAny: {
      ...parameter("If-None-Match", "header", "`*`: only where there is none yet.", stringSchema),
      example: "*",
    },
  };
}

function queryParameters(): Schema {
  const flag = enumSchema(["true", "false"]);
  return {
    // Some clients send every `default`. That would contradict the body of a search and shorten a download.
    limit: queryParameter(
      "limit",
      `The items of a page, ${defaultPageLimit} if omitted; or of a whole download.`,
      toJsonSchema(pageLimit()),
    ),
    cursor: queryParameter("cursor", "As `links.next` gives it.", stringSchema),
    expand: queryParameter(
      "expand",
      `The keys of references, divided by commas: \`customer\`, or \`lines.product\` for a column. At most ${maxExpansions}. Their records come in \`included\`.`,
      stringSchema,
    ),
    feedCursor: queryParameter(
      "cursor",
      "As `links.next` gives it, or `now` for the end; left out, the oldest that is kept.",
      stringSchema,
    ),
    all: queryParameter(
      "all",
      "`true` returns each change. Otherwise a page merges the changes of an item.",
      { ...flag, default: "false" },
    ),
    return: queryParameter(
      "return",
      "`representation` adds the items, for credentials that may read them.",
      { ...enumSchema(["minimal", "representation"]), default: "minimal" },
    ),
    apps: queryParameter("apps", "The keys of apps, divided by commas.", stringSchema),
    forms: queryParameter("forms", "The keys of forms, divided by commas.", stringSchema),
    version: queryParameter(
      "version",
      "Of OpenAPI; 3.1 where it is left out.",
      enumSchema(versions),
    ),
    dryRun: queryParameter(
      "dry_run",
      "With `true`, runs every check, stores nothing and returns the `consequences`. It counts as a read.",
      flag,
    ),
  };
}

function keyParameter(kind: CollectionKind): Schema {
  const key = { type: "string", pattern: collectionKeyPattern.source };
  const base = parameter(kind, "path", `The key of the ${kind}.`, key);
  // `App` and `app` would differ only in case, which many languages and file systems ignore.
  return { [`${kind}Key`]: { ...base, example: "visits" } };
}

/** The id in the path of an item. */
function idParameter({ kind, one }: ResourceNames): [name: string, parameter: Schema] {
  const description = kind === "app" ? "The id or the receipt number." : "The id.";
  return [`${one}Id`, parameter("id", "path", description, stringSchema)];
}

function parameter(name: string, where: string, description: string, schema: Schema): Schema {
  return { name, in: where, description, required: where === "path", schema };
}

const queryParameter = (name: string, description: string, schema: Schema) =>
  parameter(name, "query", description, schema);
