import * as z from "zod/mini";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { applyBatch } from "#actions/apply-batch.ts";
import type { OperationResult } from "#actions/batch-results.ts";
import { allows, readPermission, type Permission } from "#domain/credential/permissions.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { etagOf } from "#domain/preconditions.ts";
import { isObject } from "#domain/json.ts";
import { problem } from "#domain/problem/problem.ts";
import { itemDocument } from "#documents/items.ts";
import type { ApiEnv } from "#http/env.ts";
import type { CollectionEnv } from "./doors.ts";
import { query } from "#http/query.ts";

type BodyEnv = ApiEnv & { Variables: { body: unknown } };

/** What the single route of each operation asks for. */
const asked = {
  app: {
    create: "records:create",
    update: "records:write",
    upsert: "records:write",
    delete: "records:write",
  },
  form: {
    create: "submissions:create",
    update: "submissions:write",
    upsert: "submissions:write",
    delete: "submissions:delete",
  },
} as const satisfies Record<CollectionKind, Record<string, Permission>>;

/** Each operation needs the permission of its single route; what is no operation asks for that to write. */
export const permitOperations = (kind: CollectionKind) =>
  createMiddleware<BodyEnv>(async (c, next) => {
    const { body } = c.var;
    const sent = isObject(body) && Array.isArray(body["operations"]) ? body["operations"] : [{}];
    const table: Record<string, Permission> = asked[kind];
    const needed = new Set(
      (sent as unknown[]).map((each) => {
        const op = isObject(each) ? each["op"] : undefined;
        const known = typeof op === "string" && Object.hasOwn(table, op);
        return (known ? table[op] : undefined) ?? asked[kind].create;
      }),
    );
    // To write includes to create: whoever lacks both is told the one that is enough.
    for (const permission of [...needed].toSorted((a, b) => (a > b ? -1 : 1))) {
      if (!allows(c.var.grant.permissions, permission)) {
        throw problem.permissionRequired(permission);
      }
    }
    await next();
  });

const returned = z.object({ return: z.optional(z.enum(["minimal", "representation"])) });
export const batchQuery = query(returned);

interface BatchInput {
  in: { query: z.input<typeof returned> };
  out: { query: z.output<typeof returned> };
}

/** Applies a batch of operations (contract, section 12). */
export async function answerBatch(
  c: Context<CollectionEnv & BodyEnv, string, BatchInput>,
): Promise<Response> {
  const { action, compiled, body, sentKey } = c.var;
  const done = await applyBatch(action, compiled, body, sentKey);
  const whole =
    c.req.valid("query").return === "representation" &&
    allows(action.permissions, readPermission[compiled.collection.kind]);
  return c.json({ results: done.answer.map((result) => resultDocument(result, whole)) }, 200, {
    ...(done.replayed ? { "Idempotent-Replayed": "true" } : {}),
    ...(done.mismatch ? { "Idempotency-Key-Mismatch": "true" } : {}),
  });
}

function resultDocument(result: OperationResult, whole: boolean) {
  const { op, outcome, id, receiptNumber, version, warnings, view } = result;
  return {
    op,
    outcome,
    id,
    ...(receiptNumber === null ? {} : { receipt_number: receiptNumber }),
    etag: etagOf(version),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(whole && view ? { item: itemDocument(view) } : {}),
  };
}
