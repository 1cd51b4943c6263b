import { host, type Answer, type Client, type Json } from "../support/client";

const meta = "io.modelcontextprotocol";

/** What each request of the newest version says of itself. */
export const envelope = {
  [`${meta}/protocolVersion`]: "2026-07-28",
  [`${meta}/clientInfo`]: { name: "test", version: "1" },
  [`${meta}/clientCapabilities`]: {},
};

let made = 0;

/** One request of the newest version. */
export function request(method: string, params: Json = {}) {
  made += 1;
  const name = typeof params.name === "string" ? { "Mcp-Name": params.name as string } : {};
  return {
    body: { jsonrpc: "2.0", id: made, method, params: { ...params, _meta: envelope } },
    headers: { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...name },
  };
}

export async function speak(
  by: Client,
  method: string,
  params: Json = {},
  headers: Record<string, string> = {},
  address = `${host}/mcp`,
): Promise<Answer> {
  const { body, headers: own } = request(method, params);
  return by.send("POST", address, body, { ...own, ...headers });
}

/** Calls a tool, and gives its result. */
export async function call(by: Client, name: string, sent: Json = {}): Promise<Json> {
  const { status, text, body } = await speak(by, "tools/call", { name, arguments: sent });
  if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
  return body.result ?? body;
}

/** Every tool that is listed, page by page. */
export async function toolsOf(by: Client, search = ""): Promise<Json[]> {
  const tools: Json[] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const { body } = await speak(by, "tools/list", params, {}, `${host}/mcp${search}`);
    tools.push(...body.result.tools);
    cursor = body.result.nextCursor;
  } while (cursor !== undefined);
  return tools;
}
