import { batchParameters, batchPaths } from "#documents/openapi/paths/batches.ts";
import { batchSchemas, changeSchemas, itemSchemas } from "./item-schemas.ts";
import { changeParameters, changePaths } from "#documents/openapi/paths/changes.ts";
import { alwaysOpen, type Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import { permissions } from "#domain/credential/permissions.ts";
import { actor, sharedSchemas } from "./problem-schemas.ts";
import { idParameter, parameter, sharedParameters, nounOf } from "./names.ts";
import { definitionPaths, documentOperation, documentParameters, keyParameter } from "#documents/openapi/paths/definition-paths.ts";
import { definitionSchemas, webhookSchemas } from "./definition-schemas.ts";
import { definitionExamples, examplesOf } from "./examples.ts";
import { framed, type Host } from "./document.ts";
import { onePaths } from "#documents/openapi/paths/one-paths.ts";
import { asked, operation, unchanged } from "#documents/openapi/paths/operation.ts";
import { listPaths } from "#documents/openapi/paths/list-paths.ts";
import { answered, json, refusals } from "./responses.ts";
import { count, list, oneOfTexts, open, ref, stamp, text, type Schema } from "./schema.ts";
import { anySearchSchemas } from "./search-schemas.ts";
import { webhookParameters, webhookPaths } from "#documents/openapi/paths/webhooks.ts";

const all = (parts: Schema[]): Schema => Object.assign({}, ...parts) as Schema;
const kinds = ["app", "form"] as const;

const tags = [
  { name: "credential", description: "The credential of the request." },
  { name: "definitions", description: "Apps and forms, and their fields." },
  { name: "records", description: "The records of apps." },
  { name: "submissions", description: "The submissions of forms." },
  { name: "webhooks", description: "Being told of changes." },
];

/** The OpenAPI 3.1 document of the service as a whole: every route, with the data of any definition. */
export function serviceDocument(host: Host): Schema {
  const nouns = kinds.map((kind) => nounOf(kind));
  const paths = nouns.map((noun) => {
    const example = exampleOf(noun.kind);
    const examples = examplesOf(example, nounOf(noun.kind, example.key), host.origin);
    return {
      ...listPaths(noun, examples),
      ...onePaths(noun, examples),
      ...batchPaths(noun, examples),
      ...changePaths(noun, examples),
      ...definitionPaths(noun.kind, undefined, definitionExamples(example, host.origin)),
    };
  });
  return framed(host, {
    title: "Edge Forms",
    version: "1",
    description:
      "Records of apps and submissions of forms. Each app and form has a document of its own, with the types of its data: `GET /forms/{form}/openapi.json`. What speaks the Model Context Protocol finds the same as tools at `/mcp`.",
    tags,
    paths: {
      ...all(paths),
      ...webhookPaths(),
      "/me": { get: me() },
      "/openapi.json": { get: chosen() },
    },
    schemas: {
      ...all(nouns.map((noun) => itemSchemas(noun))),
      ...all(nouns.map((noun) => batchSchemas(noun, false))),
      ...all(nouns.map(changeSchemas)),
      ...all(kinds.map(definitionSchemas)),
      ...anySearchSchemas(),
      ...webhookSchemas(),
      Me: meSchema,
      ...sharedSchemas(),
    },
    parameters: serviceParameters(nouns),
  });
}

function serviceParameters(nouns: readonly ReturnType<typeof nounOf>[]): Schema {
  return {
    ...all(nouns.map(idParameter)),
    ...all(kinds.map(keyParameter)),
    ...batchParameters(),
    ...changeParameters(),
    ...documentParameters(),
    ...webhookParameters(),
    ...sharedParameters(),
    ifNoneMatchAny: {
      ...parameter("If-None-Match", "header", "`*`: only where there is none yet.", text),
      example: "*",
    },
  };
}

const visitor: Field = {
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

/** What the examples speak of: whoever sends that of PUT can send the others. */
function exampleOf(kind: Collection["kind"]): Collection {
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
      fields: { fields: [visitor], retired: [], next: 2 },
    },
  };
}

function chosen(): Schema {
  const said = "Read one document of chosen apps and forms";
  const example = { openapi: "3.1.0", info: { title: "Edge Forms", version: "1" }, paths: {} };
  const parameters = [ref("parameters", "apps"), ref("parameters", "forms")];
  return documentOperation("getDocument", said, example, parameters);
}

function me(): Schema {
  const example = {
    actor: "credential:01KAHV3M4E7XQ2R5T8W9YZB6CD",
    kind: "token",
    name: "Nightly sync",
    permissions: ["records:read"],
    resources: "all",
    limits: { requests: 600, writes: 120 },
    expires_at: null,
  };
  return {
    ...operation({
      id: "getMe",
      summary: "Read about the credential",
      description: "Who it is to others, its kind, permissions, resources, limits and expiry.",
      permissions: [],
      tag: "credential",
    }),
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("The credential.", json(ref("schemas", "Me"), example), "ETag"),
      "304": unchanged,
      ...refusals(asked, { permitted: false, found: false }),
    },
  };
}

const meSchema = open({
  actor,
  kind: oneOfTexts(["token", "client"]),
  name: text,
  permissions: list(oneOfTexts(permissions)),
  resources: { oneOf: [{ type: "string", const: "all" }, list(text)] },
  limits: open({ requests: count, writes: count }),
  expires_at: { ...stamp, type: ["string", "null"] },
});
