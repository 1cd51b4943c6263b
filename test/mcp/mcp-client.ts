import { host, type Answer, type Client, type Json } from "../support/client";

const meta = "io.modelcontextprotocol";

/** The metadata in each request of the newest protocol version. */
export const envelope = {
  [`${meta}/protocolVersion`]: "2026-07-28",
  [`${meta}/clientInfo`]: { name: "test", version: "1" },
  [`${meta}/clientCapabilities`]: {},
};

let lastId = 0;

/** Builds a request of the newest protocol version. */
export function request(method: string, params: Json = {}) {
  lastId += 1;
  const name = typeof params.name === "string" ? { "Mcp-Name": params.name as string } : {};
  return {
    body: { jsonrpc: "2.0", id: lastId, method, params: { ...params, _meta: envelope } },
    headers: { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...name },
  };
}

export async function speak(
  caller: Client,
  method: string,
  params: Json = {},
  headers: Record<string, string> = {},
  address = `${host}/mcp`,
): Promise<Answer> {
  const { body, headers: requestHeaders } = request(method, params);
  return caller.send("POST", address, body, { ...requestHeaders, ...headers });
}

/** Calls a tool and returns its result. */
export async function call(caller: Client, name: string, toolArguments: Json = {}): Promise<Json> {
  const { status, text, body } = await speak(caller, "tools/call", {
    name,
    arguments: toolArguments,
  });
  if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
  return body.result ?? body;
}

/** Returns the tools of every page of the list. */
export async function toolsOf(caller: Client, search = ""): Promise<Json[]> {
  const tools: Json[] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const { body } = await speak(caller, "tools/list", params, {}, `${host}/mcp${search}`);
    tools.push(...body.result.tools);
    cursor = body.result.nextCursor;
  } while (cursor !== undefined);
  return tools;
}
