import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "./server.ts";

const run = promisify(execFile);
const cwd = join(new URL("../..", import.meta.url).pathname, "examples/python");
const highLimits = ["--requests", "100000", "--writes", "100000"];

describe("Python client", () => {
  const server = new Server();
  beforeAll(async () => {
    await server.start();
  });
  afterAll(() => server.remove());

  it("has Python 3.10 or newer on this machine", async () => {
    const { stdout } = await run("python3", ["-c", "import sys; print(sys.version_info[:2])"]);
    expect(stdout).toMatch(/^\(3, [1-9]\d\)/);
  });

  it("passes its own tests against the running service, despite simulated failures", async () => {
    const { token } = await server.credential(...highLimits);
    const client: unknown = await server.credential("--kind", "client", ...highLimits);
    const { client_id, client_secret } = client as Record<string, string>;
    const serviceEnv = {
      URL: server.url,
      TOKEN: token,
      CLIENT_ID: client_id,
      CLIENT_SECRET: client_secret,
    };
    const env = { ...process.env, ...serviceEnv, PYTHONDONTWRITEBYTECODE: "1" };
    const { stderr } = await run("python3", ["-W", "error", "-m", "unittest", "-v"], { cwd, env });
    expect(stderr).toMatch(/Ran \d\d tests in [^]*\nOK\n$/);
  }, 400_000);
});
