import * as z from "zod/mini";
import { createItem } from "#actions/create-item.ts";
import { validateItem } from "#actions/list-items.ts";
import { deleteSubmission } from "#actions/remove-item.ts";
import { updateItem } from "#actions/update-item.ts";
import { checkedDocument, itemDocument, writtenDocument } from "#documents/items.ts";
import { mergePatchType } from "#documents/openapi/description.ts";
import { resourceNames } from "#documents/openapi/names.ts";
import { itemInput, plainInput } from "#documents/openapi/tool-inputs.ts";
import { collectionPaths, fillPath } from "#domain/api-paths.ts";
import {
  permissionsAllow,
  readPermission,
  type Permission,
} from "#domain/credential/permissions.ts";
import { expandQuery } from "#domain/cursor.ts";
import { requestsIncrement } from "#domain/data/increments.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { ItemView } from "#domain/item/item.ts";
import { isObject } from "#domain/json.ts";
import { lazy } from "#domain/lazy.ts";
import type { ApiCode } from "#domain/problem/catalogue.ts";
import { etagOf } from "#domain/preconditions.ts";
import { storableDescription } from "#domain/text.ts";
import { includedDocuments } from "./included.ts";
import { operation, type SingleResult } from "./operation.ts";
import { readItemTargets } from "./item-target.ts";
import { collectionTarget, itemTargets } from "./targets.ts";

/** The operations on the items of apps and forms. Both kinds share the declarations. */

export const noQuery = lazy(() => z.object({}));

/** The permissions of the single operations. A batch requires them too. */
export const itemPermissions = {
  app: { create: "records:create", update: "records:write", delete: "records:write" },
  form: { create: "submissions:create", update: "submissions:write", delete: "submissions:delete" },
} as const satisfies Record<CollectionKind, Record<string, Permission>>;

/** The problems of a value that conflicts with a stored value or with a pending change of the definition. */
const conflictProblems = ["duplicate", "schema_in_use"] as const satisfies ApiCode[];

/** Returns the problems of a create. Updates share them. */
const createProblems = (kind: CollectionKind): ApiCode[] =>
  kind === "form" ? [...conflictProblems, "submissions_closed"] : [...conflictProblems];

/** Returns the problems of an update. */
export const changeProblems = (kind: CollectionKind): ApiCode[] =>
  kind === "form" ? [...createProblems(kind), "submission_closed"] : createProblems(kind);

const itemPath = ({ kind, key, id }: ItemView) => fillPath(collectionPaths(kind).item, { key, id });

const itemResult = (view: ItemView, origin: string): SingleResult => ({
  document: itemDocument(view, origin),
  etag: etagOf(view.version),
  isRedefined: view.isRedefined,
});

/** A rule for all texts that no pattern in a schema can express. */
const textRule = `Texts are ${storableDescription}.`;

export const createItemOperation = (kind: CollectionKind) => {
  const { plural, singular } = resourceNames(kind);
  return operation({
    method: "POST",
    path: collectionPaths(kind).items,
    kind,
    tag: plural,
    permission: itemPermissions[kind].create,
    effect: "create",
    target: collectionTarget(kind),
    query: noQuery,
    reportsQueryErrors: true,
    body: { schema: ({ schemaName }) => `${schemaName}Create`, example: ({ create }) => create },
    async run(ctx, { target, body, idempotencyKey, origin }) {
      const { response, isReplay, hasDifferentBody } = await createItem(
        ctx,
        target,
        body,
        idempotencyKey,
      );
      const location = itemPath(response);
      const { document, etag = "" } = itemResult(response, origin);
      return { status: 201, document, etag, location, isReplay, hasDifferentBody };
    },
    summary: `Create a ${singular}`,
    description: `Creates an item and returns it. With an Idempotency-Key, retries return the first result. ${textRule}`,
    responses: {
      201: {
        description: "The item was created by this request or by an earlier one with the same key.",
        schema: ({ schemaName }) => schemaName,
        example: ({ responses }) => responses?.item,
        headers: ["ETag", "Location"],
      },
    },
    problems: createProblems(kind),
    tool: {
      name: `create_${singular}`,
      title: `Create a ${singular}`,
      description: `Creates a ${singular}, once for each idempotency_key.`,
      isPerCollection: true,
      input: (parameters, collection) => itemInput("create", kind, parameters, collection),
    },
  });
};

export const validateSubmission = operation({
  method: "POST",
  path: collectionPaths("form").validate,
  kind: "form",
  tag: "submissions",
  permission: itemPermissions.form.create,
  effect: "read",
  target: collectionTarget("form"),
  query: noQuery,
  body: { schema: ({ schemaName }) => `${schemaName}Create`, example: ({ create }) => create },
  async run(ctx, { target, body, origin }) {
    return { document: checkedDocument(await validateItem(ctx, target, body), origin) };
  },
  summary: "Validate a submission",
  description: "Runs every check of a create and stores nothing. Counts as a read.",
  responses: {
    200: {
      description: "The data is valid.",
      schema: ({ schemaName }) => `${schemaName}Checked`,
      example: ({ responses }) => responses?.validation,
    },
  },
  problems: createProblems("form"),
  tool: {
    name: "validate_submission",
    title: "Validate a submission",
    description: "Runs every check of a create and stores nothing.",
    isPerCollection: true,
    input: (parameters, collection) => itemInput("validate", "form", parameters, collection),
  },
});

export const getItem = (kind: CollectionKind) => {
  const { plural, singular } = resourceNames(kind);
  return operation({
    method: "GET",
    path: collectionPaths(kind).item,
    kind,
    tag: plural,
    permission: readPermission[kind],
    effect: "read",
    target: readItemTargets[kind],
    query: expandQuery,
    precondition: "If-None-Match",
    run(_, { target: { view, included }, origin }) {
      const result = itemResult(view, origin);
      if (!included) return result;
      const document = { ...result.document, included: includedDocuments(included, origin) };
      // The ETag does not cover the included records, which may have changed, so the response is never a 304.
      return { ...result, document, isRedefined: true };
    },
    summary: `Get a ${singular}`,
    description: `Returns the current version of the ${singular}, with its ETag.`,
    responses: {
      200: {
        description: `The ${singular}.`,
        schema: ({ schemaName }) => schemaName,
        example: ({ responses }) => responses?.item,
        headers: ["ETag"],
      },
    },
    tool: {
      name: `get_${singular}`,
      title: `Get a ${singular}`,
      description: `Returns a ${singular}, with its etag.`,
      isPerCollection: false,
      input: plainInput,
    },
  });
};

export const updateItemOperation = (kind: CollectionKind) => {
  const { plural, singular } = resourceNames(kind);
  return operation({
    method: "PATCH",
    path: collectionPaths(kind).item,
    kind,
    tag: plural,
    permission: itemPermissions[kind].update,
    // The response to an increment contains the sum, which reveals the stored number.
    bodyPermissions: (body) =>
      isObject(body) && requestsIncrement(body["data"]) ? [readPermission[kind]] : [],
    effect: "write",
    target: itemTargets[kind],
    query: noQuery,
    reportsQueryErrors: true,
    body: {
      types: [mergePatchType],
      schema: ({ schemaName }) => `${schemaName}Change`,
      example: ({ change }) => change,
    },
    precondition: "If-Match",
    async run(ctx, { target, body, ifMatch, origin }): Promise<SingleResult> {
      const view = await updateItem(ctx, target, body, ifMatch);
      const canRead = permissionsAllow(ctx.permissions, readPermission[kind]);
      const document = canRead
        ? itemDocument(view, origin)
        : writtenDocument(view, target.compiled, body, origin);
      return { document, etag: etagOf(view.version) };
    },
    summary: `Update a ${singular}`,
    description: `Updates the fields that you send; \`null\` clears a field. With If-Match, updates only the version that it names. ${textRule}`,
    responses: {
      200: {
        description: `The updated ${singular}.`,
        schema: ({ schemaName }) => `${schemaName}Updated`,
        example: ({ responses }) => responses?.item,
        headers: ["ETag"],
      },
    },
    problems: changeProblems(kind),
    tool: {
      name: `update_${singular}`,
      title: `Update a ${singular}`,
      description: `Updates the fields of a ${singular} that you send. null clears a field; line items are replaced as a whole. { "$increment": 1 } adds to a number.`,
      isPerCollection: true,
      input: (parameters, collection) => itemInput("update", kind, parameters, collection),
    },
  });
};

export const deleteSubmissionOperation = operation({
  method: "DELETE",
  path: collectionPaths("form").item,
  kind: "form",
  tag: "submissions",
  permission: itemPermissions.form.delete,
  effect: "write",
  target: itemTargets.form,
  query: noQuery,
  reportsQueryErrors: true,
  precondition: "If-Match",
  async run(ctx, { target, ifMatch }) {
    await deleteSubmission(ctx, target, ifMatch);
    return null;
  },
  summary: "Delete a submission",
  description: "Permanently deletes the submission. Further requests return 404.",
  responses: { 204: { description: "Deleted." } },
  problems: ["submission_closed"],
});
