import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { dataName, dataNames, dataSchemas, dataUses, type DataUse } from "./field-schemas.ts";
import type { ResourceNames } from "./names.ts";
import {
  closedObject,
  listSchema,
  enumSchema,
  openObject,
  ref,
  timestampSchema,
  stringSchema,
  versionSchema,
  type Schema,
} from "./schema.ts";
import { includedSchema, includedSchemas, type IncludedApps } from "./included-schemas.ts";
import { actorSchema, anyDataSchema, itemProperties, pageSchema } from "./problem-schemas.ts";
import { maxOperations } from "#domain/item/body.ts";

const warningList = listSchema(ref("schemas", "Warning"));

/**
 * The schemas of the items of a collection, or without one, of any collection of that kind. Responses can include records
 * of these apps.
 */
export function itemSchemas(
  { kind, one, key }: ResourceNames,
  collection?: Collection,
  apps: IncludedApps = new Map(),
): Schema {
  const fields = collection?.definition.fields.fields ?? [];
  const uses = dataUses(kind, fields);
  const data = collection ? dataSchemas(one, fields, uses) : {};
  const dataOf = (name: string) => (collection ? ref("schemas", one + name) : anyDataSchema);
  const keySchema = key === undefined ? stringSchema : { type: "string", const: key };
  const kindMembers: Schema =
    kind === "app"
      ? { app: keySchema, receipt_number: stringSchema }
      : { form: keySchema, status: enumSchema(["draft", "submitted", "closed"]) };
  const fullItem = itemProperties(kindMembers, dataOf("Data"));
  const expanded = collection
    ? includedSchemas(one, collection, apps)
    : { included: includedSchema(ref("schemas", "IncludedRecord")), schemas: {} };
  // Without references, nothing can be expanded.
  const included: Schema = expanded ? { included: expanded.included } : {};
  return {
    ...data,
    ...expanded?.schemas,
    ...(kind === "form"
      ? submissionBodies(one, uses, dataOf, collection !== undefined)
      : {
          [`${one}Create`]: closedObject({ data: dataOf(dataNames.create) }, ["data"]),
          [`${one}Change`]: closedObject({ data: dataOf(dataNames.change) }, ["data"]),
        }),
    [one]: openObject(
      {
        ...fullItem,
        warnings: { ...warningList, description: "Only in responses to writes." },
        ...included,
      },
      Object.keys(fullItem),
    ),
    [`${one}Found`]: openObject(itemProperties(kindMembers, dataOf("SomeData"))),
    [`${one}Written`]: writtenSchema(itemProperties(kindMembers, dataOf("SomeData"))),
    [`${one}Updated`]: { anyOf: [ref("schemas", one), ref("schemas", `${one}Written`)] },
    [`${one}SearchPage`]: pageSchema(`${one}Found`, included),
    ...(kind === "form" ? { [`${one}Checked`]: checkedSchema(keySchema, dataOf("Data")) } : {}),
  };
}

/** Submissions need all required fields, drafts do not. A change without a status may apply to a draft. */
function submissionBodies(
  one: string,
  uses: readonly DataUse[],
  dataOf: (name: string) => Schema,
  isTyped: boolean,
): Schema {
  const submitted = { ...enumSchema(["submitted"]), description: "The default." };
  const draft = enumSchema(["draft"]);
  if (!isTyped) {
    const data = dataOf("");
    return {
      [`${one}Create`]: closedObject({ status: enumSchema(["draft", "submitted"]), data }, [
        "data",
      ]),
      [`${one}Change`]: closedObject(
        { status: enumSchema(["draft", "submitted", "closed"]), data },
        [],
      ),
    };
  }
  const [createData, draftData, changeData, draftChangeData] = (
    ["create", "draft", "change", "draftChange"] as const
  ).map((use) => dataOf(dataName(use, uses)));
  const union = (name: string, either: string, or: string) => ({
    [one + name]: { anyOf: [ref("schemas", one + either), ref("schemas", one + or)] },
  });
  return {
    ...union("Create", "CreateSubmitted", "CreateDraft"),
    [`${one}CreateSubmitted`]: closedObject({ status: submitted, data: createData }, ["data"]),
    [`${one}CreateDraft`]: closedObject({ status: draft, data: draftData }, ["status", "data"]),
    ...union("Change", "ChangeData", "ChangeStatus"),
    [`${one}ChangeData`]: {
      description: "Required fields of a submitted submission cannot be cleared.",
      ...closedObject({ status: draft, data: draftChangeData }, []),
    },
    [`${one}ChangeStatus`]: closedObject(
      { status: enumSchema(["submitted", "closed"]), data: changeData },
      ["status"],
    ),
  };
}

/** The response to an update by a credential without read permission: the fields it sent, the version and the ETag. */
function writtenSchema(item: Schema): Schema {
  const names = ["id", "version", "etag", "updated_at", "data"];
  const properties = Object.fromEntries(names.map((name) => [name, item[name]]));
  return {
    ...openObject({ ...properties, warnings: warningList }, names),
    description:
      "For credentials without read permission. `data` contains only the fields that you sent.",
  };
}

function checkedSchema(form: Schema, data: Schema): Schema {
  const valid = { type: "boolean", const: true };
  const status = enumSchema(["draft", "submitted"]);
  return openObject({ valid, form, status, data, warnings: warningList }, [
    "valid",
    "form",
    "status",
    "data",
  ]);
}

/** With a collection, each operation refers to the schemas of the collection's fields. */
export function batchSchemas({ kind, one }: ResourceNames, collection?: Collection): Schema {
  const uses = dataUses(kind, collection?.definition.fields.fields ?? []);
  const operations = operationSchemas(kind, `${one}Operation`, (use) =>
    collection ? ref("schemas", one + dataName(use, uses)) : anyDataSchema,
  );
  const verbs = verbNames(kind);
  const mapping = Object.entries(verbs).map(
    ([verb, name]) => [verb, `#/components/schemas/${one}Operation${name}`] as const,
  );
  const result = {
    op: enumSchema(Object.keys(verbs)),
    outcome: enumSchema(["created", "updated", "unchanged", "deleted"]),
    id: stringSchema,
    ...(kind === "form" ? {} : { receipt_number: stringSchema }),
    etag: stringSchema,
  };
  const resultWithItem = { ...result, warnings: warningList, item: ref("schemas", one) };
  const operationList = { ...listSchema(ref("schemas", `${one}Operation`)), minItems: 1 };
  return {
    ...operations,
    [`${one}Operation`]: {
      oneOf: Object.values(verbs).map((name) => ref("schemas", `${one}Operation${name}`)),
      discriminator: { propertyName: "op", mapping: Object.fromEntries(mapping) },
    },
    [`${one}Batch`]: closedObject({ operations: { ...operationList, maxItems: maxOperations } }, [
      "operations",
    ]),
    [`${one}BatchResult`]: openObject(resultWithItem, Object.keys(result)),
    [`${one}BatchResults`]: openObject({
      results: listSchema(ref("schemas", `${one}BatchResult`)),
    }),
  };
}

/** Each `op` with the suffix of its schema's name. */
const verbNames = (kind: CollectionKind) => ({
  create: "Create",
  update: "Update",
  upsert: "Upsert",
  ...(kind === "form" ? { delete: "Delete" } : {}),
});

function operationSchemas(
  kind: CollectionKind,
  name: string,
  dataOf: (use: DataUse) => Schema,
): Schema {
  const isForm = kind === "form";
  const statuses = (...values: string[]): Schema => (isForm ? { status: enumSchema(values) } : {});
  const createData = { data: dataOf("create") };
  const changeData = { data: dataOf(isForm ? "draftChange" : "change") };
  const upsertData = { data: dataOf(isForm ? "draft" : "upsert") };
  const item = { id: stringSchema, if_match: stringSchema };
  const anyStatus = statuses("draft", "submitted", "closed");
  const create = closedObject({ op: opSchema("create"), ...createData, ...statuses("submitted") }, [
    "op",
    "data",
  ]);
  const shared: Schema = {
    [`${name}Create`]: create,
    [`${name}Update`]: closedObject(
      { op: opSchema("update"), ...item, ...changeData, ...anyStatus },
      ["op", "id"],
    ),
    [`${name}Upsert`]: closedObject(
      { op: opSchema("upsert"), by: stringSchema, ...upsertData, ...anyStatus },
      ["op", "by", "data"],
    ),
  };
  if (!isForm) return shared;
  const draft = { op: opSchema("create"), data: dataOf("draft"), ...statuses("draft") };
  const [submittedName, draftName] = [`${name}CreateSubmitted`, `${name}CreateDraft`];
  return {
    ...shared,
    [`${name}Create`]: { anyOf: [ref("schemas", submittedName), ref("schemas", draftName)] },
    [submittedName]: create,
    [draftName]: closedObject(draft, ["op", "data", "status"]),
    [`${name}Delete`]: closedObject({ op: opSchema("delete"), ...item }, ["op", "id"]),
  };
}

const opSchema = (name: string) => enumSchema([name]);

export function changeSchemas({ one }: ResourceNames): Schema {
  const keys = {
    ...listSchema(stringSchema),
    description: "The keys of the changed fields, and `$status` if the status changed.",
  };
  const entry = {
    id: stringSchema,
    type: enumSchema(["created", "updated", "deleted", "left"]),
    version: versionSchema,
    etag: stringSchema,
    at: timestampSchema,
    by: actorSchema,
    fields: keys,
  };
  return {
    [`${one}ChangeEntry`]: {
      ...openObject({ ...entry, item: ref("schemas", one) }, [
        "id",
        "type",
        "version",
        "etag",
        "at",
      ]),
      description:
        "`item` is the current item. Absent if it was deleted. An item that `left` the view of the credential has only its ID, version and time.",
    },
    [`${one}Changes`]: openObject({
      items: listSchema(ref("schemas", `${one}ChangeEntry`)),
      schema_version: versionSchema,
      links: ref("schemas", "FeedLinks"),
    }),
  };
}
