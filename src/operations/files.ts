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

// The operations on files. The collection of a file decides which permission a caller needs.

const writePermissions = { oneOf: [createPermission.form, createPermission.app] };
const readPermissions = { oneOf: [readPermission.form, readPermission.app] };
const sharedDeclaration = { kind: null, tag: "files" } as const;

const prefetchFile: Prefetch<StoredFileWithItem> = (ctx, { path }) => readFile(ctx, path.id);

/** Creates a target that reads the file in parallel with the admission. `require` checks the caller's access. */
const prefetchedFileTarget = <Resource>(
  require: (ctx: WebhookContext, storedFile: StoredFileWithItem) => Promise<Resource>,
): Target<Resource> => ({
  prefetch: prefetchFile,
  mayBeMissing: true,
  find: async (ctx, _, read) => require(ctx, await read(prefetchFile)),
});

const visibleFileTarget = prefetchedFileTarget(requireFile);
const attachedFileTarget = prefetchedFileTarget(requireAttached);

/** The target of an upload. The body names the collection, so there is nothing to find. */
const newFileTarget: Target<undefined> = { mayBeMissing: true, find: () => undefined };
const uploadedFileTarget: Target<LoadedFile> = {
  mayBeMissing: true,
  find: (ctx, { id }) => getOwnFile(ctx, id),
};
/** Reads the primary, like each use of the link. */
const linkedFileTarget: Target<AttachedFile> = {
  mayBeMissing: true,
  find: (ctx, { id }) => getAttachedFile(ctx, id),
};

const createFileOperation = operation({
  ...sharedDeclaration,
  method: "POST",
  path: filePaths.list,
  permission: writePermissions,
  bodyPermissions: (body) => {
    const collection = namedCollection(body);
    return collection ? [createPermission[collection.kind]] : [];
  },
  effect: "write",
  target: newFileTarget,
  query: noQuery,
  body: { schema: "FileCreate", example: () => fileInputExample },
  async run(ctx, { body, origin }) {
    const loadedFile = await createFile(ctx, body);
    const location = fillPath(filePaths.file, { id: loadedFile.file.id });
    return { status: 201, document: fileDocument(loadedFile, origin), location };
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
  ...sharedDeclaration,
  method: "GET",
  path: filePaths.file,
  permission: readPermissions,
  effect: "read",
  target: visibleFileTarget,
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
  ...sharedDeclaration,
  method: "PUT",
  path: filePaths.content,
  permission: writePermissions,
  effect: "write",
  target: uploadedFileTarget,
  query: noQuery,
  fileContent: "request",
  async run(ctx, { target, content, origin }) {
    return { document: fileDocument(await storeContent(ctx, target, content()), origin) };
  },
  summary: "Store the content of a file",
  description:
    "Send the bytes as the body, whole and without a `Content-Encoding`. They must have the announced length and SHA-256. You can repeat the request.",
  responses: { 200: { description: "Stored.", schema: "File", example: () => fileExample } },
});

const getContentOperation = operation({
  ...sharedDeclaration,
  method: "GET",
  path: filePaths.content,
  permission: readPermissions,
  effect: "read",
  target: attachedFileTarget,
  query: lazy(() => z.object({ link: z.optional(z.string()) })),
  precondition: "If-None-Match",
  fileContent: "response",
  takesLink: true,
  run(_, { target }) {
    return { file: target };
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
  ...sharedDeclaration,
  method: "DELETE",
  path: filePaths.file,
  permission: writePermissions,
  effect: "write",
  target: uploadedFileTarget,
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
  ...sharedDeclaration,
  method: "POST",
  path: filePaths.link,
  permission: readPermissions,
  effect: "write",
  target: linkedFileTarget,
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
    input: ({ id, ...otherParameters }) =>
      plainInput({
        id: { ...(id as Schema), description: "The ID of the file." },
        ...otherParameters,
      }),
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
