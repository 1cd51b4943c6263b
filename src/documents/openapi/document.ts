import { permissions } from "#domain/credential/permissions.ts";
import { headerComponents, problemResponses } from "./responses.ts";
import { withDistinctNames, resourceNames, type ResourceNames } from "./names.ts";
import { reachableComponents, collectRefs } from "./versions.ts";
import { mergeSchemas, type Schema, ref } from "./schema.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { batchSchemas, changeSchemas, itemSchemas } from "./item-schemas.ts";
import type { Descriptions } from "./description.ts";
import { recordSchemas, type IncludedApps } from "./included-schemas.ts";
import { pathItems } from "./operation-object.ts";
import { parameterComponents } from "./parameters.ts";
import { sharedSchemas } from "./problem-schemas.ts";
import { definitionSchemas } from "./definition-schemas.ts";
import { buildExamples } from "./examples.ts";
import { apiRoot, collectionPaths } from "#domain/api-paths.ts";
import { aggregateSchemas } from "./aggregate-schemas.ts";
import { listsOptions, searchSchemas } from "./search-schemas.ts";

/** The origin of the service and its support address. */
export interface Host {
  origin: string;
  contact: string;
}

interface DocumentContent {
  title: string;
  version: string;
  description: string;
  tags: { name: string; description: string }[];
  paths: Schema;
  schemas: Schema;
  /** The names of the items in the paths. */
  names: readonly ResourceNames[];
}

/** Adds the parts that all documents share. Keeps only the components that `paths` uses. */
export function buildDocument({ origin, contact }: Host, content: DocumentContent): Schema {
  const { title, version, description, tags, schemas, names } = content;
  const responseNames = [...collectRefs(content.paths)].flatMap(
    (reference) => /^responses\/(.+)/.exec(reference)?.[1] ?? [],
  );
  const components = reachableComponents(content.paths, {
    schemas,
    parameters: parameterComponents(names),
    headers: headerComponents(),
    responses: problemResponses(responseNames, origin),
  });
  const distinctParts = withDistinctNames(content.paths, components);
  return {
    openapi: "3.1.0",
    info: {
      title,
      version,
      description,
      contact: { name: "Edge Forms", url: `${origin}/docs`, email: contact },
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: origin + apiRoot }],
    security: [{ bearer: [] }, { client: [] }],
    externalDocs: { description: "Guides and recipes", url: `${origin}/docs/contents` },
    tags,
    paths: distinctParts.paths,
    components: { ...distinctParts.components, securitySchemes: securitySchemes(origin) },
  };
}

function securitySchemes(origin: string): Schema {
  const scopes = Object.fromEntries(permissions.map((scope) => [scope, scope.replace(":", ": ")]));
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

/**
 * The OpenAPI 3.1 document of one app or form, built from the definition that also validates its data. `apps` are the apps
 * whose records its responses can include.
 */
export function openApiDocument(
  operations: Descriptions,
  collection: Collection,
  host: Host,
  apps: readonly Collection[],
): Schema {
  const { kind, version, definition } = collection;
  const { names, paths, itemPaths, schemas } = collectionParts(operations, collection, host, {
    hasOptions: listsOptions([collection]),
    apps: includedApps(apps),
  });
  const collectionSummary = `The ${names.plural} of the ${kind} “${definition.name}”.`;
  return buildDocument(host, {
    title: definition.name,
    version: String(version),
    description: definition.description || collectionSummary,
    tags: [
      { name: names.plural, description: collectionSummary },
      { name: "definitions", description: `The definition of the ${kind}.` },
      ...fileTags([collection]),
    ],
    paths: { ...paths, ...itemPaths(), ...filePathItems(operations, [collection], host) },
    schemas: { ...schemas, ...otherRecordSchemas([collection], apps), ...sharedSchemas() },
    names: [names],
  });
}

const joinedTags = {
  records: "The records of apps.",
  submissions: "The submissions of forms.",
  definitions: "The definitions of apps and forms.",
};

/** One document of several apps and forms. All forms share the path of a submission. */
export function joinedDocument(
  operations: Descriptions,
  unsortedCollections: readonly Collection[],
  host: Host,
  apps: readonly Collection[],
): Schema {
  // Of similar names, the oldest one stays, so that a new app or form does not rename the types of others.
  const collections = unsortedCollections.toSorted(
    (a, b) => a.kind.localeCompare(b.kind) || a.id - b.id,
  );
  const [first] = collections;
  if (first && collections.length === 1) return openApiDocument(operations, first, host, apps);
  const context = { hasOptions: listsOptions(collections), apps: includedApps(apps) };
  const parts = collections.map((collection) =>
    collectionParts(operations, collection, host, context),
  );
  const forms = parts.filter(({ names: { kind } }) => kind === "form");
  const anyFormNames = resourceNames("form");
  const subjects = collections.map(({ kind, definition }) => `the ${kind} “${definition.name}”`);
  const usedTags = new Set<string>([
    ...parts.map(({ names: { plural } }) => plural),
    "definitions",
  ]);
  return buildDocument(host, {
    title: "Edge Forms",
    version: collections.map(({ version }) => version).join("."),
    description: `The API of ${subjects.join(", ")}.`,
    tags: [
      ...Object.entries(joinedTags).flatMap(([name, description]) =>
        usedTags.has(name) ? [{ name, description }] : [],
      ),
      ...fileTags(collections),
    ],
    paths: {
      ...filePathItems(operations, collections, host),
      ...mergeSchemas(parts.map(({ paths }) => paths)),
      ...forms[0]?.itemPaths(forms.length > 1 ? anyFormNames : undefined),
    },
    schemas: {
      ...mergeSchemas(parts.map(({ schemas }) => schemas)),
      ...otherRecordSchemas(collections, apps),
      ...anyFormSchemas(forms.map(({ names }) => names)),
      ...sharedSchemas(),
    },
    names: [...parts.map(({ names }) => names), anyFormNames],
  });
}

const hasFileField = ({ definition }: Collection) =>
  definition.fields.fields.some(({ type }) => type === "files");

export const fileTag = { name: "files", description: "The attachments of items." };

const fileTags = (collections: readonly Collection[]) =>
  collections.some(hasFileField) ? [fileTag] : [];

/** Returns the paths of files. All collections with a field of files share them. */
function filePathItems(
  operations: Descriptions,
  collections: readonly Collection[],
  host: Host,
): Schema {
  const collection = collections.find(hasFileField);
  if (!collection) return {};
  const fileOperations = Object.entries(operations).filter(([, { tag }]) => tag === fileTag.name);
  const examples = buildExamples(collection, host.origin);
  return pathItems(Object.fromEntries(fileOperations), { names: null, examples });
}

const includedApps = (apps: readonly Collection[]): IncludedApps =>
  new Map(apps.map((app) => [app.key, app]));

/** Returns the schemas of records that responses can include, for apps that the document does not describe. */
const otherRecordSchemas = (described: readonly Collection[], apps: readonly Collection[]) =>
  mergeSchemas(apps.filter((app) => !described.some(({ id }) => id === app.id)).map(recordSchemas));

/** Returns the parts of a document that describe one collection. */
function collectionParts(
  operations: Descriptions,
  collection: Collection,
  host: Host,
  { hasOptions, apps }: { hasOptions: boolean; apps: IncludedApps },
) {
  const { kind, key } = collection;
  const names = resourceNames(kind, key);
  const examples = buildExamples(collection, host.origin);
  const collectionOperations = Object.entries(operations).filter(
    ([, op]) => op.kind === kind && op.path !== collectionPaths(kind).list,
  );
  const [keyed, keyless] = [true, false].map((hasKey) =>
    Object.fromEntries(
      collectionOperations.filter(([, { path }]) => path.includes(":key") === hasKey),
    ),
  );
  return {
    names,
    paths: pathItems(keyed ?? {}, { names, examples }),
    /** Returns the paths that do not contain the key. `itemNames` are the names of their items. */
    itemPaths: (itemNames = names) => pathItems(keyless ?? {}, { names: itemNames, examples }),
    schemas: {
      ...itemSchemas(names, collection, apps),
      ...batchSchemas(names, collection),
      ...changeSchemas(names),
      ...searchSchemas(names.schemaName, collection, hasOptions),
      ...aggregateSchemas(names.schemaName, collection),
      ...definitionSchemas(kind),
    },
  };
}

/**
 * Returns the schemas of a submission of any of these forms, of its changes and of the responses. `form` discriminates.
 */
function anyFormSchemas(forms: readonly ResourceNames[]): Schema {
  const { schemaName: anyFormName } = resourceNames("form");
  const schemaRefs = (suffix: string) =>
    forms.map(({ schemaName }) => ref("schemas", schemaName + suffix));
  const mapping = forms.map(
    ({ key, schemaName }) => [key, `#/components/schemas/${schemaName}`] as const,
  );
  return {
    [anyFormName]: {
      oneOf: schemaRefs(""),
      discriminator: { propertyName: "form", mapping: Object.fromEntries(mapping) },
    },
    [`${anyFormName}Change`]: {
      anyOf: [...schemaRefs("ChangeData"), ...schemaRefs("ChangeStatus")],
    },
    [`${anyFormName}Updated`]: { anyOf: [...schemaRefs(""), ...schemaRefs("Written")] },
  };
}
