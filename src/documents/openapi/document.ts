import { permissions } from "#domain/credential/permissions.ts";
import { headerComponents, problemResponses } from "./responses.ts";
import { reachable, refsIn } from "./versions.ts";
import { type Schema, ref } from "./schema.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { batchParameters, batchPaths } from "#documents/openapi/paths/batches.ts";
import { batchSchemas, changeSchemas, itemSchemas } from "./item-schemas.ts";
import { changeParameters, changePaths } from "#documents/openapi/paths/changes.ts";
import { idParameter, sharedParameters, nounOf } from "./names.ts";
import { sharedSchemas } from "./problem-schemas.ts";
import { definitionPaths, documentParameters } from "#documents/openapi/paths/definition-paths.ts";
import { definitionSchemas } from "./definition-schemas.ts";
import { definitionExamples, examplesOf } from "./examples.ts";
import { onePaths } from "#documents/openapi/paths/one-paths.ts";
import { listPaths } from "#documents/openapi/paths/list-paths.ts";
import { searchSchemas } from "./search-schemas.ts";

/** Where the service stands, and whom its users write to. */
export interface Host {
  origin: string;
  contact: string;
}

interface Content {
  title: string;
  version: string;
  description: string;
  tags: { name: string; description: string }[];
  paths: Schema;
  schemas: Schema;
  parameters: Schema;
}

/** What every document of the service has around its content; of the components, those that are used. */
export function framed({ origin, contact }: Host, content: Content): Schema {
  const { title, version, description, tags, paths, schemas, parameters } = content;
  const refused = [...refsIn(paths)].flatMap((at) => /^responses\/(.+)/.exec(at)?.[1] ?? []);
  return {
    openapi: "3.1.0",
    info: {
      title,
      version,
      description,
      contact: { name: "Edge Forms", url: `${origin}/docs`, email: contact },
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: `${origin}/api/v1` }],
    security: [{ bearer: [] }, { client: [] }],
    externalDocs: { description: "Guides and recipes", url: `${origin}/docs/contents` },
    tags,
    paths,
    components: {
      ...reachable(paths, {
        schemas,
        parameters,
        headers: headerComponents(),
        responses: problemResponses(refused, origin),
      }),
      securitySchemes: securitySchemes(origin),
    },
  };
}

function securitySchemes(origin: string): Schema {
  const scopes = Object.fromEntries(permissions.map((each) => [each, each.replace(":", ": ")]));
  return {
    bearer: {
      type: "http",
      scheme: "bearer",
      description: "A personal token or an access token.",
    },
    client: {
      type: "oauth2",
      description: "OAuth 2.0 client credentials (RFC 6749, section 4.4).",
      flows: { clientCredentials: { tokenUrl: `${origin}/oauth/token`, scopes } },
    },
  };
}

/** The OpenAPI 3.1 document of one app or form: its own routes, from the definition that validates. */
export function openApiDocument(collection: Collection, host: Host): Schema {
  const { kind, version, definition } = collection;
  const { many, paths, one, schemas, parameters } = partsOf(collection, host);
  const about = `The ${many} of the ${kind} “${definition.name}”.`;
  return framed(host, {
    title: definition.name,
    version: String(version),
    description: definition.description || about,
    tags: [
      { name: many, description: about },
      { name: "definitions", description: `The fields of the ${kind}, and their rules.` },
    ],
    paths: { ...paths, ...one },
    schemas: { ...schemas, ...sharedSchemas() },
    parameters: { ...parameters, ...sharedParameters() },
  });
}

/** One document of several apps and forms. All forms share the path of one submission, which is of any of them. */
export function joinedDocument(collections: readonly Collection[], host: Host): Schema {
  const [first] = collections;
  if (first && collections.length === 1) return openApiDocument(first, host);
  const parts = collections.map((collection) => partsOf(collection, host));
  const forms = parts.filter(({ kind }) => kind === "form");
  const any = nounOf("form");
  const shared = forms.length > 1 ? onePaths(any, forms[0]?.examples) : {};
  const told = collections.map(({ kind, definition }) => `the ${kind} “${definition.name}”`);
  const tags = {
    records: "The records of apps.",
    submissions: "The submissions of forms.",
    definitions: "Apps and forms, and their fields.",
  };
  const used = new Set<string>([...parts.map(({ many }) => many), "definitions"]);
  return framed(host, {
    title: "Edge Forms",
    version: collections.map(({ version }) => version).join("."),
    description: `Several in one: ${told.join(", ")}.`,
    tags: Object.entries(tags).flatMap(([name, description]) =>
      used.has(name) ? [{ name, description }] : [],
    ),
    paths: {
      ...all(parts.map(({ paths }) => paths)),
      ...all(parts.map(({ one }) => one)),
      ...shared,
    },
    schemas: {
      ...all(parts.map(({ schemas }) => schemas)),
      ...eitherOf(forms),
      ...sharedSchemas(),
    },
    parameters: {
      ...all(parts.map(({ parameters }) => parameters)),
      ...idParameter(any),
      ...sharedParameters(),
    },
  });
}

const all = (parts: Schema[]): Schema => Object.assign({}, ...parts) as Schema;

/** What a document has of one collection. */
function partsOf(collection: Collection, host: Host) {
  const { kind, key } = collection;
  const noun = nounOf(kind, key);
  const examples = examplesOf(collection, noun, host.origin);
  return {
    kind,
    key,
    name: noun.one,
    many: noun.many,
    examples,
    paths: {
      ...listPaths(noun, examples),
      ...batchPaths(noun, examples),
      ...changePaths(noun, examples),
      ...definitionPaths(kind, key, definitionExamples(collection, host.origin)),
    },
    one: onePaths(noun, examples),
    schemas: {
      ...itemSchemas(noun, collection),
      ...batchSchemas(noun, true),
      ...changeSchemas(noun),
      ...searchSchemas(noun.one, collection),
      ...definitionSchemas(kind),
    },
    parameters: {
      ...idParameter(noun),
      ...batchParameters(),
      ...changeParameters(),
      ...documentParameters(),
    },
  };
}

/** A submission of any of these forms, told by its `form`; and what can be sent and answered to change it. */
function eitherOf(forms: readonly { key: string; name: string }[]): Schema {
  const { one } = nounOf("form");
  const names = (suffix: string) => forms.map(({ name }) => ref("schemas", name + suffix));
  const mapping = forms.map(({ key, name }) => [key, `#/components/schemas/${name}`] as const);
  return {
    [one]: {
      oneOf: names(""),
      discriminator: { propertyName: "form", mapping: Object.fromEntries(mapping) },
    },
    [`${one}Change`]: { anyOf: [...names("ChangeData"), ...names("ChangeStatus")] },
    [`${one}Updated`]: { anyOf: [...names(""), ...names("Written")] },
  };
}
