import type { CollectionKind } from "../../../domain/definition/collection";
import { mostOperations } from "../../../domain/item/batch-body";
import { dataNames } from "../schemas/field-schema";
import type { Noun } from "../noun";
import {
  closed,
  list as listOf,
  oneOfTexts,
  open,
  ref,
  text,
  type Schema,
} from "../schemas/schema";
import { op } from "./batches";

/** `typed` where the fields are known: then each operation has their data. */
export function batchSchemas({ kind, one }: Noun, typed: boolean): Schema {
  const operations = Object.entries(operationsOf(kind, one, typed)).map(
    ([name, schema]) => [`${one}Operation${name}`, schema] as const,
  );
  const result = {
    op: oneOfTexts(["create", "update", "upsert", ...(kind === "form" ? ["delete"] : [])]),
    outcome: oneOfTexts(["created", "updated", "unchanged", "deleted"]),
    id: text,
    ...(kind === "form" ? {} : { receipt_number: text }),
    etag: text,
  };
  const warnings = listOf(ref("schemas", "Warning"));
  const shown = { ...result, warnings, item: ref("schemas", one) };
  const several = { ...listOf(ref("schemas", `${one}Operation`)), minItems: 1 };
  return {
    ...Object.fromEntries(operations),
    [`${one}Operation`]: { anyOf: operations.map(([name]) => ref("schemas", name)) },
    [`${one}Batch`]: closed({ operations: { ...several, maxItems: mostOperations } }, [
      "operations",
    ]),
    [`${one}BatchResult`]: open(shown, Object.keys(result)),
    [`${one}BatchResults`]: open({ results: listOf(ref("schemas", `${one}BatchResult`)) }),
  };
}

function operationsOf(kind: CollectionKind, one: string, typed: boolean): Schema {
  const form = kind === "form";
  const dataOf = (name: string) =>
    typed ? ref("schemas", one + name) : { type: "object", additionalProperties: true };
  const statuses = (...some: string[]): Schema => (form ? { status: oneOfTexts(some) } : {});
  const whole = { data: dataOf(dataNames.create) };
  const some = { data: dataOf(form ? dataNames.draft : dataNames.change) };
  const item = { id: text, if_match: text };
  const every = { ...some, ...statuses("draft", "submitted", "closed") };
  const shared: Schema = {
    Create: closed({ op: op("create"), ...whole, ...statuses("submitted") }, ["op", "data"]),
    Update: closed({ op: op("update"), ...item, ...every }, ["op", "id"]),
    Upsert: closed({ op: op("upsert"), by: text, ...every }, ["op", "by", "data"]),
  };
  if (!form) return shared;
  const draft = { op: op("create"), ...some, ...statuses("draft") };
  return {
    ...shared,
    CreateDraft: closed(draft, ["op", "data", "status"]),
    Delete: closed({ op: op("delete"), ...item }, ["op", "id"]),
  };
}
