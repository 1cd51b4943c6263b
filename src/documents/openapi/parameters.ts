import { collectionKeyPattern } from "#domain/definition/document.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { defaultPageLimit, pageLimit } from "#domain/cursor.ts";
import { idempotencyKeySchema, idempotencyKeyHeader } from "#domain/preconditions.ts";
import { fileIdPattern } from "#domain/files/file.ts";
import { maxExpansions } from "#domain/search/expand.ts";
import type { ResourceNames } from "./names.ts";
import { enumSchema, stringSchema, toJsonSchema, type Schema } from "./schema.ts";
import { versions } from "./versions.ts";

/** Returns the parameter components for items with these names. A document keeps only the ones that it uses. */
export function parameterComponents(names: readonly ResourceNames[]): Schema {
  return {
    ...headerParameters(),
    ...queryParameters(),
    linkToken: queryParameter(
      "link",
      "A link from `POST /files/{id}/link`, which needs no credential.",
      stringSchema,
    ),
    ...keyParameter("app"),
    ...keyParameter("form"),
    ...Object.fromEntries(names.map(idParameter)),
    webhookId: parameter("id", "path", "The ID of the webhook.", stringSchema),
    fileId: parameter("id", "path", "The ID of the file.", {
      type: "string",
      pattern: fileIdPattern,
    }),
    deliveryId: parameter("delivery", "path", "The ID of the delivery.", stringSchema),
  };
}

function headerParameters(): Schema {
  const key = toJsonSchema(idempotencyKeySchema());
  return {
    idempotencyKey: parameter(
      idempotencyKeyHeader,
      "header",
      "Makes the request safe to retry: for 24 hours, the same key returns the first result.",
      key,
    ),
    ifMatch: parameter(
      "If-Match",
      "header",
      "The ETag of the version to change. If another version is stored, the response is 412.",
      stringSchema,
    ),
    ifNoneMatch: parameter(
      "If-None-Match",
      "header",
      "The ETag of your copy. If it is current, the response is 304.",
      stringSchema,
    ),
    range: parameter(
      "Range",
      "header",
      "One range of bytes, like `bytes=0-1023` (RFC 9110). Other ranges return the whole content.",
      stringSchema,
    ),
    ifNoneMatchAny: {
      ...parameter(
        "If-None-Match",
        "header",
        "`*` creates the definition only if none exists.",
        stringSchema,
      ),
      example: "*",
    },
  };
}

const cursorSchema: Schema = { ...stringSchema, minLength: 1 };

function queryParameters(): Schema {
  const flag = enumSchema(["true", "false"]);
  return {
    // Some clients send every `default`. It would contradict the body of a search and limit a download.
    limit: queryParameter(
      "limit",
      `The number of items on a page (${defaultPageLimit} if omitted), or in a whole download.`,
      toJsonSchema(pageLimit()),
    ),
    view: queryParameter(
      "view",
      "The key of a view of the definition. Its conditions apply too, and its sort and fields where the request has none.",
      { ...stringSchema, maxLength: 100 },
    ),
    cursor: queryParameter("cursor", "The cursor from `links.next`.", cursorSchema),
    expand: queryParameter(
      "expand",
      `The keys of references whose records the response adds in \`included\`, separated by commas: \`customer\`, or \`lines.product\` for a column. At most ${maxExpansions}.`,
      stringSchema,
    ),
    feedCursor: queryParameter(
      "cursor",
      "The cursor from `links.next`, or `now` for changes from now on. Starts at the oldest stored change if omitted.",
      cursorSchema,
    ),
    all: queryParameter(
      "all",
      "`true` returns every change. By default, a page merges the changes of an item.",
      { ...flag, default: "false" },
    ),
    return: queryParameter(
      "return",
      "`representation` returns the items to credentials with read permission.",
      { ...enumSchema(["minimal", "representation"]), default: "minimal" },
    ),
    apps: queryParameter("apps", "The keys of apps, separated by commas.", stringSchema),
    forms: queryParameter("forms", "The keys of forms, separated by commas.", stringSchema),
    version: queryParameter(
      "version",
      "The version of OpenAPI. Defaults to 3.1.",
      enumSchema(versions),
    ),
    dryRun: queryParameter(
      "dry_run",
      "`true` runs every check, stores nothing and returns the `consequences`. Counts as a read.",
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
function idParameter({ kind, schemaName }: ResourceNames): [name: string, parameter: Schema] {
  const description = kind === "app" ? "The ID or the receipt number." : "The ID.";
  return [`${schemaName}Id`, parameter("id", "path", description, stringSchema)];
}

function parameter(name: string, where: string, description: string, schema: Schema): Schema {
  return { name, in: where, description, required: where === "path", schema };
}

const queryParameter = (name: string, description: string, schema: Schema) =>
  parameter(name, "query", description, schema);
