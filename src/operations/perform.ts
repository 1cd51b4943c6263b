import type * as z from "zod/mini";
import type { WebhookContext } from "#actions/context.ts";
import type { Prefetch, Read } from "#actions/read.ts";
import { permissionsAllow, type Permission } from "#domain/credential/permissions.ts";
import type { Precondition } from "#domain/preconditions.ts";
import { type FieldError, Problem, problem } from "#domain/problem/problem.ts";
import type { Operation, OperationRequest, Result } from "./operation.ts";

type RequestPart = Pick<
  OperationRequest<unknown, unknown, unknown>,
  "path" | "idempotencyKey" | "grant" | "origin" | "format" | "position" | "content"
>;

/** A request in the form in which it arrived at a surface. Each part is parsed when it has to be checked. */
export interface UnvalidatedRequest extends RequestPart {
  body: () => Promise<unknown>;
  query: () => unknown;
  ifMatch: () => Precondition | null;
  ifNoneMatch: () => Precondition | null;
}

/** Runs an operation. Every surface checks in the same order: permission, target, body, query. Then the action runs. */
export async function perform(
  op: Operation,
  ctx: WebhookContext,
  request: UnvalidatedRequest,
  read: Read,
): Promise<Result> {
  let body = await requirePermissions(op, ctx, request.body);
  const target = await op.target.find(ctx, request.path, read);
  if (op.body) body ??= await request.body();
  const { query, queryErrors } = await readQuery(op, request);
  const { precondition } = op;
  const takesIfMatch = precondition === "If-Match" || precondition === "both";
  return op.run(queryErrors ? { ...ctx, queryErrors } : ctx, {
    ...request,
    target,
    query,
    body,
    read,
    ifMatch: takesIfMatch ? request.ifMatch() : null,
    ifNoneMatch: precondition === "both" ? request.ifNoneMatch() : null,
    prefetched: async () => op.prefetch && read(op.prefetch as Prefetch<unknown, never>),
  });
}

/** Reads the query. Returns its errors if the action reports them. Throws them otherwise. */
async function readQuery(op: Operation, request: UnvalidatedRequest): Promise<ParsedQuery> {
  try {
    return { query: (await request.query()) as ParsedQuery["query"] };
  } catch (error) {
    if (!op.reportsQueryErrors || !(error instanceof Problem)) throw error;
    return { query: {}, queryErrors: error.members["errors"] as FieldError[] };
  }
}

interface ParsedQuery {
  query: z.output<z.ZodMiniObject>;
  queryErrors?: readonly FieldError[];
}

/**
 * Throws 403 before any lookup, because permissions belong to the credential as a whole. Returns the body if it was
 * read. If every body needs a permission, a later step reports an unreadable one.
 */
export async function requirePermissions(
  { permission, bodyPermissions }: Operation,
  ctx: WebhookContext,
  readBody: () => Promise<unknown>,
): Promise<unknown> {
  const isFixed = typeof permission === "string" || (permission !== null && "oneOf" in permission);
  if (typeof permission === "string") requirePermission(ctx, permission);
  else if (permission && "oneOf" in permission) requireOneOf(ctx, permission.oneOf);
  if (!bodyPermissions) return undefined;
  const body = isFixed ? await readBody().catch(() => undefined) : await readBody();
  for (const bodyPermission of bodyPermissions(body)) requirePermission(ctx, bodyPermission);
  return body;
}

function requireOneOf({ permissions }: WebhookContext, choices: readonly Permission[]): void {
  const [firstChoice] = choices;
  if (firstChoice && !choices.some((permission) => permissionsAllow(permissions, permission)))
    throw problem.permissionRequired(firstChoice);
}

function requirePermission({ permissions }: WebhookContext, permission: Permission): void {
  if (!permissionsAllow(permissions, permission)) throw problem.permissionRequired(permission);
}
