import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const project = new URL("../..", import.meta.url).pathname;
const run = (script: string, ...options: string[]) =>
  spawnSync("node", [`src/dev/${script}.ts`, ...options], { cwd: project, encoding: "utf8" });

const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
/** Scripts that only run tools of others, or other scripts. */
const withoutOptions = ["types", "check", "check:bindings", "check:types", "fix", "verify"];

/** Runs a script of package.json. npm would start each in half a second. */
function runScript(name: string, option: string) {
  const command = name === "client" ? "node packages/client/build.ts" : (scripts[name] ?? "");
  return spawnSync("sh", ["-c", `${command} ${option}`], { cwd: project, encoding: "utf8" });
}

const names = Object.keys(scripts).filter((name) => !withoutOptions.includes(name));
describe.each(names)("npm run %s", (name) => {
  it("prints its usage with --help", () => {
    const { status, stdout, stderr } = runScript(name, "--help");
    expect([status, stderr]).toEqual([0, ""]);
    const command = name.startsWith("test") ? "test" : name;
    expect(stdout).toMatch(
      new RegExp(`^Usage: npm (run )?(-s )?${command}\\b[^]*\\n\\n[A-Z][^]*\\.`),
    );
  });

  it("stops with one line for an unknown option", () => {
    const { status, stdout, stderr } = runScript(name, "--bogus");
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^Unknown option \S+--bogus\S\. See --help\.\n$/);
  });
});

it.each([
  ["npm run databases", "databases", "bogus", "Unknown command 'bogus'. See --help."],
  ["npm run bench", "bench", "bogus", "There is no part 'bogus'. See --help."],
  ["npm run bench:profile", "bench:profile", "bogus", "There is no operation 'bogus'. See --help."],
  ["npm run dev", "dev", "bogus", "Unexpected argument 'bogus'. See --help."],
])("%s stops with one line for an unknown argument", (_, name, argument, message) => {
  const { status, stdout, stderr } = runScript(name, argument);
  expect([status, stdout, stderr]).toEqual([1, "", `${message}\n`]);
});

describe("npm run deploy -- --from", () => {
  it("names the missing files of a backup before it creates anything", () => {
    const folder = mkdtempSync(join(tmpdir(), "edge-forms-"));
    const file = join(folder, "backup.DB.sql");
    const row = `INSERT INTO "placement" ("collection_id","database") VALUES(6,'DATA_02');`;
    writeFileSync(file, `PRAGMA defer_foreign_keys=TRUE;\n${row}\n`);
    const { status, stdout, stderr } = run("deploy", "--env", "copy", "--from", file);
    expect([status, stdout]).toEqual([1, ""]);
    const missing = join(folder, "backup.DATA_02.sql");
    expect(stderr).toContain(
      `These files of the backup are missing: ${missing}. Nothing was created.`,
    );
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
