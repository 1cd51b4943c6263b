import * as z from "zod/mini";
import {
  createPermission,
  getAttachedFile,
  getOwnFile,
  readFile,
  removeFile,
  requireAttached,
  requireFile,
  type AttachedFile,
  type LoadedFile,
  type StoredFileWithItem,
} from "#actions/files.ts";
import type { Prefetch } from "#actions/read.ts";
import type { WebhookContext } from "#actions/context.ts";
import { createFile, namedCollection, storeContent } from "#actions/upload-file.ts";
import { fileDocument, fileLinkDocument } from "#documents/files.ts";
import {
  fileExample,
  fileInputExample,
  fileLinkExample,
} from "#documents/openapi/file-examples.ts";
import type { Schema } from "#documents/openapi/schema.ts";
import { plainInput } from "#documents/openapi/tool-inputs.ts";
import { contentUrl, filePaths, fillPath } from "#domain/api-paths.ts";
import { linkMs } from "#domain/files/file.ts";
import { readPermission } from "#domain/credential/permissions.ts";
import { signLink } from "#domain/files/link.ts";
import { contentEtag } from "#domain/preconditions.ts";
import { lazy } from "#domain/lazy.ts";
import { noQuery } from "./items.ts";
import { operation, type Target } from "./operation.ts";

/** The operations on files. The collection of a file decides which permission they need. */

const writing = { oneOf: [createPermission.form, createPermission.app] };
const reading = { oneOf: [readPermission.form, readPermission.app] };
const shared = { kind: null, tag: "files" } as const;

const prefetchFile: Prefetch<StoredFileWithItem> = (ctx, { path }) => readFile(ctx, path.id);

/** A file that is read in parallel with the admission. */
const readTarget = <Found>(
  require: (ctx: WebhookContext, found: StoredFileWithItem) => Promise<Found>,
): Target<Found> => ({
  prefetch: prefetchFile,
  mayBeMissing: true,
  find: async (ctx, _, read) => require(ctx, await read(prefetchFile)),
});

const visibleFile = readTarget(requireFile);
const attachedFile = readTarget(requireAttached);

/** The collection that the body names. */
const newFileTarget: Target<undefined> = { mayBeMissing: true, find: () => undefined };
const ownFile: Target<LoadedFile> = {
  mayBeMissing: true,
  find: (ctx, { id }) => getOwnFile(ctx, id),
};
/** At the primary, which also decides about each use of the link. */
const linkedFile: Target<AttachedFile> = {
  mayBeMissing: true,
  find: (ctx, { id }) => getAttachedFile(ctx, id),
};

const createFileOperation = operation({
  ...shared,
  method: "POST",
  path: filePaths.list,
  permission: writing,
  bodyPermissions: (body) => {
    const named = namedCollection(body);
    return named ? [createPermission[named.kind]] : [];
  },
  effect: "write",
  target: newFileTarget,
  query: noQuery,
  body: { schema: "FileCreate", example: () => fileInputExample },
  async run(ctx, { body, origin }) {
    const loaded = await createFile(ctx, body);
    const location = fillPath(filePaths.file, { id: loaded.file.id });
    return { status: 201, document: fileDocument(loaded, origin), location };
  },
  summary: "Announce a file",
  description:
    "Reserves an ID for a file of a field. PUT its content to `links.content`, then attach it by writing the ID to the field of an item.",
  responses: {
    201: {
      description: "Announced.",
      schema: "File",
      example: () => fileExample,
      headers: ["Location"],
    },
  },
});

const getFileOperation = operation({
  ...shared,
  method: "GET",
  path: filePaths.file,
  permission: reading,
  effect: "read",
  target: visibleFile,
  query: noQuery,
  precondition: "If-None-Match",
  async run(_, { target, origin }) {
    const document = fileDocument(target, origin);
    return { document, etag: await contentEtag(JSON.stringify(document)) };
  },
  summary: "Get a file",
  description:
    "Returns what is known of a file of an item, or of your own file that is not attached yet.",
  responses: {
    200: {
      description: "The file.",
      schema: "File",
      example: () => fileExample,
      headers: ["ETag"],
    },
  },
});

const putContentOperation = operation({
  ...shared,
  method: "PUT",
  path: filePaths.content,
  permission: writing,
  effect: "write",
  target: ownFile,
  query: noQuery,
  content: "received",
  async run(ctx, { target, content, origin }) {
    return { document: fileDocument(await storeContent(ctx, target, content()), origin) };
  },
  summary: "Store the content of a file",
  description:
    "Send the bytes as the body, whole and without a `Content-Encoding`. They must have the announced length and SHA-256. You can repeat the request.",
  responses: { 200: { description: "Stored.", schema: "File", example: () => fileExample } },
});

const getContentOperation = operation({
  ...shared,
  method: "GET",
  path: filePaths.content,
  permission: reading,
  effect: "read",
  target: attachedFile,
  query: lazy(() => z.object({ link: z.optional(z.string()) })),
  precondition: "If-None-Match",
  content: "returned",
  takesLink: true,
  run(_, { target }) {
    return { attached: target };
  },
  summary: "Download the content of a file",
  description:
    "Returns the bytes of a file of an item that the credential can read, or a range of them.",
  responses: {
    200: {
      description: "The content.",
      headers: ["ETag", "Content-Disposition", "Repr-Digest", "Accept-Ranges"],
    },
    206: {
      description: "A range of the content.",
      headers: ["ETag", "Content-Disposition", "Repr-Digest", "Accept-Ranges", "Content-Range"],
    },
  },
  problems: ["range_not_satisfiable"],
  parameterComponents: { link: "linkToken" },
});

const deleteFileOperation = operation({
  ...shared,
  method: "DELETE",
  path: filePaths.file,
  permission: writing,
  effect: "write",
  target: ownFile,
  query: noQuery,
  async run(ctx, { target }) {
    await removeFile(ctx, target);
    return null;
  },
  summary: "Delete a file that is not attached",
  description:
    "Deletes a file that you uploaded and that no item has. Items release their files themselves.",
  responses: { 204: { description: "Deleted." } },
});

const linkFileOperation = operation({
  ...shared,
  method: "POST",
  path: filePaths.link,
  permission: reading,
  effect: "write",
  target: linkedFile,
  query: noQuery,
  async run(ctx, { target: { file }, origin, grant }) {
    const expires = Math.floor((ctx.now() + linkMs) / 1000) * 1000;
    const link = await signLink(
      { file: file.id, credential: grant.credentialId, expires },
      ctx.keys,
    );
    return { document: fileLinkDocument(`${contentUrl(origin, file.id)}?link=${link}`, expires) };
  },
  summary: "Create a link to the content of a file",
  description:
    "Returns a URL that works without a credential for one hour, as long as this credential can read the file.",
  responses: {
    200: { description: "The link.", schema: "FileLink", example: () => fileLinkExample },
  },
  tool: {
    name: "get_file_link",
    title: "Get a link to a file",
    description: "Returns a URL at which a person can download a file of an item for one hour.",
    isPerCollection: false,
    isReadOnly: true,
    input: ({ id, ...others }) =>
      plainInput({ id: { ...(id as Schema), description: "The ID of the file." }, ...others }),
  },
});

export const fileOperations = {
  createFile: createFileOperation,
  getFile: getFileOperation,
  deleteFile: deleteFileOperation,
  putFileContent: putContentOperation,
  getFileContent: getContentOperation,
  createFileLink: linkFileOperation,
};
