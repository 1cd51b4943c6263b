import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { isObject } from "#domain/json.ts";
import { Problem } from "#domain/problem/problem.ts";
import type { Presented } from "#domain/credential/tokens.ts";
import type { ApiEnv } from "#http/env.ts";
import { shareWithAll } from "#http/cors.ts";
import type { Effect } from "#http/doors/effect.ts";
import { originOf } from "#http/request.ts";
import { readJson, type ReceivingEnv } from "#http/body.ts";
import { recallBy } from "#http/replay-cache.ts";
import { codes, messageId, readMessage, Refused, type Id, type Message } from "./protocol.ts";
import { findTool } from "#mcp/tools/catalogue.ts";
import { ownName, type Tool } from "#mcp/tools/tool.ts";

/** A call of a tool that there is. */
export interface Call {
  tool: Tool;
  key?: string;
  sent: Record<string, unknown>;
}

export type McpEnv = ApiEnv &
  ReceivingEnv & {
    Variables: {
      /** What was sent; or why it cannot be taken, which is told in its turn. */
      message: Message | { refusal: Refused | Problem; id: Id | undefined };
      called: Call | undefined;
      presented: Presented;
      effect: Effect;
    };
  };

/** Where clients find who gives access tokens (RFC 9728, section 5.1). */
export const metadataPath = "/.well-known/oauth-protected-resource/mcp";

/** Says in each challenge where that is told; to pages as well, which have no credential yet whose origins would do. */
export const leadToMetadata = createMiddleware<McpEnv>(async (c, next) => {
  await next();
  if ((c.var.grant as unknown) === undefined) shareWithAll(c);
  const challenge = c.res.headers.get("WWW-Authenticate");
  if (challenge === null) return;
  const address = originOf(c) + metadataPath;
  c.res.headers.set("WWW-Authenticate", `${challenge}, resource_metadata="${address}"`);
});

/** Reads the message, which says whether it counts as a write; what is wrong with it is told once it is known who asks. */
export const takeMessage = createMiddleware<McpEnv>(async (c, next) => {
  let body: unknown;
  try {
    body = c.req.method === "POST" ? await readJson(c, ["application/json"]) : undefined;
    c.set(
      "message",
      readMessage(body, (name) => c.req.header(name)),
    );
  } catch (refusal) {
    if (!(refusal instanceof Refused || refusal instanceof Problem)) throw refusal;
    const malformed = refusal instanceof Problem && refusal.code === "malformed_json";
    const told = malformed ? new Refused(400, codes.parseError, refusal.detail) : refusal;
    c.set("message", { refusal: told, id: messageId(body) });
  }
  const called = callOf(c.var.message);
  c.set("called", called);
  if (called) {
    const { tool, key } = called;
    c.set("deed", { name: key === undefined ? tool.name : ownName(tool, key) });
  }
  c.set("effect", called ? called.tool.effect : { write: false, once: false });
  await next();
});

function callOf(message: McpEnv["Variables"]["message"]): Call | undefined {
  if ("refusal" in message || message.id === undefined) return undefined;
  const { method, params } = message;
  const { name, arguments: sent = {} } = params;
  const found = method === "tools/call" && isObject(sent) ? findTool(name) : undefined;
  return found && { ...found, sent: sent as Call["sent"] };
}

/** By `idempotency_key`, which does for a tool what the header does for the route that does the same. */
export const recallCall = recallBy<McpEnv>((c) => {
  const { called } = c.var;
  if (!called?.tool.effect.once) return undefined;
  const { tool, sent, key } = called;
  const name = "idempotency_key";
  if (sent[name] === undefined) return undefined;
  const items = tool.kind === "app" ? "records" : "submissions";
  const of = key ?? sent[tool.kind ?? ""];
  if (typeof of !== "string") return undefined;
  return { name, sent: sent[name], route: `/api/v1/${tool.kind}s/${of}/${items}` };
});

/** Pages of other origins than those that the credential allows, and than its own, do not get through. */
export const refuseOrigins = createMiddleware<McpEnv>(async (c, next) => {
  const origin = c.req.header("Origin");
  const allowed = [originOf(c), ...(c.var.grant.origins ?? [])];
  if (origin === undefined || allowed.includes(origin)) return next();
  const refusal = new Refused(
    403,
    codes.invalidRequest,
    "This credential does not allow this origin.",
  );
  return answerRefused(c, refusal);
});

export function answerRefused(c: Context, { status, code, message, data }: Refused, id?: Id) {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return c.json({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error }, status);
}
