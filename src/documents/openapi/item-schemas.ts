import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { dataSchemas } from "./field-schemas.ts";
import { dataSuffix, dataSuffixes, dataUses, type DataUse } from "./data-uses.ts";
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
 * Returns the schemas of the items of a collection. Without a collection, of the items of any collection of that kind.
 * Responses can include records of these apps.
 */
export function itemSchemas(
  { kind, schemaName, key }: ResourceNames,
  collection?: Collection,
  apps: IncludedApps = new Map(),
): Schema {
  const fields = collection?.definition.fields.fields ?? [];
  const uses = dataUses(kind, fields);
  const data = collection ? dataSchemas(schemaName, fields, uses) : {};
  const dataSchema = (name: string) =>
    collection ? ref("schemas", schemaName + name) : anyDataSchema;
  const keySchema = key === undefined ? stringSchema : { type: "string", const: key };
  const kindMembers: Schema =
    kind === "app"
      ? { app: keySchema, receipt_number: stringSchema }
      : { form: keySchema, status: enumSchema(["draft", "submitted", "closed"]) };
  const fullItem = itemProperties(kindMembers, dataSchema("Data"));
  const expanded = collection
    ? includedSchemas(schemaName, collection, apps)
    : { included: includedSchema(ref("schemas", "IncludedRecord")), schemas: {} };
  // A collection without references has nothing to expand.
  const included: Schema = expanded ? { included: expanded.included } : {};
  return {
    ...data,
    ...expanded?.schemas,
    ...(kind === "form"
      ? submissionBodies(schemaName, uses, dataSchema, collection !== undefined)
      : recordBodies(schemaName, dataSchema)),
    [schemaName]: openObject(
      {
        ...fullItem,
        warnings: { ...warningList, description: "Only in responses to writes." },
        ...included,
      },
      Object.keys(fullItem),
    ),
    [`${schemaName}Found`]: openObject(itemProperties(kindMembers, dataSchema("SomeData"))),
    [`${schemaName}Written`]: writtenSchema(itemProperties(kindMembers, dataSchema("SomeData"))),
    [`${schemaName}Updated`]: {
      anyOf: [ref("schemas", schemaName), ref("schemas", `${schemaName}Written`)],
    },
    [`${schemaName}SearchPage`]: pageSchema(`${schemaName}Found`, included),
    ...(kind === "form"
      ? { [`${schemaName}Checked`]: checkedSchema(keySchema, dataSchema("Data")) }
      : {}),
  };
}

/** The bodies of creates and changes of records. */
const recordBodies = (schemaName: string, dataSchema: (name: string) => Schema): Schema => ({
  [`${schemaName}Create`]: closedObject({ data: dataSchema(dataSuffixes.create) }, ["data"]),
  [`${schemaName}Change`]: closedObject({ data: dataSchema(dataSuffixes.change) }, ["data"]),
});

/**
 * Returns the bodies of creates and changes. A submission needs all required fields, and a draft needs none. A change
 * without a status may apply to a draft.
 */
function submissionBodies(
  schemaName: string,
  uses: readonly DataUse[],
  dataSchema: (name: string) => Schema,
  hasFields: boolean,
): Schema {
  const submittedStatus = { ...enumSchema(["submitted"]), description: "The default." };
  const draftStatus = enumSchema(["draft"]);
  if (!hasFields) {
    const data = dataSchema("");
    return {
      [`${schemaName}Create`]: closedObject({ status: enumSchema(["draft", "submitted"]), data }, [
        "data",
      ]),
      [`${schemaName}Change`]: closedObject(
        { status: enumSchema(["draft", "submitted", "closed"]), data },
        [],
      ),
    };
  }
  const [createData, draftData, changeData, draftChangeData] = (
    ["create", "draft", "change", "draftChange"] as const
  ).map((use) => dataSchema(dataSuffix(use, uses)));
  const union = (name: string, first: string, second: string) => ({
    [schemaName + name]: {
      anyOf: [ref("schemas", schemaName + first), ref("schemas", schemaName + second)],
    },
  });
  return {
    ...union("Create", "CreateSubmitted", "CreateDraft"),
    [`${schemaName}CreateSubmitted`]: closedObject({ status: submittedStatus, data: createData }, [
      "data",
    ]),
    [`${schemaName}CreateDraft`]: closedObject({ status: draftStatus, data: draftData }, [
      "status",
      "data",
    ]),
    ...union("Change", "ChangeData", "ChangeStatus"),
    [`${schemaName}ChangeData`]: {
      description: "Required fields of a submitted submission cannot be cleared.",
      ...closedObject({ status: draftStatus, data: draftChangeData }, []),
    },
    [`${schemaName}ChangeStatus`]: closedObject(
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

/**
 * Returns the schemas of a batch. With a collection, each operation refers to the schemas of the collection's fields.
 */
export function batchSchemas({ kind, schemaName }: ResourceNames, collection?: Collection): Schema {
  const uses = dataUses(kind, collection?.definition.fields.fields ?? []);
  const operations = operationSchemas(kind, `${schemaName}Operation`, (use) =>
    collection ? ref("schemas", schemaName + dataSuffix(use, uses)) : anyDataSchema,
  );
  const suffixes = operationSuffixes(kind);
  const mapping = Object.entries(suffixes).map(
    ([op, name]) => [op, `#/components/schemas/${schemaName}Operation${name}`] as const,
  );
  const result = {
    op: enumSchema(Object.keys(suffixes)),
    outcome: enumSchema(["created", "updated", "unchanged", "deleted"]),
    id: stringSchema,
    ...(kind === "form" ? {} : { receipt_number: stringSchema }),
    etag: stringSchema,
  };
  const resultWithItem = { ...result, warnings: warningList, item: ref("schemas", schemaName) };
  const operationList = { ...listSchema(ref("schemas", `${schemaName}Operation`)), minItems: 1 };
  return {
    ...operations,
    [`${schemaName}Operation`]: {
      oneOf: Object.values(suffixes).map((name) => ref("schemas", `${schemaName}Operation${name}`)),
      discriminator: { propertyName: "op", mapping: Object.fromEntries(mapping) },
    },
    [`${schemaName}Batch`]: closedObject(
      { operations: { ...operationList, maxItems: maxOperations } },
      ["operations"],
    ),
    [`${schemaName}BatchResult`]: openObject(resultWithItem, Object.keys(result)),
    [`${schemaName}BatchResults`]: openObject({
      results: listSchema(ref("schemas", `${schemaName}BatchResult`)),
    }),
  };
}

/** Returns the suffix of the schema name for each `op`. */
const operationSuffixes = (kind: CollectionKind) => ({
  create: "Create",
  update: "Update",
  upsert: "Upsert",
  ...(kind === "form" ? { delete: "Delete" } : {}),
});

function operationSchemas(
  kind: CollectionKind,
  name: string,
  dataSchema: (use: DataUse) => Schema,
): Schema {
  const isForm = kind === "form";
  const statusMember = (...values: string[]): Schema =>
    isForm ? { status: enumSchema(values) } : {};
  const createData = { data: dataSchema("create") };
  const changeData = { data: dataSchema(isForm ? "draftChange" : "change") };
  const upsertData = { data: dataSchema(isForm ? "draft" : "upsert") };
  const item = { id: stringSchema, if_match: stringSchema };
  const anyStatus = statusMember("draft", "submitted", "closed");
  const create = closedObject(
    { op: opSchema("create"), ...createData, ...statusMember("submitted") },
    ["op", "data"],
  );
  const commonSchemas: Schema = {
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
  if (!isForm) return commonSchemas;
  const draft = { op: opSchema("create"), data: dataSchema("draft"), ...statusMember("draft") };
  const [submittedName, draftName] = [`${name}CreateSubmitted`, `${name}CreateDraft`];
  return {
    ...commonSchemas,
    [`${name}Create`]: { anyOf: [ref("schemas", submittedName), ref("schemas", draftName)] },
    [submittedName]: create,
    [draftName]: closedObject(draft, ["op", "data", "status"]),
    [`${name}Delete`]: closedObject({ op: opSchema("delete"), ...item }, ["op", "id"]),
  };
}

const opSchema = (name: string) => enumSchema([name]);

export function changeSchemas({ schemaName }: ResourceNames): Schema {
  const changedKeys = {
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
    fields: changedKeys,
  };
  return {
    [`${schemaName}ChangeEntry`]: {
      ...openObject({ ...entry, item: ref("schemas", schemaName) }, [
        "id",
        "type",
        "version",
        "etag",
        "at",
      ]),
      description:
        "`item` is the current item. Absent if it was deleted. An item that `left` the view of the credential has only its ID, version and time.",
    },
    [`${schemaName}Changes`]: openObject({
      items: listSchema(ref("schemas", `${schemaName}ChangeEntry`)),
      schema_version: versionSchema,
      links: ref("schemas", "FeedLinks"),
    }),
  };
}
