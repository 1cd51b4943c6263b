import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { apiRoot, fillPath } from "#domain/api-paths.ts";
import { pageLimitError } from "#domain/cursor.ts";
import { isObject } from "#domain/json.ts";
import { Problem, problem, type FieldError } from "#domain/problem/problem.ts";
import type { PresentedCredential } from "#domain/credential/tokens.ts";
import type { ApiEnv } from "#http/env.ts";
import { setPublicCorsHeaders } from "#http/cors.ts";
import { serviceOrigin } from "#http/request.ts";
import { readJsonBody, type BufferedBodyEnv } from "#http/body.ts";
import { earlyReads, type RequestPlan } from "#http/prefetch.ts";
import { readFeedPosition, readPosition } from "#http/paging.ts";
import { prefetchReplay } from "#http/replay-cache.ts";
import {
  errorCodes,
  messageId,
  parseMessage,
  ProtocolError,
  type MessageId,
  type RpcMessage,
} from "./protocol.ts";
import { collectionToolName, findTool, type ToolOperation, parameterNames } from "./tools.ts";
import * as z from "zod/mini";
import type { PathParameters } from "#actions/read.ts";
import { toolParameters, type ToolParameter } from "#documents/openapi/tool-inputs.ts";
import { parseIfMatchMember } from "#domain/item/body.ts";
import type { Precondition } from "#domain/preconditions.ts";
import { bodyParseOptions, errorAt, zodErrors } from "#domain/problem/field-errors.ts";

/** A call of an existing tool. */
export interface ToolCall {
  op: ToolOperation;
  /** The name in the call, for the call log. */
  name: string;
  /** The unvalidated key of a create. */
  idempotencyKey: unknown;
  /** The parsed arguments, or the problem of the arguments. */
  callArguments: CallArguments | Problem;
}

export type McpEnv = ApiEnv &
  BufferedBodyEnv & {
    Variables: {
      /** The message, or the error that the handler throws after authentication. */
      message: RpcMessage | { error: ProtocolError | Problem; id: MessageId | undefined };
      toolCall: ToolCall | undefined;
      presentedCredential: PresentedCredential;
    };
  };

/** The path of the metadata that names the authorization server (RFC 9728, section 5.1). */
export const metadataPath = "/.well-known/oauth-protected-resource/mcp";

/** Adds the URL of the metadata to each challenge. Pages without a credential may read the challenge too. */
export const addMetadataChallenge = createMiddleware<McpEnv>(async (c, next) => {
  await next();
  if ((c.var.grant as unknown) === undefined) setPublicCorsHeaders(c);
  const challenge = c.res.headers.get("WWW-Authenticate");
  if (challenge === null) return;
  const address = serviceOrigin(c) + metadataPath;
  c.res.headers.set("WWW-Authenticate", `${challenge}, resource_metadata="${address}"`);
});

/** Reads the message, which decides whether the request counts as a write. Reports its errors after authentication. */
export const receiveMessage = createMiddleware<McpEnv>(async (c, next) => {
  let body: unknown;
  try {
    body = c.req.method === "POST" ? await readJsonBody(c, ["application/json"]) : undefined;
    c.set(
      "message",
      parseMessage(body, (name) => c.req.header(name)),
    );
  } catch (error) {
    if (!(error instanceof ProtocolError || error instanceof Problem)) throw error;
    const isMalformed = error instanceof Problem && error.code === "malformed_json";
    const protocolError = isMalformed
      ? new ProtocolError(400, errorCodes.parseError, error.detail)
      : error;
    c.set("message", { error: protocolError, id: messageId(body) });
  }
  const call = findToolCall(c.var.message);
  c.set("toolCall", call);
  if (call) c.set("loggedTool", { name: call.name });
  await next();
});

function findToolCall(message: McpEnv["Variables"]["message"]): ToolCall | undefined {
  if ("error" in message || message.id === undefined) return undefined;
  const { method, params } = message;
  const { name, arguments: args = {} } = params;
  const match = method === "tools/call" && isObject(args) ? findTool(name, args) : undefined;
  if (!match) return undefined;
  const { op, key } = match;
  return {
    op,
    name: key === undefined ? op.tool.name : collectionToolName(op, key),
    idempotencyKey: (args as Record<string, unknown>)["idempotency_key"],
    callArguments: parseOrProblem(() => parseArguments(op, key, args as Record<string, unknown>)),
  };
}

function parseOrProblem(parse: () => CallArguments): CallArguments | Problem {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Prefetches the replay for `idempotency_key`, which has the same meaning as the header of the matching route. */
export const prefetchCallReplay = prefetchReplay<McpEnv>(({ var: { toolCall } }) => {
  if (toolCall?.op.effect !== "create" || toolCall.idempotencyKey === undefined) return undefined;
  const { op, callArguments, idempotencyKey } = toolCall;
  if (callArguments instanceof Problem) return undefined;
  const route = apiRoot + fillPath(op.path, { key: callArguments.path.key });
  return { name: "idempotency_key", value: idempotencyKey, route };
});

/** Returns the plan of a call. Other messages, and calls with invalid arguments, start no early read. */
export function planMessage(c: Context<McpEnv>): RequestPlan {
  const { toolCall } = c.var;
  const callArguments = toolCall?.callArguments;
  const { path, query, body } =
    callArguments && !(callArguments instanceof Problem)
      ? callArguments
      : { path: noPath, query: {}, body: undefined };
  return {
    isWrite: toolCall !== undefined && toolCall.op.effect !== "read",
    reads: toolCall && !(callArguments instanceof Problem) ? earlyReads(toolCall.op, path) : [],
    request: {
      path,
      query: () => query as never,
      body: async () => body,
      format: undefined,
      position: (binding, cursor, versions) => readPosition(c, binding, cursor, versions),
      feedPosition: (binding, cursor) => readFeedPosition(c, binding, cursor),
    },
  };
}

const noPath = { key: "", id: "", delivery: "" };

/** Rejects pages of origins that are neither the service's own nor allowed by the credential. */
export const requireAllowedOrigin = createMiddleware<McpEnv>(async (c, next) => {
  const origin = c.req.header("Origin");
  const allowedOrigins = [serviceOrigin(c), ...(c.var.grant.origins ?? [])];
  if (origin === undefined || allowedOrigins.includes(origin)) return next();
  const error = new ProtocolError(
    403,
    errorCodes.invalidRequest,
    "This credential does not allow this origin.",
  );
  return sendProtocolError(c, error);
});

export function sendProtocolError(
  c: Context,
  { status, code, message, data }: ProtocolError,
  id?: MessageId,
) {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return c.json({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error }, status);
}

type ToolArguments = Record<string, unknown>;

/** The arguments of a call, split into the parts of a request. */
interface CallArguments {
  path: PathParameters;
  query: {
    limit?: number | undefined;
    cursor?: string | undefined;
    expand?: string | undefined;
    view?: string | undefined;
  };
  body: unknown;
  ifMatch: Precondition | null;
}

/** Splits the arguments into the parts of a request. `key` is the app or form in the tool's name. Throws 422. */
function parseArguments(
  op: ToolOperation,
  key: string | undefined,
  args: ToolArguments,
): CallArguments {
  const { body, ...values } = op.tool.acceptsEitherKind
    ? takeCollection(args)
    : takeParameters(args, ...parameterNames(op, key));
  if (!op.body) assertNoUnknown(body);
  const { id = "", if_match, limit, cursor, expand, view } = values;
  const collectionKey = values.key ?? values.app ?? values.form;
  return {
    path: { key: key ?? collectionKey ?? "", id, delivery: "" },
    query: { limit, cursor, expand: expand?.join(), view },
    body,
    ifMatch: parseIfMatch(if_match),
  };
}

type ParameterValues = {
  [Name in ToolParameter]?: z.output<ReturnType<typeof toolParameters>[Name]> | undefined;
};

/** Splits the arguments into these parameters and the body of the request. Throws 422 for invalid parameters. */
function takeParameters(
  args: ToolArguments,
  ...names: ToolParameter[]
): ParameterValues & { body: ToolArguments } {
  const shape = Object.fromEntries(names.map((name) => [name, toolParameters()[name]]));
  const result = z.object(shape).safeParse(args, bodyParseOptions);
  if (!result.success)
    throw problem.invalidInput(zodErrors(result.error.issues).map(withPageLimit));
  const parameters: readonly string[] = names;
  const body = Object.entries(args).filter(([name]) => !parameters.includes(name));
  return { ...(result.data as ParameterValues), body: Object.fromEntries(body) };
}

/** Gives an invalid limit the same code as in the REST API. */
const withPageLimit = (error: FieldError): FieldError =>
  error.field === "limit" ? { ...error, ...pageLimitError } : error;

/**
 * Takes `app` or `form` from the arguments. Also accepts `kind` and `key`, which earlier versions used instead, because
 * assistants may have cached them.
 */
function takeCollection(args: ToolArguments) {
  const usesFormerNames = args["kind"] !== undefined || args["key"] !== undefined;
  if (usesFormerNames) return takeParameters(args, "kind", "key");
  if (args["app"] === undefined && args["form"] === undefined) {
    throw problem.invalidInput([errorAt([], "required", 'Send either "app" or "form".')]);
  }
  if (args["app"] !== undefined && args["form"] !== undefined) {
    const reason = 'Send either "app" or "form", not both.';
    throw problem.invalidInput([errorAt(["app"], "unknown_field", reason)]);
  }
  return takeParameters(args, args["form"] === undefined ? "app" : "form");
}

/** Throws 422 for unknown arguments. */
function assertNoUnknown(body: ToolArguments): void {
  const result = z.strictObject({}).safeParse(body, bodyParseOptions);
  if (!result.success) throw problem.invalidInput(zodErrors(result.error.issues));
}

function parseIfMatch(ifMatch: string | undefined): Precondition | null {
  const condition = parseIfMatchMember(ifMatch, ["if_match"]);
  if ("error" in condition) throw problem.invalidInput([condition.error]);
  return condition.ifMatch;
}
