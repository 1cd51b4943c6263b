import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "./server.ts";

const project = new URL("../..", import.meta.url).pathname;
const run = promisify(execFile);

describe("MCP clients", () => {
  const server = new Server();
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential();
    // This client lacks most permissions, so /mcp must offer only some of the tools.
    const permissions = "submissions:read,submissions:create,schema:read";
    const limits = ["--permissions", permissions, "--resources", "form:purchase"];
    const apiClient = await server.credential("--kind", "client", ...limits);
    const CLIENT = `${apiClient.client_id}:${apiClient.client_secret}`;
    env = { ...process.env, URL: server.url, TOKEN: token, CLIENT };
  });
  afterAll(() => server.remove());

  it("creates and finds a submission with the official library, in each version and with each credential", async () => {
    const { stdout } = await run("node", [join(project, "test/clients/mcp-client.ts")], { env });
    const steps =
      "needs title,department,amount; /data/amount invalid_type; /data/department required; 1 found, the same";
    expect(stdout.trim().split("\n")).toEqual([
      `2026-07-28; 37 tools; ${steps}`,
      `2025-11-25; 37 tools; ${steps}`,
      `2026-07-28; 13 tools; ${steps}`,
      `2025-11-25; 13 tools; ${steps}`,
      expect.stringContaining("drop_tables"),
    ]);
  });

  it("lists tools, validates their schemas and calls one with the inspector", async () => {
    const inspect = async (...args: string[]) => {
      const header = ["--header", `Authorization: Bearer ${env["TOKEN"]}`];
      const target = ["--cli", `${server.url}/mcp`, "--transport", "http", "--format", "json"];
      const inspectorEnv = { ...env, HOME: server.folder };
      const inspector = join(project, "node_modules/.bin/mcp-inspector");
      const { stdout } = await run(inspector, [...target, ...header, ...args], {
        env: inspectorEnv,
      });
      return JSON.parse(stdout).result;
    };
    // The inspector exits with an error if a schema is invalid.
    const { tools } = await inspect("--method", "tools/list", "--strict");
    expect(tools.length).toBe(37);
    const call = ["--method", "tools/call", "--tool-name", "list_forms"];
    const { structuredContent } = await inspect(...call);
    expect(structuredContent.items).toContainEqual(expect.objectContaining({ key: "purchase" }));
  });
});
