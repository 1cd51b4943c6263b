import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "../../../test/dev/server.ts";
import { EdgeForms } from "../src/index.ts";

const project = new URL("../../..", import.meta.url).pathname;
const run = promisify(execFile);
const example = (path: string) => join(project, "examples", path);

describe("Examples that use the client", () => {
  const server = new Server("killable");
  let client: EdgeForms;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    await server.start();
    // The examples must work within the default limits.
    const { token } = await server.credential();
    env = { ...process.env, EDGE_FORMS_URL: server.url, EDGE_FORMS_TOKEN: token };
    const highLimits = await server.credential("--requests", "100000", "--writes", "100000");
    client = new EdgeForms({ url: server.url, token: highLimits.token, retries: 20 });
  });
  afterAll(() => server.remove());

  it("imports all countries in batches, twice, and 0 differ", async () => {
    for (const outcomes of ["250 created, 0 updated, 0", "0 created, 0 updated, 250"]) {
      const args = [example("import-countries/import.ts"), "--url", server.url];
      const { stdout } = await run("node", args, { env });
      expect(stdout).toContain(`250 countries: ${outcomes} unchanged\n`);
      expect(stdout).toContain("250 records with 250 receipt numbers; 0 differ from the source.");
    }
  });

  it("stores the 300 orders of a night job once, in three requests", async () => {
    const existing = (await client.records("orders").list().toArray()).length;
    for (const _ of [1, 2]) {
      const { stdout } = await run("node", [example("night-job/run.ts")], { env });
      expect(stdout).toMatch(/^300 orders in 3 requests, \d+\.\d s\n$/);
    }
    expect(await client.records("orders").list().toArray()).toHaveLength(existing + 300);
  });

  it("shows the same two-way sync in the README, in at most 40 lines", () => {
    const program = readFileSync(example("two-way-sync/sync.ts"), "utf8");
    expect(readFileSync(join(project, "packages/client/README.md"), "utf8")).toContain(program);
    const codeLines = program.split("\n").filter((line) => !/^\s*(\/\/.*)?$/.test(line));
    expect(codeLines.length).toBeLessThanOrEqual(40);
  });

  it("completes a two-way sync although kill -9 hits either side", async () => {
    const fields = [
      { key: "code", type: "text", required: true, unique: true, max_length: 40 },
      { key: "name", type: "text" },
      { key: "stock", type: "number", integer: true },
    ];
    await client.request("PUT", "/apps/parts/schema", { body: { fields } });
    const parts = client.records("parts");
    await parts.create({ code: "old", name: "was there before", stock: 1 });
    const file = join(server.folder, "parts.db");
    const args = [example("two-way-sync/sync.ts"), file];
    const start = () => spawn("node", args, { env, stdio: "ignore" });
    let sync = start();
    const kill = async () => {
      const exited = new Promise((resolve) => sync.on("exit", resolve));
      sync.kill("SIGKILL");
      await exited;
    };
    while (!(await parts.search({}).toArray())[0] || !hasTable(file)) await wait(50);
    const local = new DatabaseSync(file, { timeout: 5000 });
    const upsertLocal =
      local.prepare(`INSERT INTO parts (code, name, stock) VALUES (?, ?, ?) ON CONFLICT DO
      UPDATE SET name = excluded.name, stock = excluded.stock, revision = revision + 1`);
    for (let round = 0; round < 40; round += 1) {
      upsertLocal.run(`ours ${round % 7}`, `ö${round}`, round);
      upsertLocal.run(`both ${round % 3}`, `we ${round}`, round);
      const remotePart = { code: `both ${(round + 1) % 3}`, name: `they ${round}`, stock: -round };
      const sameCodeWrite = parts.upsert("code", remotePart);
      const otherCodeWrite = parts.upsert("code", { code: `theirs ${round % 7}`, stock: round });
      if (round % 10 === 3) await kill();
      if (round === 15) await server.kill();
      if (round === 15) await server.start();
      if (round % 10 === 3) sync = start();
      await Promise.all([sameCodeWrite, otherCodeWrite]);
      await wait(100);
    }
    const selectParts = local.prepare("SELECT code, name, stock FROM parts ORDER BY code");
    const bothSides = async () => {
      const rows = (await parts.list().toArray()).map(({ data }) => data);
      const remoteRows = rows.toSorted((a, b) => (String(a["code"]) < String(b["code"]) ? -1 : 1));
      return [selectParts.all().map((row) => ({ ...row })), remoteRows] as const;
    };
    const deadline = Date.now() + 60_000;
    for (
      let [localRows, remoteRows] = await bothSides();
      Date.now() < deadline;
      [localRows, remoteRows] = await bothSides()
    ) {
      if (JSON.stringify(localRows) === JSON.stringify(remoteRows)) break;
      await wait(500);
    }
    const [localRows, remoteRows] = await bothSides();
    await kill();
    local.close();
    expect(localRows).toEqual(remoteRows);
    expect(localRows).toHaveLength(1 + 7 + 7 + 3);
    expect(localRows.find((row) => row["code"] === "ours 4")).toMatchObject({
      name: "ö39",
      stock: 39,
    });
  });

  it("shows the differences in the action's summary and applies them", async () => {
    // The folder is outside the project, because npm would treat the project as the root of the package.
    const folder = mkdtempSync(join(tmpdir(), "edge-forms-repository-"));
    mkdirSync(join(folder, "definitions/forms"), { recursive: true });
    const definition = { name: "Visits", fields: [{ key: "visitor", type: "text" }] };
    const file = join(folder, "definitions/forms/visits.json");
    writeFileSync(file, JSON.stringify(definition));
    const action = readFileSync(example("github-action/definitions.yml"), "utf8");
    const steps = [...action.matchAll(/^ {8}run: \|\n((?: {10}.*\n)+)/gm)].map(
      ([, step = ""]) => step,
    );
    expect(steps).toHaveLength(2);
    const [, tarball = ""] = /^ {2}CLIENT: (.*)$/m.exec(action) ?? [];
    mkdirSync(join(folder, "tools"));
    const pack = ["pack", "--silent", "--pack-destination", join(folder, "tools")];
    await run("npm", pack, { cwd: join(project, "packages/client") });
    const summary = join(folder, "summary.md");
    // These settings make a download fail.
    const npmSettings = {
      npm_config_offline: "true",
      npm_config_cache: join(folder, "cache"),
    };
    const stepEnv = { ...env, ...npmSettings, CLIENT: tarball, GITHUB_STEP_SUMMARY: summary };
    const options = { cwd: folder, env: stepEnv };
    const step = async (index: number) => run("bash", ["-e", "-c", steps[index] ?? ""], options);
    await step(0);
    expect(readFileSync(summary, "utf8")).toContain("form visits: new\n  + visitor (text)");
    expect((await step(1)).stdout).toContain("form visits: created, version 1.");
    rmSync(summary);
    await step(0);
    expect(readFileSync(summary, "utf8")).toContain("0 to create, 0 to change, 1 unchanged.");
    writeFileSync(file, "{");
    await expect(step(0)).rejects.toMatchObject({
      stderr: expect.stringContaining("is not valid JSON"),
    });
    rmSync(folder, { recursive: true });
  });
});

function hasTable(file: string): boolean {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    const [row] = database.prepare("SELECT * FROM sqlite_master WHERE name = 'parts'").all();
    database.close();
    return row !== undefined;
  } catch {
    return false;
  }
}
