import { alwaysOpen, collectionKinds, type Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { permissions } from "#domain/credential/permissions.ts";
import { definitionSchemas } from "./definition-schemas.ts";
import { webhookSchemas } from "./webhook-schemas.ts";
import type { Descriptions } from "./description.ts";
import { buildDocument, fileTag, type Host } from "./document.ts";
import { buildExamples } from "./examples.ts";
import { batchSchemas, changeSchemas, itemSchemas } from "./item-schemas.ts";
import { resourceNames } from "./names.ts";
import { pathItems } from "./operation-object.ts";
import { actorSchema, sharedSchemas } from "./problem-schemas.ts";
import {
  countSchema,
  listSchema,
  enumSchema,
  mergeSchemas,
  openObject,
  timestampSchema,
  stringSchema,
  type Schema,
} from "./schema.ts";
import { anyAggregateSchemas } from "./aggregate-schemas.ts";
import { anySearchSchemas } from "./search-schemas.ts";

const tags = [
  { name: "credential", description: "The credential that sends the request." },
  { name: "definitions", description: "The definitions of apps and forms." },
  { name: "records", description: "The records of apps." },
  { name: "submissions", description: "The submissions of forms." },
  fileTag,
  { name: "webhooks", description: "Events that are sent to your endpoint." },
];

/** Returns the OpenAPI 3.1 document of the whole service: every operation, with data of unknown fields. */
export function serviceDocument(operations: Descriptions, host: Host): Schema {
  const names = collectionKinds.map((kind) => resourceNames(kind));
  const paths = [null, ...names].map((itemNames) => {
    const kind = itemNames?.kind ?? null;
    const kindOperations = Object.entries(operations).filter(([, op]) => op.kind === kind);
    const examples = buildExamples(exampleCollection(kind ?? "app"), host.origin);
    return pathItems(Object.fromEntries(kindOperations), { names: itemNames, examples });
  });
  return buildDocument(host, {
    title: "Edge Forms",
    version: "1",
    description:
      "Reads and writes the records of apps and the submissions of forms. Each app and form has its own document with the types of its data: `GET /forms/{form}/openapi.json`. `/mcp` offers the same operations as tools of the Model Context Protocol.",
    tags,
    paths: mergeSchemas(paths),
    schemas: {
      ...mergeSchemas(names.map((itemNames) => itemSchemas(itemNames))),
      ...mergeSchemas(names.map((itemNames) => batchSchemas(itemNames))),
      ...mergeSchemas(names.map(changeSchemas)),
      ...mergeSchemas(collectionKinds.map(definitionSchemas)),
      ...anySearchSchemas(),
      ...anyAggregateSchemas(),
      ...webhookSchemas(),
      Me: meSchema,
      ...sharedSchemas(),
    },
    names,
  });
}

const exampleField: Field = {
  id: 1,
  key: "visitor",
  label: "Visitor",
  type: "text",
  required: true,
  unique: false,
  searchable: true,
  previous_keys: [],
  max_length: 100,
};

/** The collection of the examples. After a PUT of its definition, the other example requests work too. */
function exampleCollection(kind: Collection["kind"]): Collection {
  return {
    id: 1,
    kind,
    key: "visits",
    version: 1,
    revision: 1,
    pending: null,
    stamp: "",
    fieldsVersion: 1,
    definition: {
      name: "Visits",
      description: "",
      time_zone: "UTC",
      receipt_prefix: kind === "app" ? "VIS-" : "",
      acceptance: alwaysOpen,
      fields: { fields: [exampleField], retired: [], next: 2 },
    },
  };
}

const meSchema = openObject({
  actor: actorSchema,
  kind: enumSchema(["token", "client"]),
  name: stringSchema,
  permissions: listSchema(enumSchema(permissions)),
  resources: { oneOf: [{ type: "string", const: "all" }, listSchema(stringSchema)] },
  limits: openObject({ requests: countSchema, writes: countSchema }),
  expires_at: { ...timestampSchema, type: ["string", "null"] },
});
