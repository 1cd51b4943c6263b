import type { Field } from "../../domain/definition/field";
import { idempotencyKey, idempotencyKeyHeader } from "../../domain/idempotency-key";
import { defaultLimit, pageLimit } from "../../domain/page-limit";
import { apiCodes, problems } from "../../domain/problem/problem-catalogue";
import { fieldErrorCodes } from "../../domain/problem/problem";
import { inputSchema, outputSchema, type Schema } from "./field-schema";
import type { Noun } from "./noun";
import { object, ref } from "./responses";
import { conditionSchema, searchSchema } from "./search-schema";
import { schemaOfZod } from "./zod-schema";

const stamp = { type: "string", format: "date-time" };
const uri = { type: "string", format: "uri" };
const status = (...values: string[]) => ({ type: "string", enum: values });
/** Who did something, as `GET /me` tells a credential of itself. */
export const actor: Schema = {
  type: "string",
  pattern: "^(credential:.+|member:.+|system)$",
  description: "`credential:ID`, `member:ID`, or `system` for a recalculation.",
};
const anyData: Schema = { type: "object", additionalProperties: true };

/** The schemas of the items of a collection; without fields, of any collection of that kind. */
export function itemSchemas({ kind, one }: Noun, fields?: readonly Field[]): Schema {
  const own: Schema =
    kind === "app"
      ? { app: { type: "string" }, receipt_number: { type: "string" } }
      : { form: { type: "string" }, status: status("draft", "submitted", "closed") };
  const item = (data: Schema): Schema => ({
    id: { type: "string" },
    ...own,
    version: { type: "integer", minimum: 1 },
    etag: { type: "string" },
    created_at: stamp,
    created_by: actor,
    updated_at: stamp,
    updated_by: actor,
    data,
  });
  const whole = item(ref("schemas", `${one}Data`));
  const created = status("draft", "submitted");
  const form = (values: Schema) => (kind === "form" ? values : {});
  const shown = fields ? outputSchema(fields) : anyData;
  // A search that names `fields` shows those alone.
  const { required: _, ...some } = shown;
  return {
    [`${one}Data`]: shown,
    [`${one}Create`]: object(
      {
        ...form({ status: { ...created, description: "Default: submitted." } }),
        data: fields ? inputSchema(fields, "create") : anyData,
      },
      ["data"],
    ),
    [`${one}Change`]: object(
      {
        ...form({ status: status("draft", "submitted", "closed") }),
        data: fields ? inputSchema(fields, "change") : anyData,
      },
      kind === "form" ? [] : ["data"],
    ),
    [one]: object({ ...whole, warnings: ref("schemas", "Warnings") }, Object.keys(whole)),
    [`${one}Written`]: written(item(some)),
    [`${one}Page`]: pageOf(object(whole, Object.keys(whole))),
    [`${one}SearchPage`]: pageOf(object(item(some), Object.keys(whole))),
    ...form({ [`${one}Checked`]: checked(one, created) }),
  };
}

/** What an update answers to a credential that may not read: what it sent, and what it needs to go on. */
function written(item: Schema): Schema {
  const names = ["id", "version", "etag", "updated_at", "data"];
  const told = Object.fromEntries(names.map((name) => [name, item[name]]));
  return {
    ...object({ ...told, warnings: ref("schemas", "Warnings") }, names),
    description:
      "For credentials without the permission to read: `data` has the fields that were sent.",
  };
}

function checked(one: string, created: Schema): Schema {
  const properties = {
    valid: { const: true },
    form: { type: "string" },
    status: created,
    data: ref("schemas", `${one}Data`),
    warnings: ref("schemas", "Warnings"),
  };
  return object(properties, ["valid", "form", "status", "data"]);
}

/** A page of a list. */
export function pageOf(items: Schema): Schema {
  const next = { type: ["string", "null"], format: "uri" };
  const links = object({ self: uri, next }, ["self", "next"]);
  return object({ items: { type: "array", items }, links }, ["items", "links"]);
}

/** What every document has. */
export function sharedSchemas(): Schema {
  const warning = { field: { type: "string" }, code: { type: "string" } };
  return {
    Warnings: { type: "array", items: object(warning, ["field", "code"]) },
    Search: searchSchema(),
    Condition: conditionSchema(),
    Problem: problemSchema,
  };
}

/** In a batch, an operation can be refused for what refuses a whole request elsewhere. */
const operationCodes = apiCodes.filter((code) => [404, 409, 412].includes(problems[code].status));

const problemSchema: Schema = {
  type: "object",
  description: "RFC 9457.",
  properties: {
    type: uri,
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", enum: apiCodes },
    detail: { type: "string" },
    request_id: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          field: { type: "string" },
          pointer: { type: "string" },
          code: { type: "string", enum: [...fieldErrorCodes, ...operationCodes] },
          reason: { type: "string" },
        },
        required: ["field", "code", "reason"],
      },
    },
  },
  required: ["type", "title", "status", "code", "detail", "request_id"],
};

/** Parameters that operations refer to. */
export function sharedParameters(): Schema {
  const text = { type: "string" };
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
  return { [`${one}Id`]: parameter("id", "path", said, { type: "string" }) };
}

export function parameter(name: string, where: string, description: string, schema: Schema) {
  return { name, in: where, description, required: where === "path", schema };
}
