import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { dataNames, dataSchemas, type Use } from "./field-schemas.ts";
import type { Noun } from "./names.ts";
import { closed, list, oneOfTexts, open, ref, stamp, text, version, type Schema, list as listOf } from "./schema.ts";
import { actor, pageSchema } from "./problem-schemas.ts";
import { mostOperations } from "#domain/item/body.ts";

const anyData: Schema = { type: "object", additionalProperties: true };
const warnings = list(ref("schemas", "Warning"));

/** The schemas of the items of a collection; without one, of any collection of that kind. */
export function itemSchemas({ kind, one, key }: Noun, collection?: Collection): Schema {
  const uses: Use[] = kind === "form" ? ["create", "draft", "change"] : ["create", "change"];
  const data = collection ? dataSchemas(one, collection.definition.fields.fields, uses) : {};
  const dataOf = (name: string) => (collection ? ref("schemas", one + name) : anyData);
  const within = key === undefined ? text : { type: "string", const: key };
  const own: Schema =
    kind === "app"
      ? { app: within, receipt_number: text }
      : { form: within, status: oneOfTexts(["draft", "submitted", "closed"]) };
  const item = (shown: Schema): Schema => ({
    id: text,
    ...own,
    version,
    etag: text,
    created_at: stamp,
    created_by: actor,
    updated_at: stamp,
    updated_by: actor,
    data: shown,
  });
  const whole = item(dataOf("Data"));
  return {
    ...data,
    ...(kind === "form"
      ? submissionBodies(one, dataOf, collection !== undefined)
      : {
          [`${one}Create`]: closed({ data: dataOf(dataNames.create) }, ["data"]),
          [`${one}Change`]: closed({ data: dataOf(dataNames.change) }, ["data"]),
        }),
    [one]: open(
      { ...whole, warnings: { ...warnings, description: "In answers to what was sent." } },
      Object.keys(whole),
    ),
    [`${one}Found`]: open(item(dataOf("SomeData"))),
    [`${one}Written`]: written(item(dataOf("SomeData"))),
    [`${one}Updated`]: { anyOf: [ref("schemas", one), ref("schemas", `${one}Written`)] },
    [`${one}Page`]: pageSchema(one),
    [`${one}SearchPage`]: pageSchema(`${one}Found`),
    ...(kind === "form" ? { [`${one}Checked`]: checked(within, dataOf("Data")) } : {}),
  };
}

/** What a draft may lack, a submission may not; and a change without a status may be one of a draft. */
function submissionBodies(one: string, dataOf: (name: string) => Schema, typed: boolean): Schema {
  const submitted = { ...oneOfTexts(["submitted"]), description: "Also where it is left out." };
  const draft = oneOfTexts(["draft"]);
  if (!typed) {
    const data = dataOf("");
    return {
      [`${one}Create`]: closed({ status: oneOfTexts(["draft", "submitted"]), data }, ["data"]),
      [`${one}Change`]: closed({ status: oneOfTexts(["draft", "submitted", "closed"]), data }, []),
    };
  }
  const [whole, some, change] = [dataNames.create, dataNames.draft, dataNames.change].map(dataOf);
  const union = (name: string, either: string, or: string) => ({
    [one + name]: { anyOf: [ref("schemas", one + either), ref("schemas", one + or)] },
  });
  return {
    ...union("Create", "CreateSubmitted", "CreateDraft"),
    [`${one}CreateSubmitted`]: closed({ status: submitted, data: whole }, ["data"]),
    [`${one}CreateDraft`]: closed({ status: draft, data: some }, ["status", "data"]),
    ...union("Change", "ChangeData", "ChangeStatus"),
    [`${one}ChangeData`]: {
      description: "Of a submission that is submitted, required fields cannot be cleared.",
      ...closed({ status: draft, data: some }, []),
    },
    [`${one}ChangeStatus`]: closed({ status: oneOfTexts(["submitted", "closed"]), data: change }, [
      "status",
    ]),
  };
}

/** What an update answers to a credential that may not read: what it sent, and what it needs to go on. */
function written(item: Schema): Schema {
  const names = ["id", "version", "etag", "updated_at", "data"];
  const told = Object.fromEntries(names.map((name) => [name, item[name]]));
  return {
    ...open({ ...told, warnings }, names),
    description:
      "For credentials without the permission to read: `data` has the fields that were sent.",
  };
}

function checked(form: Schema, data: Schema): Schema {
  const valid = { type: "boolean", const: true };
  const status = oneOfTexts(["draft", "submitted"]);
  return open({ valid, form, status, data, warnings }, ["valid", "form", "status", "data"]);
}

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

export function changeSchemas({ one }: Noun): Schema {
  const keys = { ...list(text), description: "The keys that changed; `$status` for the status." };
  const entry = {
    id: text,
    type: oneOfTexts(["created", "updated", "deleted"]),
    version,
    etag: text,
    at: stamp,
    by: actor,
    fields: keys,
  };
  return {
    [`${one}ChangeEntry`]: {
      ...open({ ...entry, item: ref("schemas", one) }, Object.keys(entry)),
      description: "`item` is as it is now, and absent when it is gone.",
    },
    [`${one}Changes`]: open({
      items: list(ref("schemas", `${one}ChangeEntry`)),
      schema_version: version,
      links: ref("schemas", "FeedLinks"),
    }),
  };
}
