import type { Collection } from "../../domain/definition/collection";
import { batchParameters, batchPaths } from "./paths/batches";
import { batchSchemas } from "./paths/batch-schemas";
import { changeParameters, changePaths } from "./paths/changes";
import { changeSchemas } from "./paths/change-schemas";
import { idParameter, sharedParameters } from "./parameters";
import { itemSchemas } from "./components";
import { sharedSchemas } from "./shared-schemas";
import { definitionPaths, documentParameters } from "./paths/definition-paths";
import { definitionSchemas } from "./schemas/definition-schemas";
import { definitionExamples } from "./answers/definition-examples";
import { examplesOf } from "./answers/examples";
import { framed, type Host } from "./frame";
import { nounOf } from "./noun";
import { onePaths } from "./paths/one-paths";
import { listPaths } from "./paths/list-paths";
import { ref, type Schema } from "./schemas/schema";
import { searchSchemas } from "./schemas/search-schema";

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
