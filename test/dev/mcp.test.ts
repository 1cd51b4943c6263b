import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "./server.ts";

const project = new URL("../..", import.meta.url).pathname;
const run = promisify(execFile);

describe("What assistants do with /mcp", () => {
  const server = new Server(8799);
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    await server.start();
    const { token } = await server.credential();
    // It lacks most permissions: it is to be given those that it has.
    const permissions = "submissions:read,submissions:create,schema:read";
    const narrow = ["--permissions", permissions, "--resources", "form:purchase"];
    const shop = await server.credential("--kind", "client", ...narrow);
    const CLIENT = `${shop.client_id}:${shop.client_secret}`;
    env = { ...process.env, URL: server.url, TOKEN: token, CLIENT };
  });
  afterAll(() => server.remove());

  it("by the official client library: a submission is made and found, in each version, by each credential", async () => {
    const { stdout } = await run("node", [join(project, "test/clients/mcp-client.ts")], { env });
    const rest =
      "needs title,department,amount; /data/amount invalid_type; /data/department required; 1 found, the same";
    expect(stdout.trim().split("\n")).toEqual([
      `2026-07-28; 19 tools; ${rest}`,
      `2025-11-25; 19 tools; ${rest}`,
      `2026-07-28; 10 tools; ${rest}`,
      `2025-11-25; 10 tools; ${rest}`,
      expect.stringContaining("drop_tables"),
    ]);
  });

  it("by the inspector: it lists the tools, finds no fault with their schemas, and calls one", async () => {
    const inspect = async (...args: string[]) => {
      const header = ["--header", `Authorization: Bearer ${env["TOKEN"]}`];
      const target = ["--cli", `${server.url}/mcp`, "--transport", "http", "--format", "json"];
      const own = { ...env, HOME: server.folder };
      const inspector = join(project, "node_modules/.bin/mcp-inspector");
      const { stdout } = await run(inspector, [...target, ...header, ...args], { env: own });
      return JSON.parse(stdout).result;
    };
    // It ends with another status where a schema has an error.
    const { tools } = await inspect("--method", "tools/list", "--strict");
    expect(tools.length).toBe(19);
    const call = ["--method", "tools/call", "--tool-name", "list_forms"];
    const { structuredContent } = await inspect(...call);
    expect(structuredContent.items).toMatchObject([{ key: "purchase" }]);
  });
});
