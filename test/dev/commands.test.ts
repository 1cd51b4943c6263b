import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
