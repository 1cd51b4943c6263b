import { mostOperations } from "../../domain/item/batch-body";
import { parameter } from "./components";
import type { Schema } from "./field-schema";
import type { Noun } from "./noun";
import { body, operation } from "./paths";
import { json, object, ref, refusals } from "./responses";

/** Batches of operations (contract, section 12). */
export function batchPaths({ kind, one, many, list, listParameters }: Noun): Schema {
  const told = {
    id: `batch${one}s`,
    summary: `Write up to ${mostOperations} ${many} at once`,
    description:
      "Operations in order, all or nothing. Each needs the permission of its single route. One Idempotency-Key covers the batch; it counts as one request and one write.",
    permissions: [
      `${many}:write`,
      `${many}:create`,
      ...(kind === "form" ? [`${many}:delete`] : []),
    ],
    tag: many,
  };
  const headers = [
    "Idempotent-Replayed",
    "Idempotency-Key-Mismatch",
    "RateLimit-Policy",
    "RateLimit",
  ];
  const answer = {
    description: "What became of each operation.",
    headers: Object.fromEntries(headers.map((name) => [name, ref("headers", name)])),
    content: json(ref("schemas", `${one}BatchResults`)),
  };
  return {
    [`${list}/batch`]: {
      ...(listParameters.length > 0 ? { parameters: listParameters } : {}),
      post: {
        ...operation(told),
        parameters: [ref("parameters", "idempotencyKey"), ref("parameters", "return")],
        requestBody: body(ref("schemas", `${one}Batch`)),
        responses: { "200": answer, ...refusals(400, 409, 412, 413, 415, 422) },
      },
    },
  };
}

const text: Schema = { type: "string" };

export function batchSchemas({ kind, one }: Noun): Schema {
  const content = (name: string) => {
    const part = (property: string) =>
      ({ $ref: `#/components/schemas/${one}${name}/properties/${property}` }) as Schema;
    return { data: part("data"), ...(kind === "form" ? { status: part("status") } : {}) };
  };
  const item = { id: text, if_match: text };
  const operations = [
    object({ ...op("create"), ...content("Create") }, ["op", "data"]),
    object({ ...op("update"), ...item, ...content("Change") }, ["op", "id"]),
    object({ ...op("upsert"), by: text, ...content("Change") }, ["op", "by", "data"]),
    ...(kind === "form" ? [object({ ...op("delete"), ...item }, ["op", "id"])] : []),
  ];
  const result = {
    op: { type: "string", enum: operations.map((each) => opOf(each)) },
    outcome: { type: "string", enum: ["created", "updated", "unchanged", "deleted"] },
    id: text,
    ...(kind === "app" ? { receipt_number: text } : {}),
    etag: text,
  };
  const shown = { ...result, warnings: ref("schemas", "Warnings"), item: ref("schemas", one) };
  return {
    [`${one}Operation`]: { oneOf: operations },
    [`${one}Batch`]: object(
      {
        operations: {
          type: "array",
          minItems: 1,
          maxItems: mostOperations,
          items: ref("schemas", `${one}Operation`),
        },
      },
      ["operations"],
    ),
    [`${one}BatchResults`]: object(
      { results: { type: "array", items: object(shown, Object.keys(result)) } },
      ["results"],
    ),
  };
}

const op = (name: string) => ({ op: { const: name } });
const opOf = ({ properties }: Schema) => (properties as { op: { const: string } }).op.const;

export function batchParameters(): Schema {
  const said = "`representation` adds the items, for credentials that may read them.";
  const schema = { type: "string", enum: ["minimal", "representation"], default: "minimal" };
  return { return: parameter("return", "query", said, schema) };
}
