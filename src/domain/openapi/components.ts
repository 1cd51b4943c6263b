import type { Collection } from "../definition/collection";
import { defaultLimit, mostLimit } from "../page-limit";
import { problems } from "../problem-catalogue";
import { inputSchema, outputSchema, type Schema } from "./field-schema";
import { ref } from "./responses";

export function schemasOf({ kind, definition }: Collection): Record<string, Schema> {
  const { fields } = definition.fields;
  const stamp = { type: "string", format: "date-time" };
  const own: Schema =
    kind === "app"
      ? { app: { type: "string" }, receipt_number: { type: "string" } }
      : { form: { type: "string" }, status: status(["draft", "submitted", "closed"]) };
  const item = {
    id: { type: "string" },
    ...own,
    version: { type: "integer", minimum: 1 },
    etag: { type: "string" },
    created_at: stamp,
    updated_at: stamp,
    data: ref("schemas", "Data"),
  };
  const isForm = kind === "form";
  return {
    Data: outputSchema(fields),
    Create: object(
      {
        ...(isForm ? { status: { ...status(["draft", "submitted"]), default: "submitted" } } : {}),
        data: inputSchema(fields, "create"),
      },
      ["data"],
    ),
    Change: object(
      {
        ...(isForm ? { status: status(["draft", "submitted", "closed"]) } : {}),
        data: inputSchema(fields, "change"),
      },
      isForm ? [] : ["data"],
    ),
    Item: object({ ...item, warnings: ref("schemas", "Warnings") }, Object.keys(item)),
    Warnings: {
      type: "array",
      items: object({ field: { type: "string" }, code: { type: "string" } }, ["field", "code"]),
    },
    Page: pageSchema(item),
    Search: searchSchema(),
    Condition: conditionSchema(),
    Problem: problemSchema,
  };
}

function pageSchema(item: Schema): Schema {
  // A search that names `fields` shows those alone.
  const shown = object({ ...item, data: { type: "object" } }, Object.keys(item));
  const next = { type: ["string", "null"], format: "uri" };
  return object(
    {
      items: { type: "array", items: shown },
      links: object({ self: uri, next }, ["self", "next"]),
    },
    ["items", "links"],
  );
}

const uri = { type: "string", format: "uri" };

function searchSchema(): Schema {
  const sort = object(
    { field: { type: "string" }, direction: { type: "string", enum: ["asc", "desc"] } },
    ["field"],
  );
  return object(
    {
      conditions: { type: "array", maxItems: 50, items: ref("schemas", "Condition") },
      sort: { type: "array", maxItems: 3, items: sort },
      fields: { type: ["array", "null"], items: { type: "string" } },
      limit: { type: "integer", minimum: 1, maximum: mostLimit, default: defaultLimit },
      cursor: { type: ["string", "null"] },
    },
    [],
  );
}

function conditionSchema(): Schema {
  const many = { type: "array", minItems: 1, items: ref("schemas", "Condition") };
  return {
    oneOf: [
      object({ field: { type: "string" }, op: { type: "string" }, value: {} }, [
        "field",
        "op",
        "value",
      ]),
      object({ all: many }, ["all"]),
      object({ any: many }, ["any"]),
      object({ not: ref("schemas", "Condition") }, ["not"]),
    ],
  };
}

const problemSchema: Schema = {
  type: "object",
  description: "RFC 9457.",
  properties: {
    type: uri,
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", enum: Object.keys(problems) },
    detail: { type: "string" },
    request_id: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          field: { type: "string" },
          pointer: { type: "string" },
          code: { type: "string" },
          reason: { type: "string" },
        },
        required: ["field", "code", "reason"],
      },
    },
  },
  required: ["type", "title", "status", "code", "detail", "request_id"],
};

export function parameters(items: "records" | "submissions"): Record<string, Schema> {
  const id = items === "records" ? "The id or the receipt number." : "The id.";
  return {
    id: parameter("id", "path", id, { type: "string" }),
    limit: parameter("limit", "query", "Items of a page.", {
      type: "integer",
      minimum: 1,
      maximum: mostLimit,
      default: defaultLimit,
    }),
    cursor: parameter("cursor", "query", "As links.next gives it.", { type: "string" }),
    idempotencyKey: parameter(
      "Idempotency-Key",
      "header",
      "The same key creates once in 24 hours.",
      {
        type: "string",
        minLength: 1,
        maxLength: 255,
        pattern: "^[\\x21-\\x7e]+$",
      },
    ),
    ifMatch: parameter("If-Match", "header", "The ETag that the change is meant for.", {
      type: "string",
    }),
  };
}

function status(values: string[]): Schema {
  return { type: "string", enum: values };
}

function object(properties: Schema, required: string[]): Schema {
  return { type: "object", additionalProperties: false, properties, required };
}

function parameter(name: string, where: string, description: string, schema: Schema): Schema {
  return { name, in: where, description, required: where === "path", schema };
}
