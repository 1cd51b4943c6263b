import { beforeAll, describe, expect, it } from "vitest";
import { host, type Client, type Json } from "../support/client";
import { accessToken } from "../support/oauth";
import { admin, anonymous, client, issue } from "../support/service";
import { envelope, request, speak } from "./speaking";
import { Client as Caller } from "../support/client";

const address = `${host}/mcp`;
const modern = "2026-07-28";

let by: Client;
beforeAll(async () => {
  by = await client();
});

/** A message as older clients send it. */
const send = (message: Json, headers: Record<string, string> = {}) =>
  by.send("POST", address, message, headers);
const older = (method: string, params?: Json) => ({ jsonrpc: "2.0", id: 7, method, params });

describe("The newest version of the protocol", () => {
  it("is discovered, with what the server can do", async () => {
    const { status, body } = await speak(by, "server/discover");
    expect([status, body.result]).toMatchObject([
      200,
      {
        resultType: "complete",
        supportedVersions: [modern],
        capabilities: { tools: {} },
        instructions: expect.stringContaining("list_forms"),
        cacheScope: "public",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "edge-forms" } },
      },
    ]);
  });

  it("says how long a list of tools may be kept, and that it is the caller's own", async () => {
    const { body } = await speak(by, "tools/list");
    expect(body.result).toMatchObject({ resultType: "complete", cacheScope: "private" });
    expect(body.result.ttlMs).toBeGreaterThan(0);
  });

  it("has headers that say what the body says, or the request is refused", async () => {
    const name = { name: "list_apps" };
    const cases: [Record<string, string>, number, number][] = [
      [{}, 200, 0],
      [{ "Mcp-Name": "=?base64?bGlzdF9hcHBz?=" }, 200, 0],
      [{ "Mcp-Name": "list_forms" }, 400, -32020],
      [{ "Mcp-Name": "=?base64?%%%?=" }, 400, -32020],
      [{ "Mcp-Name": "" }, 400, -32020],
      [{ "Mcp-Method": "tools/list" }, 400, -32020],
      [{ "MCP-Protocol-Version": "2025-11-25" }, 400, -32020],
    ];
    for (const [headers, status, code] of cases) {
      const answer = await speak(by, "tools/call", name, headers);
      expect([headers, answer.status, answer.body.error?.code ?? 0]).toEqual([
        headers,
        status,
        code,
      ]);
    }
    const { body } = request("tools/list");
    const lacking = await send(body, { "MCP-Protocol-Version": modern });
    expect([lacking.status, lacking.body.error.code]).toEqual([400, -32020]);
    const nothing = await send(body);
    expect([nothing.status, nothing.body.error.code]).toEqual([400, -32020]);
  });

  it("is said by each request, with what the client can do", async () => {
    const asked = { "MCP-Protocol-Version": modern, "Mcp-Method": "tools/list" };
    const capabilities = "io.modelcontextprotocol/clientCapabilities";
    for (const said of [
      undefined,
      {},
      { ...envelope, [capabilities]: undefined },
      { ...envelope, [capabilities]: 1 },
    ]) {
      const answer = await send(older("tools/list", { _meta: said }), asked);
      expect([said, answer.status, answer.body.error.code]).toEqual([said, 400, -32602]);
    }
  });

  it("is the only one of its kind: others are refused with those that there are", async () => {
    const version = "1900-01-01";
    const said = { ...envelope, "io.modelcontextprotocol/protocolVersion": version };
    for (const answer of [
      await send(older("tools/list", { _meta: said }), { "MCP-Protocol-Version": version }),
      await send(older("tools/list"), { "MCP-Protocol-Version": version }),
    ]) {
      expect([answer.status, answer.body.error]).toMatchObject([
        400,
        {
          code: -32022,
          data: { requested: version, supported: [modern, "2025-11-25", "2025-06-18"] },
        },
      ]);
    }
  });

  it("has no handshake, and what it does not have is not found", async () => {
    for (const method of ["initialize", "ping", "resources/list", "subscriptions/listen", "x"]) {
      const answer = await speak(by, method);
      expect([method, answer.status, answer.body.error.code]).toEqual([method, 404, -32601]);
    }
  });
});

describe("Older versions", () => {
  it("begin with a handshake, of which nothing is kept", async () => {
    const ask = async (protocolVersion: string) => {
      const { status, body, headers } = await send(older("initialize", { protocolVersion }));
      expect([status, headers.get("Mcp-Session-Id")]).toEqual([200, null]);
      return body.result;
    };
    expect(await ask("2025-06-18")).toMatchObject({
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "edge-forms" },
      instructions: expect.any(String),
    });
    expect((await ask("2025-11-25")).protocolVersion).toBe("2025-11-25");
    expect((await ask("2024-11-05")).protocolVersion).toBe("2025-11-25");
    const told = { jsonrpc: "2.0", method: "notifications/initialized" };
    const noted = await send(told, { "MCP-Protocol-Version": "2025-06-18" });
    expect([noted.status, noted.text]).toEqual([202, ""]);
  });

  it("answer as they do, without what came later", async () => {
    const headers = { "MCP-Protocol-Version": "2025-06-18" };
    expect((await send(older("ping"), headers)).body).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: {},
    });
    const { body } = await send(older("tools/list"), headers);
    expect(Object.keys(body.result)).toEqual(expect.arrayContaining(["tools"]));
    expect(body.result).not.toHaveProperty("resultType");
    expect(body.result).not.toHaveProperty("ttlMs");
    const unknown = await send(older("resources/list"), headers);
    expect([unknown.status, unknown.body.error.code]).toEqual([200, -32601]);
  });
});

describe("A message", () => {
  it("is one request or notification of JSON-RPC", async () => {
    const cases: [Json, number][] = [
      ["{", -32700],
      [[older("ping")], -32600],
      [[], -32600],
      [5, -32600],
      [{ id: 1, method: "ping" }, -32600],
      [{ jsonrpc: "2.0", id: 1 }, -32600],
      [{ jsonrpc: "2.0", id: 1, result: {} }, -32600],
      [{ jsonrpc: "2.0", id: null, method: "ping" }, -32600],
      [{ jsonrpc: "2.0", id: 1.5, method: "ping" }, -32600],
      [{ jsonrpc: "2.0", id: 1, method: "ping", params: [] }, -32600],
    ];
    for (const [message, code] of cases) {
      const answer = await send(message);
      expect([message, answer.status, answer.body.error.code]).toEqual([message, 400, code]);
    }
    const named = await send({ jsonrpc: "2.0", id: "a", method: 5 });
    expect(named.body.id).toBe("a");
  });

  it("that calls no tool that there is, or with no object, has wrong parameters", async () => {
    for (const params of [
      { name: "drop_tables" },
      { name: 5 },
      {},
      { name: "get_submission_x" },
      { name: "list_apps", arguments: [] },
    ]) {
      const answer = await send(older("tools/call", params));
      expect([params, answer.status, answer.body.error.code]).toEqual([params, 200, -32602]);
    }
  });

  it("is bounded as a body of the API is, and of its type", async () => {
    const large = await send(older("ping", { x: "x".repeat(1024 * 1024) }));
    expect([large.status, large.body.code]).toEqual([413, "too_large"]);
    const text = await send(older("ping"), { "Content-Type": "text/plain" });
    expect([text.status, text.body.code]).toEqual([415, "unsupported_media_type"]);
  });

  it("comes by POST alone", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = await by.send(method, address);
      expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "POST"]);
    }
  });
});

describe("Who asks", () => {
  const metadata = "/.well-known/oauth-protected-resource/mcp";

  it("is led to the authorization server where the credential is missing or wrong", async () => {
    const none = await anonymous("POST", "/mcp", older("ping"));
    const wrong = await anonymous("POST", "/mcp", older("ping"), { Authorization: "Bearer x" });
    for (const { status, headers } of [none, wrong]) {
      expect(status).toBe(401);
      expect(headers.get("WWW-Authenticate")).toContain(`, resource_metadata="${host}${metadata}"`);
    }
    const { body } = await anonymous("GET", metadata);
    expect(body).toMatchObject({
      resource: address,
      authorization_servers: [host],
      bearer_methods_supported: ["header"],
    });
    // Clients ask for all scopes that stand there, and are refused what they lack.
    expect(body).not.toHaveProperty("scopes_supported");
    const { body: server } = await anonymous("GET", "/.well-known/oauth-authorization-server");
    expect(server.issuer).toBe(body.authorization_servers[0]);
  });

  it("is led there in a page as well, of whatever origin; it is told nothing more", async () => {
    const Origin = "https://anybody.example";
    const wrong = { Origin, Authorization: "Bearer x" };
    const { id, token } = await issue({ origins: [] });
    await admin("POST", `/integrations/${id}/revoke`, {});
    const revoked = { Origin, Authorization: `Bearer ${token}` };
    for (const sent of [{ Origin }, wrong, revoked]) {
      const { status, headers } = await anonymous("POST", "/mcp", older("ping"), sent);
      expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([401, "*"]);
      expect(headers.get("Access-Control-Expose-Headers")).toContain("WWW-Authenticate");
    }
    for (const path of [metadata, "/.well-known/oauth-authorization-server"]) {
      const { status, headers } = await anonymous("GET", path, undefined, { Origin });
      expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([200, "*"]);
      const asked = { Origin, "Access-Control-Request-Method": "GET" };
      const first = await anonymous("OPTIONS", path, undefined, asked);
      expect([first.status, first.headers.get("Access-Control-Allow-Methods")]).toEqual([
        204,
        "GET",
      ]);
      const may = first.headers.get("Access-Control-Allow-Headers")?.toLowerCase();
      expect(may).toContain("mcp-protocol-version");
    }
  });

  it("is whoever has a personal token, or an access token narrowed by its scope", async () => {
    const issued = await issue({ kind: "client" });
    const narrow = new Caller(await accessToken(issued, "records:read"));
    const { body } = await speak(narrow, "tools/list");
    expect(body.result.tools.map(({ name }: Json) => name)).toEqual([
      "list_apps",
      "list_forms",
      "search_records",
      "get_record",
    ]);
  });

  it("comes from no page but those of allowed origins, and of the service", async () => {
    const shop = "https://shop.example";
    const shared = await client({ origins: [shop] });
    const from = (origin: string) => speak(shared, "tools/list", {}, { Origin: origin });
    const allowed = await from(shop);
    expect([allowed.status, allowed.headers.get("Access-Control-Allow-Origin")]).toEqual([
      200,
      shop,
    ]);
    expect((await from(host)).status).toBe(200);
    for (const origin of ["https://evil.example", "null", "http://shop.example"]) {
      const refused = await from(origin);
      expect([refused.status, refused.body]).toMatchObject([403, { error: { code: -32600 } }]);
      expect(refused.body).not.toHaveProperty("id");
      expect(refused.headers.get("Access-Control-Allow-Origin")).toBeNull();
    }
  });

  it("may be a page that asks first what it may send", async () => {
    const asked = {
      Origin: "https://shop.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "mcp-method",
    };
    const { status, headers } = await anonymous("OPTIONS", "/mcp", undefined, asked);
    expect([status, headers.get("Access-Control-Allow-Methods")]).toEqual([204, "POST"]);
    const may = headers.get("Access-Control-Allow-Headers")?.toLowerCase().split(", ");
    expect(may).toEqual(
      expect.arrayContaining(["mcp-protocol-version", "mcp-method", "mcp-name", "authorization"]),
    );
  });
});
