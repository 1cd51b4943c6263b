import { beforeAll, describe, expect, it } from "vitest";
import { host, type Client, type Json } from "../support/client";
import { accessToken } from "../support/oauth";
import { admin, anonymous, client, issue } from "../support/service";
import { envelope, request, speak } from "./mcp-client";
import { Client as Caller } from "../support/client";

const address = `${host}/mcp`;
const newestVersion = "2026-07-28";

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

/** Sends a message as older clients do. */
const send = (message: Json, headers: Record<string, string> = {}) =>
  integrator.send("POST", address, message, headers);
const olderMessage = (method: string, params?: Json) => ({ jsonrpc: "2.0", id: 7, method, params });

describe("The newest protocol version", () => {
  it("describes its capabilities in server/discover", async () => {
    const { status, body } = await speak(integrator, "server/discover");
    expect([status, body.result]).toMatchObject([
      200,
      {
        resultType: "complete",
        supportedVersions: [newestVersion],
        capabilities: { tools: {} },
        instructions: expect.stringContaining("list_forms"),
        cacheScope: "public",
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "edge-forms" } },
      },
    ]);
  });

  it("returns the tool list with a lifetime and a private cache scope", async () => {
    const { body } = await speak(integrator, "tools/list");
    expect(body.result).toMatchObject({ resultType: "complete", cacheScope: "private" });
    expect(body.result.ttlMs).toBeGreaterThan(0);
  });

  it("returns 400 when headers and body disagree", async () => {
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
      const answer = await speak(integrator, "tools/call", name, headers);
      expect([headers, answer.status, answer.body.error?.code ?? 0]).toEqual([
        headers,
        status,
        code,
      ]);
    }
    const { body } = request("tools/list");
    const withoutMethod = await send(body, { "MCP-Protocol-Version": newestVersion });
    expect([withoutMethod.status, withoutMethod.body.error.code]).toEqual([400, -32020]);
    const withoutVersion = await send(body);
    expect([withoutVersion.status, withoutVersion.body.error.code]).toEqual([400, -32020]);
  });

  it("returns 400 to a request without the client's capabilities", async () => {
    const headers = { "MCP-Protocol-Version": newestVersion, "Mcp-Method": "tools/list" };
    const capabilities = "io.modelcontextprotocol/clientCapabilities";
    for (const meta of [
      undefined,
      {},
      { ...envelope, [capabilities]: undefined },
      { ...envelope, [capabilities]: 1 },
    ]) {
      const answer = await send(olderMessage("tools/list", { _meta: meta }), headers);
      expect([meta, answer.status, answer.body.error.code]).toEqual([meta, 400, -32602]);
    }
  });

  it("returns 400 with the supported versions to an unknown version", async () => {
    const version = "1900-01-01";
    const meta = { ...envelope, "io.modelcontextprotocol/protocolVersion": version };
    for (const answer of [
      await send(olderMessage("tools/list", { _meta: meta }), { "MCP-Protocol-Version": version }),
      await send(olderMessage("tools/list"), { "MCP-Protocol-Version": version }),
    ]) {
      expect([answer.status, answer.body.error]).toMatchObject([
        400,
        {
          code: -32022,
          data: { requested: version, supported: [newestVersion, "2025-11-25", "2025-06-18"] },
        },
      ]);
    }
  });

  it("returns 404 to initialize and to unknown methods", async () => {
    for (const method of ["initialize", "ping", "resources/list", "subscriptions/listen", "x"]) {
      const answer = await speak(integrator, method);
      expect([method, answer.status, answer.body.error.code]).toEqual([method, 404, -32601]);
    }
  });
});

describe("Older protocol versions", () => {
  it("start with a stateless handshake", async () => {
    const initialize = async (protocolVersion: string) => {
      const { status, body, headers } = await send(olderMessage("initialize", { protocolVersion }));
      expect([status, headers.get("Mcp-Session-Id")]).toEqual([200, null]);
      return body.result;
    };
    expect(await initialize("2025-06-18")).toMatchObject({
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "edge-forms" },
      instructions: expect.any(String),
    });
    expect((await initialize("2025-11-25")).protocolVersion).toBe("2025-11-25");
    expect((await initialize("2024-11-05")).protocolVersion).toBe("2025-11-25");
    const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
    const acceptance = await send(notification, { "MCP-Protocol-Version": "2025-06-18" });
    expect([acceptance.status, acceptance.text]).toEqual([202, ""]);
  });

  it("return results without members of the newest version", async () => {
    const headers = { "MCP-Protocol-Version": "2025-06-18" };
    expect((await send(olderMessage("ping"), headers)).body).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: {},
    });
    const { body } = await send(olderMessage("tools/list"), headers);
    expect(Object.keys(body.result)).toEqual(expect.arrayContaining(["tools"]));
    expect(body.result).not.toHaveProperty("resultType");
    expect(body.result).not.toHaveProperty("ttlMs");
    const unknownMethod = await send(olderMessage("resources/list"), headers);
    expect([unknownMethod.status, unknownMethod.body.error.code]).toEqual([200, -32601]);
  });
});

describe("Messages", () => {
  it("return 400 unless they are a single JSON-RPC request or notification", async () => {
    const cases: [Json, number][] = [
      ["{", -32700],
      [[olderMessage("ping")], -32600],
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
    const rejection = await send({ jsonrpc: "2.0", id: "a", method: 5 });
    expect(rejection.body.id).toBe("a");
  });

  it("return -32602 for an unknown tool and for arguments that are no object", async () => {
    for (const params of [
      { name: "drop_tables" },
      { name: 5 },
      {},
      { name: "get_submission_x" },
      { name: "list_apps", arguments: [] },
    ]) {
      const answer = await send(olderMessage("tools/call", params));
      expect([params, answer.status, answer.body.error.code]).toEqual([params, 200, -32602]);
    }
  });

  it("return 413 and 415 like bodies of the API", async () => {
    const large = await send(olderMessage("ping", { x: "x".repeat(1024 * 1024) }));
    expect([large.status, large.body.code]).toEqual([413, "too_large"]);
    const text = await send(olderMessage("ping"), { "Content-Type": "text/plain" });
    expect([text.status, text.body.code]).toEqual([415, "unsupported_media_type"]);
  });

  it("return 405 to methods other than POST", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = await integrator.send(method, address);
      expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "POST"]);
    }
  });
});

describe("Authentication and origins", () => {
  const metadata = "/.well-known/oauth-protected-resource/mcp";

  it("returns 401 with the resource metadata to a missing or invalid credential", async () => {
    const missingCredential = await anonymous("POST", "/mcp", olderMessage("ping"));
    const invalidCredential = await anonymous("POST", "/mcp", olderMessage("ping"), {
      Authorization: "Bearer x",
    });
    for (const { status, headers } of [missingCredential, invalidCredential]) {
      expect(status).toBe(401);
      expect(headers.get("WWW-Authenticate")).toContain(`, resource_metadata="${host}${metadata}"`);
    }
    const { body } = await anonymous("GET", metadata);
    expect(body).toMatchObject({
      resource: address,
      authorization_servers: [host],
      bearer_methods_supported: ["header"],
    });
    // Clients would request every listed scope, and get an error for those that they lack.
    expect(body).not.toHaveProperty("scopes_supported");
    const { body: server } = await anonymous("GET", "/.well-known/oauth-authorization-server");
    expect(server.issuer).toBe(body.authorization_servers[0]);
  });

  it("allows every origin to read the 401 and the metadata", async () => {
    const Origin = "https://anybody.example";
    const invalidHeaders = { Origin, Authorization: "Bearer x" };
    const { id, token } = await issue({ origins: [] });
    await admin("POST", `/integrations/${id}/revoke`, {});
    const revokedHeaders = { Origin, Authorization: `Bearer ${token}` };
    for (const requestHeaders of [{ Origin }, invalidHeaders, revokedHeaders]) {
      const { status, headers } = await anonymous(
        "POST",
        "/mcp",
        olderMessage("ping"),
        requestHeaders,
      );
      expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([401, "*"]);
      expect(headers.get("Access-Control-Expose-Headers")).toContain("WWW-Authenticate");
    }
    for (const path of [metadata, "/.well-known/oauth-authorization-server"]) {
      const { status, headers } = await anonymous("GET", path, undefined, { Origin });
      expect([status, headers.get("Access-Control-Allow-Origin")]).toEqual([200, "*"]);
      const preflightHeaders = { Origin, "Access-Control-Request-Method": "GET" };
      const preflight = await anonymous("OPTIONS", path, undefined, preflightHeaders);
      expect([preflight.status, preflight.headers.get("Access-Control-Allow-Methods")]).toEqual([
        204,
        "GET",
      ]);
      const allowedHeaders = preflight.headers.get("Access-Control-Allow-Headers")?.toLowerCase();
      expect(allowedHeaders).toContain("mcp-protocol-version");
    }
  });

  it("lists only the tools within the scope of an access token", async () => {
    const apiClient = await issue({ kind: "client" });
    const narrowClient = new Caller(await accessToken(apiClient, "records:read"));
    const { body } = await speak(narrowClient, "tools/list");
    expect(body.result.tools.map(({ name }: Json) => name)).toEqual([
      "list_apps",
      "list_forms",
      "search_records",
      "aggregate_records",
      "get_record",
      "get_file_link",
    ]);
  });

  it("returns 403 to browsers, except from allowed origins and the service itself", async () => {
    const shop = "https://shop.example";
    const browserClient = await client({ origins: [shop] });
    const listToolsFrom = (origin: string) =>
      speak(browserClient, "tools/list", {}, { Origin: origin });
    const allowed = await listToolsFrom(shop);
    expect([allowed.status, allowed.headers.get("Access-Control-Allow-Origin")]).toEqual([
      200,
      shop,
    ]);
    expect((await listToolsFrom(host)).status).toBe(200);
    for (const origin of ["https://evil.example", "null", "http://shop.example"]) {
      const rejection = await listToolsFrom(origin);
      expect([rejection.status, rejection.body]).toMatchObject([403, { error: { code: -32600 } }]);
      expect(rejection.body).not.toHaveProperty("id");
      expect(rejection.headers.get("Access-Control-Allow-Origin")).toBeNull();
    }
  });

  it("returns 204 with the allowed headers to a preflight", async () => {
    const preflightHeaders = {
      Origin: "https://shop.example",
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "mcp-method",
    };
    const { status, headers } = await anonymous("OPTIONS", "/mcp", undefined, preflightHeaders);
    expect([status, headers.get("Access-Control-Allow-Methods")]).toEqual([204, "POST"]);
    const allowedHeaders = headers.get("Access-Control-Allow-Headers")?.toLowerCase().split(", ");
    expect(allowedHeaders).toEqual(
      expect.arrayContaining(["mcp-protocol-version", "mcp-method", "mcp-name", "authorization"]),
    );
  });
});
