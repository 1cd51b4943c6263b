import type { Collection } from "../../domain/definition/collection";
import { permissions } from "../../domain/credential/permissions";
import { batchParameters, batchPaths, batchSchemas } from "./batches";
import { changeParameters, changePaths, changeSchemas } from "./changes";
import { idParameter, itemSchemas, sharedParameters, sharedSchemas } from "./components";
import { exampleData } from "./example";
import type { Schema } from "./field-schema";
import { nounOf } from "./noun";
import { itemPaths } from "./paths";
import { headers, problemResponses } from "./responses";

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

/** The OpenAPI 3.1 document of one app or form: its own routes, from the definition that validates. */
export function openApiDocument(collection: Collection, host: Host): Schema {
  const { kind, key, version, definition } = collection;
  const noun = nounOf(kind, key);
  const { fields } = definition.fields;
  const data = exampleData(fields);
  const create = kind === "form" ? { status: "submitted", data } : { data };
  const about = `The ${noun.many} of the ${kind} “${definition.name}”.`;
  return framed(host, {
    title: definition.name,
    version: String(version),
    description: definition.description || about,
    tags: [{ name: noun.many, description: about }],
    paths: {
      ...batchPaths(noun),
      ...itemPaths(noun, { create, change: { data } }),
      ...changePaths(noun),
    },
    schemas: {
      ...itemSchemas(noun, fields),
      ...batchSchemas(noun),
      ...changeSchemas(noun),
      ...sharedSchemas(),
    },
    parameters: {
      ...idParameter(noun),
      ...batchParameters(),
      ...changeParameters(),
      ...sharedParameters(),
    },
  });
}

/** What every document of the service has around its content. */
export function framed({ origin, contact }: Host, content: Content): Schema {
  const { title, version, description, tags, paths, schemas, parameters } = content;
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
    tags,
    paths,
    components: {
      schemas,
      parameters,
      headers: headers(),
      responses: problemResponses(),
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
