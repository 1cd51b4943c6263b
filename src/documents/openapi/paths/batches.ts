import { mostOperations } from "#domain/item/body.ts";
import { parameter, type Noun } from "#documents/openapi/names.ts";
import type { Examples } from "#documents/openapi/examples.ts";
import { body, closedForm, closedItem, operation, sent, taken } from "./operation.ts";
import { answered, json, refusals } from "#documents/openapi/responses.ts";
import { oneOfTexts, ref, type Schema } from "#documents/openapi/schema.ts";

/** Batches of operations (contract, section 12). */
export function batchPaths(noun: Noun, examples: Examples): Schema {
  const { kind, one, called, many, list, listParameters } = noun;
  const told = {
    id: `batch${called}s`,
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
  const results = answered(
    "What became of each operation.",
    json(ref("schemas", `${one}BatchResults`), examples.answers?.batch),
    "Idempotent-Replayed",
    "Idempotency-Key-Mismatch",
  );
  const operations = { operations: [{ op: "create", ...examples.create }] };
  const refused = [...sent, ...taken, ...closedForm(noun), ...closedItem(noun)];
  return {
    [`${list}/batch`]: {
      ...(listParameters.length > 0 ? { parameters: listParameters } : {}),
      post: {
        ...operation(told),
        parameters: [ref("parameters", "idempotencyKey"), ref("parameters", "return")],
        requestBody: body(ref("schemas", `${one}Batch`), operations),
        responses: { "200": results, ...refusals([...refused, "version_mismatch"]) },
      },
    },
  };
}

export function batchParameters(): Schema {
  const said = "`representation` adds the items, for credentials that may read them.";
  const schema = { ...oneOfTexts(["minimal", "representation"]), default: "minimal" };
  return { return: parameter("return", "query", said, schema) };
}
