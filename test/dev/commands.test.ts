import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const project = new URL("../..", import.meta.url).pathname;
const scripts = ["serve", "credential", "deploy", "rotate", "restore"];
const run = (script: string, ...options: string[]) =>
  spawnSync("node", [`src/dev/${script}.ts`, ...options], { cwd: project, encoding: "utf8" });

describe("The commands", () => {
  it.each(scripts)("print their options with --help: %s", (script) => {
    const { status, stdout, stderr } = run(script, "--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^ {2}--\w+/m);
  });

  it.each(scripts)("stop with a message and no stack trace for an unknown option: %s", (script) => {
    const { status, stdout, stderr } = run(script, "--bogus");
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("Unknown option '--bogus'.");
    expect(stderr).not.toContain("    at ");
  });
});

describe("npm run deploy -- --from", () => {
  it("refuses a backup of one of several databases before it creates anything", () => {
    const folder = mkdtempSync(join(tmpdir(), "edge-forms-"));
    const file = join(folder, "backup.DB.sql");
    const row = `INSERT INTO "placement" ("collection_id","database") VALUES(6,'DATA_02');`;
    writeFileSync(file, `PRAGMA defer_foreign_keys=TRUE;\n${row}\n`);
    const { status, stdout, stderr } = run("deploy", "--env", "copy", "--from", file);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("has apps and forms in DATA_02. Move them to DB");
    expect(existsSync(join(project, "wrangler.copy.json"))).toBe(false);
    rmSync(folder, { recursive: true });
  });
});

describe("npm run dev", () => {
  const sent: string[] = [];
  let other: Server;
  beforeAll(async () => {
    other = createServer((socket) => socket.on("data", (chunk) => sent.push(String(chunk))));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => other.close());

  it("sends nothing to another server on its port, and names --port", async () => {
    const { port } = other.address() as AddressInfo;
    const output = await new Promise<string>((resolve) => {
      const child = spawn("node", ["src/dev/serve.ts", "--port", `${port}`], { cwd: project });
      let text = "";
      child.stderr.on("data", (chunk) => (text += String(chunk)));
      child.on("exit", (code) => resolve(`${code} ${text}`));
    });
    expect(output).toBe(
      `1 Port ${port} is in use. Choose another one: npm run dev -- --port ${port + 1}\n`,
    );
    expect(sent).toEqual([]);
  });
});

describe("Plain wrangler dev on a fresh clone", () => {
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-fresh-"));
  const paths = ["src", "migrations", "node_modules", "package.json", "wrangler.toml"];
  for (const path of paths) symlinkSync(join(project, path), join(folder, path));
  let child: ChildProcess;
  let output = "";
  let url = "";
  beforeAll(async () => {
    const options = ["dev", "--port=0", "--inspector-port=0", "--ip=127.0.0.1"];
    child = spawn("wrangler", options, { cwd: folder, detached: true });
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output += chunk.toString();
        url = /Ready on (http:\S+)/.exec(output)?.[1] ?? "";
        if (url !== "") resolve();
      };
      child.stdout?.on("data", read);
      child.stderr?.on("data", read);
      child.on("exit", () => reject(new Error(output)));
    });
  });
  afterAll(() => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it("names what is missing and npm run dev on a page, in /health?deep and in the log", async () => {
    const headers = { Accept: "text/html" };
    const page = await fetch(`${url}/admin/sign-in`, { headers });
    expect(page.status).toBe(503);
    const reason = /lacks the secrets TOKEN_SECRET and SETUP_SECRET.*npm run dev/;
    expect(await page.text()).toMatch(reason);
    const health = await fetch(`${url}/health?deep`);
    expect([health.status, await health.text()]).toEqual([503, expect.stringMatching(reason)]);
    await expect.poll(() => output).toMatch(/"event":"not_set_up".*npm run dev/);
  });
});
