import { allows } from "#domain/credential/permissions.ts";
import { shortened } from "#domain/problem/field-errors.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import { problemDocument } from "#documents/problem.ts";
import type { Reading } from "#http/env.ts";
import type { Question } from "#http/doors/question.ts";
import type { Called } from "#http/query.ts";
import type { Call, McpEnv } from "./doors.ts";
import { codes, discovered, initialized, Refused, type Message } from "./protocol.ts";
import { listTools } from "#mcp/tools/list-tools.ts";

/** How long a list of tools may be kept: definitions change. */
const listed = { ttlMs: 60_000, cacheScope: "private" };

/** What a request is answered with; throws where the protocol refuses it. */
export async function resultFor(
  c: Reading<McpEnv>,
  message: Message,
  chosen: readonly Called[],
): Promise<object> {
  const { method, modern } = message;
  if (method === "tools/list") {
    return { ...(await toolsOf(c, message, chosen)), ...(modern ? listed : {}) };
  }
  if (method === "tools/call") return callTool(c, message);
  if (method === "server/discover" && modern) return discovered();
  if (method === "initialize" && !modern) return initialized(message);
  if (method === "ping" && !modern) return {};
  const unknown = `Method not found: ${shortened(method)}`;
  throw new Refused(modern ? 404 : 200, codes.methodNotFound, unknown);
}

async function toolsOf(c: Reading<McpEnv>, { params }: Message, chosen: readonly Called[]) {
  const { cursor } = params;
  if (cursor === undefined || typeof cursor === "string") {
    const listing = await listTools(c, chosen, cursor);
    if (listing) return listing;
  }
  throw new Refused(200, codes.invalidParams, "This is no cursor of this list.");
}

/** What the API would refuse is a result that says so, as its problem: a model mends what it sent by that. */
async function callTool(c: Reading<McpEnv>, { params }: Message): Promise<object> {
  const { called } = c.var;
  if (!called) {
    const name = typeof params["name"] === "string" ? `: ${shortened(params["name"])}` : "";
    throw new Refused(200, codes.invalidParams, `Unknown tool, or no arguments of one${name}`);
  }
  try {
    return told(await permitted(c, called));
  } catch (refusal) {
    // What is not for the model to mend is said by HTTP.
    if (!(refusal instanceof Problem) || refusal.status >= 500) throw refusal;
    if (c.var.deed) c.var.deed.refusal = refusal;
    const document = problemDocument(refusal, c.req.url, c.var.requestId);
    return { ...told(document), isError: true };
  }
}

async function permitted(c: Reading<McpEnv>, { tool, sent, key }: Call): Promise<object> {
  const { permission } = tool;
  if (permission !== null && !allows(c.var.grant.permissions, permission)) {
    throw problem.permissionRequired(permission);
  }
  return tool.call(c, sent, key, () => c.var.read(readOfCall));
}

/** What the tool that is called reads; nothing where it reads nothing ahead. */
export const readOfCall: Question<unknown> = async (ctx, _, c) => {
  const { called } = (c as unknown as Reading<McpEnv>).var;
  return called?.tool.read?.(ctx, c, called.sent, called.key);
};

/** For programs, and as text for those that pass nothing else on. */
function told(document: object) {
  return {
    content: [{ type: "text", text: JSON.stringify(document) }],
    structuredContent: document,
  };
}
