import { batchParameters, batchPaths, batchSchemas } from "./batches";
import { changeParameters, changePaths, changeSchemas } from "./changes";
import { collectionKey } from "../../domain/definition/document";
import {
  actor,
  idParameter,
  itemSchemas,
  parameter,
  sharedParameters,
  sharedSchemas,
} from "./components";
import { definitionSchemas, named, type Kind } from "./definition-schemas";
import { framed, type Host } from "./collection";
import type { Schema } from "./field-schema";
import { nounOf } from "./noun";
import { body, itemPaths, operation, page } from "./paths";
import { answered, object, ref, refusals } from "./responses";
import { webhookParameters, webhookPaths, webhookSchemas } from "./webhooks";

const all = (parts: Schema[]): Schema => Object.assign({}, ...parts) as Schema;
const kinds = ["app", "form"] as const;

/** The OpenAPI 3.1 document of the service as a whole: every route, with the data of any definition. */
export function serviceDocument(host: Host): Schema {
  const nouns = kinds.map((kind) => nounOf(kind));
  return framed(host, {
    title: "Edge Forms",
    version: "1",
    description:
      "Records of apps and submissions of forms. Each app and form has a document of its own, with the types of its data: `GET /forms/{form}/openapi.json`.",
    tags: [
      { name: "credential", description: "The credential of the request." },
      { name: "definitions", description: "Apps and forms, and their fields." },
      { name: "records", description: "The records of apps." },
      { name: "submissions", description: "The submissions of forms." },
      { name: "webhooks", description: "Being told of changes." },
    ],
    paths: {
      ...all(nouns.map(batchPaths)),
      ...all(nouns.map((noun) => itemPaths(noun))),
      ...all(nouns.map(changePaths)),
      ...all(kinds.map(definitionPaths)),
      ...webhookPaths(),
      "/me": { get: me() },
    },
    schemas: {
      ...all(nouns.map((noun) => itemSchemas(noun))),
      ...all(nouns.map(batchSchemas)),
      ...all(nouns.map(changeSchemas)),
      ...all(kinds.map(definitionSchemas)),
      ...webhookSchemas(),
      Me: meSchema,
      ...sharedSchemas(),
    },
    parameters: {
      ...all(nouns.map(idParameter)),
      ...all(kinds.map(keyParameter)),
      ...batchParameters(),
      ...changeParameters(),
      ...webhookParameters(),
      ...sharedParameters(),
      ifNoneMatchAny: parameter(
        "If-None-Match",
        "header",
        "`*`: only where there is none yet.",
        text,
      ),
    },
  });
}

const text: Schema = { type: "string" };

function keyParameter(kind: Kind): Schema {
  const key = { type: "string", pattern: collectionKey.source };
  return { [kind]: parameter(kind, "path", `The key of the ${kind}.`, key) };
}

function definitionPaths(kind: Kind): Schema {
  const at = `/${kind}s/{${kind}}`;
  const within = { parameters: [ref("parameters", kind)] };
  return {
    [`/${kind}s`]: { get: listing(kind) },
    [at]: { ...within, get: summary(kind) },
    [`${at}/schema`]: { ...within, get: definition(kind), put: define(kind) },
    [`${at}/openapi.json`]: { ...within, get: document(kind) },
  };
}

const told = (id: string, said: string, description: string, permission = "schema:read") =>
  operation({
    id,
    summary: said,
    description,
    tag: "definitions",
    permissions: [permission],
  });

/** Open to every credential, whatever its permissions. */
const open = { security: [{ bearer: [] }, { client: [] }] };

function listing(kind: Kind): Schema {
  return {
    ...told(`list${named[kind]}s`, `List ${kind}s`, `The ${kind}s that the credential may see.`),
    ...open,
    parameters: [ref("parameters", "limit"), ref("parameters", "cursor")],
    responses: { "200": page(`${named[kind]}Page`), ...refusals(422) },
  };
}

function summary(kind: Kind): Schema {
  return {
    ...told(`get${named[kind]}`, `Read about an ${kind}`, "Its name, version and addresses."),
    ...open,
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("What it is.", ref("schemas", named[kind])),
      "304": unchanged,
      ...refusals(400, 422),
    },
  };
}

const unchanged = { description: "The caller has this version." };

function definition(kind: Kind): Schema {
  return {
    ...told(`get${named[kind]}Schema`, "Read a definition", "The fields and their rules."),
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("The definition.", ref("schemas", `${named[kind]}Schema`)),
      "304": unchanged,
      ...refusals(400, 422),
    },
  };
}

function define(kind: Kind): Schema {
  const description =
    "Creates or changes it. A field that is left out is retired: its data stays, hidden, and comes back with it.";
  const answer = answered("Changed.", ref("schemas", `${named[kind]}Schema`));
  const example = { name: "Visits", fields: [{ key: "visitor", type: "text", required: true }] };
  return {
    ...told(`put${named[kind]}Schema`, "Define", description, "schema:write"),
    parameters: [ref("parameters", "ifMatch"), ref("parameters", "ifNoneMatchAny")],
    requestBody: body(ref("schemas", `${named[kind]}Definition`), example),
    responses: {
      "200": answer,
      "201": { ...answer, description: "Created." },
      "202": {
        ...answer,
        description:
          "The definition that holds; `pending` tells of the change, which items are looked at for.",
      },
      ...refusals(400, 409, 412, 413, 415, 422),
    },
  };
}

function document(kind: Kind): Schema {
  const anything = { type: "object", additionalProperties: true };
  return {
    ...told(`get${named[kind]}Document`, "Read its OpenAPI document", "OpenAPI 3.1."),
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("The document.", anything),
      "304": unchanged,
      ...refusals(400, 422),
    },
  };
}

function me(): Schema {
  return {
    ...operation({
      id: "getMe",
      summary: "Read about the credential",
      description: "Who it is to others, its kind, permissions, resources, limits and expiry.",
      permissions: [],
      tag: "credential",
    }),
    ...open,
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("The credential.", ref("schemas", "Me")),
      "304": unchanged,
      ...refusals(400, 422),
    },
  };
}

const meSchema = object(
  {
    actor,
    kind: { type: "string", enum: ["token", "client"] },
    name: text,
    permissions: { type: "array", items: text },
    resources: { oneOf: [{ const: "all" }, { type: "array", items: text }] },
    limits: object({ requests: { type: "integer" }, writes: { type: "integer" } }, [
      "requests",
      "writes",
    ]),
    expires_at: { type: ["string", "null"], format: "date-time" },
  },
  ["actor", "kind", "name", "permissions", "resources", "limits", "expires_at"],
);
