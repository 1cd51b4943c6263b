import { fileIdPattern, maxFileBytes } from "#domain/files/file.ts";
import {
  closedObject,
  openObject,
  stringSchema,
  timestampSchema,
  uriSchema,
  type Schema,
} from "./schema.ts";

const idSchema: Schema = { type: "string", pattern: fileIdPattern };
const digestSchema: Schema = { type: "string", pattern: "^[0-9a-f]{64}$" };
const bytesSchema: Schema = {
  type: "integer",
  format: "int32",
  minimum: 1,
  maximum: maxFileBytes,
};

/** The schemas of files, in every document. */
export const fileSchemas = (): Schema => {
  const fileProperties = { name: stringSchema, bytes: bytesSchema, sha256: digestSchema };
  const links = openObject({ content: uriSchema });
  return {
    FileCreate: closedObject(
      {
        collection: { type: "string", pattern: "^(?:app|form):[a-z][a-z0-9_-]{0,62}$" },
        field: stringSchema,
        name: { ...stringSchema, minLength: 1 },
        bytes: bytesSchema,
        sha256: { type: "string", pattern: "^[0-9a-fA-F]{64}$" },
      },
      ["collection", "field", "name", "bytes", "sha256"],
    ),
    File: openObject({
      id: idSchema,
      collection: stringSchema,
      field: stringSchema,
      item: {
        type: ["string", "null"],
        description: "The ID of the item that has the file. Null until it is attached.",
      },
      ...fileProperties,
      content_type: {
        type: ["string", "null"],
        description: "Detected from the content. Null until it is stored.",
      },
      created_at: timestampSchema,
      links,
    }),
    FileLink: openObject({ url: uriSchema, expires_at: timestampSchema }),
    AttachedFile: openObject({
      id: idSchema,
      ...fileProperties,
      content_type: stringSchema,
      links,
    }),
    FileReference: {
      description: "The ID of a file, or an object with its `id`. Other members are ignored.",
      anyOf: [idSchema, { type: "object", properties: { id: idSchema }, required: ["id"] }],
    },
  };
};
