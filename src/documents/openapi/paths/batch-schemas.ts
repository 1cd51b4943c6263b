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

/** `typed` where the fields are known: then each operation has their data. */
export function batchSchemas({ kind, one }: Noun, typed: boolean): Schema {
  const operations = operationsOf(kind, `${one}Operation`, (name) =>
    typed ? ref("schemas", one + name) : { type: "object", additionalProperties: true },
  );
  const verbs = verbsOf(kind);
  const mapping = Object.entries(verbs).map(
    ([verb, name]) => [verb, `#/components/schemas/${one}Operation${name}`] as const,
  );
  const result = {
    op: oneOfTexts(Object.keys(verbs)),
    outcome: oneOfTexts(["created", "updated", "unchanged", "deleted"]),
    id: text,
    ...(kind === "form" ? {} : { receipt_number: text }),
    etag: text,
  };
  const warnings = listOf(ref("schemas", "Warning"));
  const shown = { ...result, warnings, item: ref("schemas", one) };
  const several = { ...listOf(ref("schemas", `${one}Operation`)), minItems: 1 };
  return {
    ...operations,
    [`${one}Operation`]: {
      oneOf: Object.values(verbs).map((name) => ref("schemas", `${one}Operation${name}`)),
      discriminator: { propertyName: "op", mapping: Object.fromEntries(mapping) },
    },
    [`${one}Batch`]: closed({ operations: { ...several, maxItems: mostOperations } }, [
      "operations",
    ]),
    [`${one}BatchResult`]: open(shown, Object.keys(result)),
    [`${one}BatchResults`]: open({ results: listOf(ref("schemas", `${one}BatchResult`)) }),
  };
}

/** Each `op`, and the end of its schema's name. */
const verbsOf = (kind: CollectionKind) => ({
  create: "Create",
  update: "Update",
  upsert: "Upsert",
  ...(kind === "form" ? { delete: "Delete" } : {}),
});

function operationsOf(kind: CollectionKind, name: string, dataOf: (use: string) => Schema): Schema {
  const form = kind === "form";
  const statuses = (...some: string[]): Schema => (form ? { status: oneOfTexts(some) } : {});
  const whole = { data: dataOf(dataNames.create) };
  const some = { data: dataOf(form ? dataNames.draft : dataNames.change) };
  const item = { id: text, if_match: text };
  const every = { ...some, ...statuses("draft", "submitted", "closed") };
  const create = closed({ op: op("create"), ...whole, ...statuses("submitted") }, ["op", "data"]);
  const shared: Schema = {
    [`${name}Create`]: create,
    [`${name}Update`]: closed({ op: op("update"), ...item, ...every }, ["op", "id"]),
    [`${name}Upsert`]: closed({ op: op("upsert"), by: text, ...every }, ["op", "by", "data"]),
  };
  if (!form) return shared;
  const draft = { op: op("create"), ...some, ...statuses("draft") };
  const [submittedName, draftName] = [`${name}CreateSubmitted`, `${name}CreateDraft`];
  return {
    ...shared,
    [`${name}Create`]: { anyOf: [ref("schemas", submittedName), ref("schemas", draftName)] },
    [submittedName]: create,
    [draftName]: closed(draft, ["op", "data", "status"]),
    [`${name}Delete`]: closed({ op: op("delete"), ...item }, ["op", "id"]),
  };
}

const op = (name: string) => oneOfTexts([name]);
