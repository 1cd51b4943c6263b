import type { Collection } from "../definition/collection";
import { permissions } from "../permissions";
import { parameters, schemasOf } from "./components";
import type { Schema } from "./field-schema";
import { appNames, formNames, pathsOf } from "./paths";
import { problemResponses } from "./responses";

/** The OpenAPI 3.1 document of one app or form: its own routes, from the definition that validates. */
export function openApiDocument(collection: Collection, origin: string): Schema {
  const { kind, key, version, definition } = collection;
  const names = kind === "app" ? appNames(key) : formNames(key);
  return {
    openapi: "3.1.0",
    info: {
      title: definition.name,
      version: String(version),
      description:
        definition.description || `The ${names.items} of the ${kind} “${definition.name}”.`,
    },
    servers: [{ url: `${origin}/api/v1` }],
    security: [{ bearer: [] }, { client: [] }],
    tags: [{ name: names.items }],
    paths: pathsOf(collection, names),
    components: {
      schemas: schemasOf(collection),
      parameters: parameters(names.items),
      headers: { ETag: { schema: { type: "string" }, description: "The version, in quotes." } },
      responses: problemResponses(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A personal token or an access token.",
        },
        client: {
          type: "oauth2",
          flows: {
            clientCredentials: {
              tokenUrl: `${origin}/oauth/token`,
              scopes: Object.fromEntries(
                permissions.map((each) => [each, each.replace(":", ": ")]),
              ),
            },
          },
        },
      },
    },
  };
}
