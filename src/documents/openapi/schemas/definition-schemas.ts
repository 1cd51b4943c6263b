import type { CollectionKind } from "../../../domain/definition/collection";
import { documents } from "../../../domain/definition/document";
import { pageSchema } from "../shared-schemas";
import { named } from "../paths/definition-paths";
import { count, list, open, ref, stamp, text, uri, version, type Schema } from "./schema";
import { schemaOfZod } from "./zod-schema";
import { fieldDefinitions } from "./field-definitions";

/** The schemas of apps and forms themselves: in lists, and as they are defined, read and sent alike. */
export function definitionSchemas(kind: CollectionKind): Schema {
  const items = kind === "app" ? "records" : "submissions";
  const names = ["self", "openapi", items, "search"];
  const links = open(Object.fromEntries(names.map((name) => [name, uri])));
  const one = named[kind];
  const told = { key: text, name: text, description: text, time_zone: text };
  const { fields, ...sent } = schemaOfZod(documents[kind])["properties"] as Record<string, Schema>;
  const own = kind === "form" ? { acceptance: ref("schemas", "Acceptance") } : {};
  const servers = {
    schema_version: version,
    indexing,
    pending,
    links: ref("schemas", `${one}Links`),
  };
  return {
    [`${one}Links`]: links,
    [one]: open({ ...told, schema_version: version, links: ref("schemas", `${one}Links`) }),
    [`${one}Page`]: pageSchema(one),
    [`${one}Definition`]: {
      type: "object",
      description: "For both directions: what is the server's own is ignored where it is sent.",
      additionalProperties: false,
      properties: {
        ...sent,
        ...own,
        fields: list(ref("schemas", "FieldDefinition")),
        ...Object.fromEntries(
          Object.entries(servers).map(([name, schema]) => [name, { readOnly: true, ...schema }]),
        ),
      },
      required: ["fields"],
    },
    ...(kind === "form" ? { Acceptance: acceptanceOf(sent["acceptance"] ?? {}) } : {}),
    ...fieldDefinitions(fields?.["items"] as Schema),
  };
}

const moment = { ...stamp, type: ["string", "null"] };

function acceptanceOf(sent: Schema): Schema {
  const accepting = { type: "boolean", readOnly: true };
  const properties = { ...(sent["properties"] as Schema), opens_at: moment, closes_at: moment };
  return { ...sent, properties: { ...properties, accepting } };
}

const progress: Schema = { done: count, total: count };
const indexing = open(progress);
const pending: Schema = {
  ...open(
    {
      schema_version: version,
      ...progress,
      problem: open(
        {
          type: text,
          title: text,
          status: { type: "integer", format: "int32" },
          code: text,
          detail: text,
          field: text,
          fields: list(text),
          items: list(text),
        },
        ["type", "title", "status", "code", "detail"],
      ),
    },
    ["schema_version", "done", "total"],
  ),
  description:
    "A change that waits until all items were looked at; or why it was dropped, as the problem that it would have been.",
};
