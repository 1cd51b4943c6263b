import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findBackup } from "../../../src/dev/deploy/backup-files.ts";
import { splitSql } from "../../../src/dev/deploy/split-sql.ts";
import { commandOfWorkflow, commandsOf } from "./commands.ts";
import { Operator } from "./operator.ts";

// Each command takes a second, and many seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const operator = new Operator();
const { account } = operator.cloud;
const read = (name: string) => readFileSync(join(operator.checkout, name), "utf8");
const partBytes = 8000;
/** The commands of the guide. */
const [store = "", download = ""] = commandsOf("docs/deployment.md", "Store backups in R2");
const options = `--jurisdiction eu --part-bytes ${partBytes}`;

beforeAll(async () => {
  await operator.start();
  await operator.run(`
    npm run deploy -- --jurisdiction eu
    npm run databases -- add --jurisdiction eu --yes`);
  const noise = `INSERT INTO d1_migrations (name) VALUES (hex(randomblob(${partBytes})))`;
  await operator.query("DB", noise);
});
afterAll(() => operator.stop());

describe("A backup in a bucket", () => {
  it("consists of objects that Cloudflare accepts, and has the settings", async () => {
    account.maxObjectBytes = partBytes;
    const folder = join(operator.checkout, "runner");
    mkdirSync(folder);
    const runner = { CI: "true", RUNNER_TEMP: folder, BUCKET: "weekly", JURISDICTION: "eu" };
    const command = `${commandOfWorkflow("backup.yml")} --part-bytes ${partBytes}`;
    const output = await operator.run(command, runner);
    const [, name = ""] = /--download (\S+)/.exec(output) ?? [];
    expect(account.buckets.get("weekly")).toBe("eu");
    const keys = [...account.objects.keys()];
    expect(keys.filter((key) => key.includes("backup.DB.sql.gz.")).length).toBeGreaterThan(1);
    expect(keys).toContain(`weekly/${name}/backup.DATA_01.sql.gz.001`);
    const manifest = account.objects.get(`weekly/${name}/manifest.json`)?.toString() ?? "";
    expect(JSON.parse(manifest).settings.d1_databases).toEqual(operator.settings().d1_databases);
    expect(manifest).not.toContain(account.secretsOf("edge-forms").get("TOKEN_SECRET"));
    // A runner may not have room for the exports of all databases.
    expect(readdirSync(folder)).toEqual([]);
  });

  it("checks an export in the jurisdiction of its database, and leaves nothing behind", async () => {
    const bodies = operator.cloud.bodies("POST /accounts/ours/d1/database");
    const scratch = bodies.filter((body) => body.includes("-backup-check"));
    expect(scratch).toHaveLength(2);
    for (const body of scratch) expect(JSON.parse(body)).toMatchObject({ jurisdiction: "eu" });
    expect(account.databases.size).toBe(2);
  });

  it("warns when a database has a jurisdiction, and the bucket has none", async () => {
    const line = `npm run backup -- --bucket elsewhere --part-bytes ${partBytes}`;
    expect(await operator.run(line)).toContain(
      "DATA_01 is in the jurisdiction eu, but the bucket elsewhere is not.",
    );
  });

  it("keeps the backup that the folder already has", async () => {
    const file = join(operator.checkout, "backup.DB.sql");
    writeFileSync(file, "-- an earlier backup");
    await operator.run(`npm run backup -- --bucket weekly ${options}`);
    expect(readFileSync(file, "utf8")).toBe("-- an earlier backup");
    rmSync(file);
  });

  it("has no manifest when an export lacks rows, and the command names the table", async () => {
    const before = account.objects.size;
    account.isExported = (statement) => !statement.startsWith('INSERT INTO "d1_migrations"');
    await expect(operator.run(`npm run backup -- --bucket weekly ${options}`)).rejects.toThrow(
      /backup\.DB\.sql is incomplete\. d1_migrations: 0 rows, not \d+\./,
    );
    account.isExported = () => true;
    expect(account.objects.size).toBe(before);
    expect(account.databases.size).toBe(2);
  });

  it("is joined again by --download, unless a part is damaged", async () => {
    const output = await operator.run(`${store} ${options}`);
    const [, name = ""] = /--download (\S+)/.exec(output) ?? [];
    const command = `${download.replace("2026-11-22T02-17-00Z", name)} ${options}`;
    await operator.run(`${command}\nnpm run backup -- --output now.sql`);
    expect(read("backup.DB.sql")).toBe(read("now.DB.sql"));
    expect(read("backup.DATA_01.sql")).toBe(read("now.DATA_01.sql"));
    const key = `edge-forms-backups/${name}/backup.DB.sql.gz.002`;
    account.objects.set(key, Buffer.from("something else"));
    await expect(operator.run(command)).rejects.toThrow(
      "backup.DB.sql.gz differs from what was stored",
    );
    account.objects.delete(key);
    await expect(operator.run(command)).rejects.toThrow(
      `has no ${name}/backup.DB.sql.gz.002 (404)`,
    );
  });
});

describe("The files of a backup", () => {
  it("are found from the rows of the directory, and not from a text that looks like one", async () => {
    const write = (name: string, lines: string[] = []) =>
      writeFileSync(join(operator.checkout, name), `${lines.join(";\n")};\n-- restores: 12\n`);
    write("found.DB.sql", [
      `INSERT INTO "item" VALUES (1, 'a\nINSERT INTO "placement" VALUES (1, ''DATA_09'');\n')`,
      `INSERT INTO "placement" ("collection_id","database") VALUES(1,'DATA_02'),(2,'DATA_01')`,
      `INSERT INTO "data_database" ("name","location","used_from") VALUES('DATA_01','eu',0)`,
      `INSERT INTO "data_database" VALUES ('DATA_03',NULL,9007199254740991)`,
    ]);
    for (const number of [1, 2, 3]) write(`found.DATA_0${number}.sql`);
    const { files, places, restores } = await findBackup(join(operator.checkout, "found.DB.sql"));
    expect(Object.fromEntries(places)).toEqual({ DATA_01: "eu", DATA_02: null, DATA_03: null });
    expect(files.get("DATA_03")).toBe(join(operator.checkout, "found.DATA_03.sql"));
    expect(restores).toBe(12);
  });
});

describe("An export that is larger than an import may be", () => {
  const statements = [
    `CREATE TABLE note (id, -- a comment; the owner's\n text)`,
    `INSERT INTO "note" VALUES (1, 'a; ''b''; -- c\n')`,
    `INSERT INTO "odd;name" VALUES ("x")`,
    `INSERT INTO note VALUES (2, '${"é;".repeat(60_000)}')`,
    `INSERT INTO note VALUES (3, 'last')`,
  ];

  it("is cut between statements, and only there", async () => {
    const path = join(operator.checkout, "large.sql");
    const text = statements.map((statement) => `${statement};`).join("\n");
    writeFileSync(path, text);
    const parts: string[] = [];
    for await (const part of splitSql(path, 20)) parts.push(readFileSync(part, "utf8"));
    expect(parts.join("")).toBe(text);
    expect(parts.map((part) => part.trim())).toEqual(statements.map((each) => `${each};`));
    expect(operator.has("large.sql.1")).toBe(false);
  });

  it("ends each part with a statement that tells which part was imported", async () => {
    const path = join(operator.checkout, "large.sql");
    const parts: string[] = [];
    const endPart = (number: number) => `INSERT INTO step VALUES (${number});`;
    for await (const part of splitSql(path, 20, endPart)) parts.push(readFileSync(part, "utf8"));
    expect(parts.map((part) => part.trim())).toEqual(
      statements.map((each, index) => `${each};\n${endPart(index + 1)}`),
    );
    const whole: string[] = [];
    for await (const part of splitSql(path, undefined, endPart))
      whole.push(readFileSync(part, "utf8"));
    const text = statements.map((each) => `${each};`).join("\n");
    expect(whole).toEqual([`${text}\n${endPart(1)}\n`]);
  });

  it("is imported as it is when it is small enough", async () => {
    const path = join(operator.checkout, "large.sql");
    const parts: string[] = [];
    for await (const part of splitSql(path)) parts.push(part);
    expect(parts).toEqual([path]);
  });
});
