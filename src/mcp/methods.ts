import { pointAtMembers, truncate } from "#domain/problem/field-errors.ts";
import { Problem } from "#domain/problem/problem.ts";
import { problemDocument } from "#documents/problem.ts";
import type { CollectionRef } from "#domain/definition/collection.ts";
import { webhookContext } from "#http/context.ts";
import type { RequestContext } from "#http/env.ts";
import { createCursor } from "#http/paging.ts";
import type { Result } from "#operations/operation.ts";
import { perform, requirePermissions } from "#operations/perform.ts";
import type { ToolCall, McpEnv } from "./receive.ts";
import {
  errorCodes,
  discoverResult,
  initializeResult,
  ProtocolError,
  type RpcMessage,
} from "./protocol.ts";
import { listTools } from "./list-tools.ts";

/** Clients may cache a list of tools for only one minute, because definitions change. */
const toolListCache = { ttlMs: 60_000, cacheScope: "private" };

/** Returns the result of a request. Throws a `ProtocolError` for unknown methods and invalid parameters. */
export async function handleMethod(
  c: RequestContext<McpEnv>,
  message: RpcMessage,
  selection: readonly CollectionRef[],
): Promise<object> {
  const { method, isModern } = message;
  if (method === "tools/list") {
    return {
      ...(await listRequestedTools(c, message, selection)),
      ...(isModern ? toolListCache : {}),
    };
  }
  if (method === "tools/call") return callTool(c, message);
  if (method === "server/discover" && isModern) return discoverResult();
  if (method === "initialize" && !isModern) return initializeResult(message);
  if (method === "ping" && !isModern) return {};
  const reason = `Method not found: ${truncate(method)}`;
  throw new ProtocolError(isModern ? 404 : 200, errorCodes.methodNotFound, reason);
}

async function listRequestedTools(
  c: RequestContext<McpEnv>,
  { params }: RpcMessage,
  selection: readonly CollectionRef[],
) {
  const { cursor } = params;
  if (cursor === undefined || typeof cursor === "string") {
    const listing = await listTools(c, selection, cursor);
    if (listing) return listing;
  }
  throw new ProtocolError(
    200,
    errorCodes.invalidParams,
    "This cursor is damaged or belongs to another list.",
  );
}

/** Calls a tool. A 4xx problem becomes an error result, so that the model can correct its arguments. */
async function callTool(c: RequestContext<McpEnv>, { params }: RpcMessage): Promise<object> {
  const { toolCall: call } = c.var;
  if (!call) {
    const name = typeof params["name"] === "string" ? `: ${truncate(params["name"])}` : "";
    throw new ProtocolError(
      200,
      errorCodes.invalidParams,
      `Unknown tool, or its arguments are not an object${name}`,
    );
  }
  try {
    return toolResult(await performCall(c, call));
  } catch (error) {
    // The model cannot fix server errors, so these become HTTP errors.
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    if (c.var.loggedTool) c.var.loggedTool.problem = error;
    const document = problemDocument(pointAtMembers(error), c.req.url, c.var.requestId);
    return { ...toolResult(document), isError: true };
  }
}

async function performCall(
  c: RequestContext<McpEnv>,
  { op, callArguments }: ToolCall,
): Promise<object> {
  const { plan, idempotencyKey, grant, read } = c.var;
  const ctx = webhookContext(c);
  if (callArguments instanceof Problem) {
    await requirePermissions(op, ctx, async () => undefined);
    throw callArguments;
  }
  const request = {
    ...plan.request,
    idempotencyKey,
    grant,
    origin: new URL(c.req.url).origin,
    content: () => ({ body: null, length: null }),
    ifMatch: () => callArguments.ifMatch,
    ifNoneMatch: () => null,
  };
  return resultDocument(c, await perform(op, ctx, request, read));
}

/** Builds the document of a tool's result. It has no links, because only HTTP clients can use them. */
async function resultDocument(c: RequestContext<McpEnv>, result: Result): Promise<object> {
  if (result && "items" in result) {
    const { items, next, members } = result;
    const cursor = next && (await createCursor(c, next.binding, next.position, next.bookmark));
    return { items: items.map(({ document }) => document), ...members, next_cursor: cursor };
  }
  if (!result || !("document" in result)) return {};
  const { document, isReplay, hasDifferentBody } = result;
  return {
    ...document,
    ...(isReplay ? { idempotent_replayed: true } : {}),
    ...(hasDifferentBody ? { idempotency_key_mismatch: true } : {}),
  };
}

/** Returns the result as JSON, and as text for clients that pass only text to the model. */
function toolResult(document: object) {
  return {
    content: [{ type: "text", text: JSON.stringify(document) }],
    structuredContent: document,
  };
}
