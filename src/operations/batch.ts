import * as z from "zod/mini";
import { applyBatch } from "#actions/apply-batch.ts";
import type { OperationResult } from "#actions/batch-results.ts";
import { itemDocument, withoutFormulaWarnings } from "#documents/items.ts";
import { resourceNames } from "#documents/openapi/names.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import {
  permissionsAllow,
  readPermission,
  type Permission,
} from "#domain/credential/permissions.ts";
import { requestsIncrement } from "#domain/data/increments.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { maxOperations } from "#domain/item/body.ts";
import { isObject } from "#domain/json.ts";
import { lazy } from "#domain/lazy.ts";
import { etagOf } from "#domain/preconditions.ts";
import { changeProblems, itemPermissions } from "./items.ts";
import { operation } from "./operation.ts";
import { collectionTarget } from "./targets.ts";

const batchQuery = lazy(() =>
  z.object({ return: z.optional(z.enum(["minimal", "representation"])) }),
);

/** Applies a batch of operations. */
export const batchOperation = (kind: CollectionKind) => {
  const { plural } = resourceNames(kind);
  return operation({
    method: "POST",
    path: collectionPaths(kind).batch,
    kind,
    tag: plural,
    permission: {
      anyOf: [
        itemPermissions[kind].update,
        itemPermissions[kind].create,
        ...(kind === "form" ? [itemPermissions.form.delete] : []),
      ],
    },
    bodyPermissions: (body) => batchPermissions(kind, body),
    effect: "create",
    target: collectionTarget(kind),
    query: batchQuery,
    reportsQueryErrors: true,
    body: {
      schema: ({ schemaName }) => `${schemaName}Batch`,
      example: ({ create }) => ({ operations: [{ op: "create", ...create }] }),
    },
    async run(ctx, { target, query, body, idempotencyKey, origin }) {
      const canRead = permissionsAllow(ctx.permissions, readPermission[kind]);
      const includeItem = canRead && query.return === "representation";
      const batch = await applyBatch(ctx, target, body, idempotencyKey, includeItem);
      const { response, isReplay, hasDifferentBody } = batch;
      const results = response.map((result) =>
        resultDocument(result, canRead, includeItem ? origin : null),
      );
      return { document: { results }, isReplay, hasDifferentBody };
    },
    summary: `Write up to ${maxOperations} ${plural} in a batch`,
    description:
      "Runs the operations in order, all or none. Each operation requires the same permission as its own route. One Idempotency-Key covers the batch, which counts as one request and one write.",
    responses: {
      200: {
        description: "The result of each operation.",
        schema: ({ schemaName }) => `${schemaName}BatchResults`,
        example: ({ responses }) => responses?.batch,
      },
    },
    problems: [...changeProblems(kind), "version_mismatch"],
  });
};

/**
 * Returns the permission of each operation's own route, and read permission for increments. Invalid operations require the
 * permission to create.
 */
function batchPermissions(kind: CollectionKind, body: unknown): Permission[] {
  const operations =
    isObject(body) && Array.isArray(body["operations"]) ? body["operations"] : [{}];
  const routePermissions = itemPermissions[kind];
  const permissionByOp: Record<string, Permission> = {
    ...routePermissions,
    upsert: routePermissions.update,
  };
  const requiredPermissions = new Set(
    (operations as unknown[]).flatMap((entry) => {
      const { op, data } = isObject(entry) ? entry : {};
      const isKnown = typeof op === "string" && Object.hasOwn(permissionByOp, op);
      const permission = (isKnown ? permissionByOp[op] : undefined) ?? routePermissions.create;
      const isIncrement = op === "update" && requestsIncrement(data);
      return isIncrement ? [permission, readPermission[kind]] : [permission];
    }),
  );
  // Write includes create. If both are missing, the problem names write, which is enough.
  return [...requiredPermissions].toSorted((a, b) => (a > b ? -1 : 1));
}

function resultDocument(result: OperationResult, canRead: boolean, origin: string | null) {
  const { op, outcome, id, receiptNumber, version, view } = result;
  // Formulas of a create use only the values that the caller sent. All other outcomes also use stored values.
  const canSeeFormulaWarnings = canRead || outcome === "created";
  const warnings = canSeeFormulaWarnings
    ? result.warnings
    : withoutFormulaWarnings(result.warnings);
  return {
    op,
    outcome,
    id,
    ...(receiptNumber === null ? {} : { receipt_number: receiptNumber }),
    etag: etagOf(version),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(origin !== null && view ? { item: itemDocument(view, origin) } : {}),
  };
}
