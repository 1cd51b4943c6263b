import { mostOperations } from "../../domain/item/batch-body";
import { parameter } from "./components";
import type { Examples } from "./examples";
import { dataNames } from "./field-schema";
import type { Noun } from "./noun";
import { body, closedForm, closedItem, operation, sent, taken } from "./operation";
import { answered, json, refusals } from "./responses";
import { closed, list as listOf, oneOfTexts, open, ref, text, type Schema } from "./schema";

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

/** `typed` where the fields are known: then each operation has their data. */
export function batchSchemas({ kind, one }: Noun, typed: boolean): Schema {
  const form = kind === "form";
  const dataOf = (name: string) =>
    typed ? ref("schemas", one + name) : { type: "object", additionalProperties: true };
  const statuses = (...some: string[]): Schema => (form ? { status: oneOfTexts(some) } : {});
  const whole = { op: op("create"), data: dataOf(dataNames.create) };
  const some = { data: dataOf(form ? dataNames.draft : dataNames.change) };
  const item = { id: text, if_match: text };
  const every = statuses("draft", "submitted", "closed");
  const operations: Schema = {
    Create: closed({ ...whole, ...statuses("submitted") }, ["op", "data"]),
    ...(form
      ? {
          CreateDraft: closed({ op: op("create"), ...some, ...statuses("draft") }, [
            "op",
            "data",
            "status",
          ]),
        }
      : {}),
    Update: closed({ op: op("update"), ...item, ...some, ...every }, ["op", "id"]),
    Upsert: closed({ op: op("upsert"), by: text, ...some, ...every }, ["op", "by", "data"]),
    ...(form ? { Delete: closed({ op: op("delete"), ...item }, ["op", "id"]) } : {}),
  };
  const names = Object.keys(operations).map((name) => `${one}Operation${name}`);
  const result = {
    op: oneOfTexts(["create", "update", "upsert", ...(form ? ["delete"] : [])]),
    outcome: oneOfTexts(["created", "updated", "unchanged", "deleted"]),
    id: text,
    ...(form ? {} : { receipt_number: text }),
    etag: text,
  };
  const shown = {
    ...result,
    warnings: listOf(ref("schemas", "Warning")),
    item: ref("schemas", one),
  };
  const sentList = listOf(ref("schemas", `${one}Operation`));
  return {
    ...Object.fromEntries(
      Object.entries(operations).map(([name, schema]) => [`${one}Operation${name}`, schema]),
    ),
    [`${one}Operation`]: { anyOf: names.map((name) => ref("schemas", name)) },
    [`${one}Batch`]: closed(
      { operations: { ...sentList, minItems: 1, maxItems: mostOperations } },
      ["operations"],
    ),
    [`${one}BatchResult`]: open(shown, Object.keys(result)),
    [`${one}BatchResults`]: open({ results: listOf(ref("schemas", `${one}BatchResult`)) }),
  };
}

const op = (name: string) => oneOfTexts([name]);

export function batchParameters(): Schema {
  const said = "`representation` adds the items, for credentials that may read them.";
  const schema = { ...oneOfTexts(["minimal", "representation"]), default: "minimal" };
  return { return: parameter("return", "query", said, schema) };
}
