import { permissions } from "../../domain/credential/permissions";
import { headerComponents } from "./answers/headers";
import { reachable, refsIn } from "./reachable";
import { problemResponses } from "./answers/responses";
import type { Schema } from "./schemas/schema";

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
