import { collectionKey } from "#domain/definition/document.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { parameter } from "#documents/openapi/names.ts";
import type { DefinitionExamples } from "#documents/openapi/examples.ts";
import { asked, body, operation, page, sent, unchanged } from "./operation.ts";
import { answered, json, refusals } from "#documents/openapi/responses.ts";
import { versions } from "#documents/openapi/versions.ts";
import { keyName, oneOfTexts, ref, text, type Schema } from "#documents/openapi/schema.ts";

export const named = { app: "App", form: "Form" } as const;

/** The routes of the definitions of one app or form; without a key, of whichever the path names. */
export function definitionPaths(
  kind: CollectionKind,
  key: string | undefined,
  examples: DefinitionExamples,
): Schema {
  const at = `/${kind}s/${key ?? `{${kind}}`}`;
  const within = key === undefined ? { parameters: [ref("parameters", kind)] } : {};
  const one = (key === undefined ? "" : keyName(key)) + named[kind];
  const route = { kind, one, examples, known: key !== undefined };
  return {
    ...(key === undefined ? { [`/${kind}s`]: { get: listing(route) } } : {}),
    [at]: { ...within, get: about(route) },
    [`${at}/schema`]: { ...within, get: definition(route), put: define(route) },
    [`${at}/openapi.json`]: { ...within, get: document(route) },
  };
}

interface Route {
  kind: CollectionKind;
  /** What operations call it: `PurchaseForm`, or `Form`. */
  one: string;
  examples: DefinitionExamples;
  /** Whether it is there already. */
  known: boolean;
}

export function keyParameter(kind: CollectionKind): Schema {
  const key = { type: "string", pattern: collectionKey.source };
  const said = parameter(kind, "path", `The key of the ${kind}.`, key);
  return { [kind]: { ...said, example: "visits" } };
}

const told = (id: string, summary: string, description: string, permissions: readonly string[]) =>
  operation({ id, summary, description, tag: "definitions", permissions });

function listing({ kind, one, examples }: Route): Schema {
  return {
    ...told(`list${one}s`, `List ${kind}s`, `The ${kind}s that the credential may see.`, []),
    parameters: [ref("parameters", "limit"), ref("parameters", "cursor")],
    responses: {
      "200": page(`${named[kind]}Page`, examples.page),
      ...refusals(["invalid_input"], { permitted: false, found: false }),
    },
  };
}

function about({ kind, one, examples }: Route): Schema {
  const content = json(ref("schemas", named[kind]), examples.summary);
  return {
    ...told(`get${one}`, `Read about an ${kind}`, "Its name, version and addresses.", []),
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("What it is.", content, "ETag"),
      "304": unchanged,
      ...refusals(asked, { permitted: false, found: true }),
    },
  };
}

const definitionOf = ({ kind }: Route) => ref("schemas", `${named[kind]}Definition`);

function definition(route: Route): Schema {
  const { one, examples } = route;
  const said = "The fields and their rules. It can be changed and sent back as it is.";
  return {
    ...told(`get${one}Definition`, "Read a definition", said, ["schema:read"]),
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("The definition.", json(definitionOf(route), examples.shown), "ETag"),
      "304": unchanged,
      ...refusals(asked),
    },
  };
}

function define(route: Route): Schema {
  const { one, examples, known } = route;
  const description =
    "Creates or changes it. A field that is left out is retired: its data stays, hidden, and comes back with it.";
  const content = json(definitionOf(route), examples.shown);
  const nothingYet = ref("parameters", known ? "ifNoneMatch" : "ifNoneMatchAny");
  return {
    ...told(`put${one}Definition`, "Define", description, ["schema:write"]),
    parameters: [ref("parameters", "ifMatch"), nothingYet],
    requestBody: body(definitionOf(route), examples.sent),
    responses: {
      "200": answered("Changed.", content, "ETag"),
      // What has a document of its own is there.
      ...(known ? {} : { "201": answered("Created.", content, "ETag", "Location") }),
      "202": answered(
        "The definition that holds; `pending` tells of the change, which items are looked at for.",
        content,
        "ETag",
      ),
      ...refusals([...sent, "malformed_header", "schema_in_use", "version_mismatch"]),
    },
  };
}

function document({ one, examples }: Route): Schema {
  return documentOperation(`get${one}Document`, "Read its OpenAPI document", examples.document);
}

/** An OpenAPI document; with `parameters`, of what they choose. */
export function documentOperation(
  id: string,
  said: string,
  example: object,
  parameters: Schema[] = [],
): Schema {
  const anything = { type: "object", additionalProperties: true };
  const description =
    "OpenAPI 3.1; 3.0.3 with `version=3.0`, or `Accept: application/vnd.oai.openapi;version=3.0`.";
  const content = {
    ...json(anything, example),
    "application/vnd.oai.openapi+json": { schema: anything },
  };
  return {
    ...told(id, said, description, ["schema:read"]),
    parameters: [...parameters, ref("parameters", "version"), ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("The document.", content, "ETag"),
      "304": unchanged,
      ...refusals(asked),
    },
  };
}

function keysParameter(kind: CollectionKind): Schema {
  return parameter(`${kind}s`, "query", `The keys of ${kind}s, divided by commas.`, text);
}

/** What chooses a document. */
export function documentParameters(): Schema {
  const version = oneOfTexts(versions);
  return {
    apps: keysParameter("app"),
    forms: keysParameter("form"),
    version: parameter("version", "query", "Of OpenAPI; 3.1 where it is left out.", version),
  };
}
