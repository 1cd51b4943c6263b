import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { project } from "./commands.ts";
import { Operator } from "./operator.ts";

// Each command takes a second, and many seconds on a busy machine.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 });

const operator = new Operator();
beforeAll(async () => {
  await operator.start();
  await operator.run("npm run deploy -- --location weur");
});
afterAll(() => operator.stop());

const notYet = Number.MAX_SAFE_INTEGER;
const sites = async () => {
  const sql = "SELECT name, location, used_from FROM data_database";
  return operator.query("DB", sql).catch(() => []);
};

it("`databases -- add`, killed after each of its calls and run again, adds one database", async () => {
  const line = "npm run databases -- add --jurisdiction eu --yes";
  const calls = new Set<string>();
  while (await operator.runUntilNewCall(line, calls)) {
    // The last call lets the service use the database. Until then, nothing does.
    const isLast = [...calls].at(-1)?.includes("UPDATE data_database SET used_from") === true;
    for (const site of await sites()) expect(site["used_from"] === notYet).toBe(!isLast);
  }
  expect(calls.size).toBeGreaterThan(10);
  for (const part of [
    "INSERT OR IGNORE INTO data_database",
    "UPDATE data_database",
    "create table",
  ])
    expect([...calls].some((call) => call.toLowerCase().includes(part.toLowerCase()))).toBe(true);
  const databases = [...operator.cloud.account.databases.values()];
  expect(databases.map(({ name, jurisdiction }) => [name, jurisdiction])).toEqual([
    ["edge-forms", undefined],
    ["edge-forms-data-01-eu", "eu"],
  ]);
  expect(operator.settings().d1_databases).toMatchObject([
    { binding: "DB", database_id: databases[0]?.uuid },
    { binding: "DATA_01", database_id: databases[1]?.uuid },
  ]);
  expect(await sites()).toEqual([
    { name: "DATA_01", location: "eu", used_from: expect.any(Number) },
  ]);
  const migrations = readdirSync(join(project, "migrations")).toSorted();
  for (const binding of ["DB", "DATA_01"]) {
    const applied = await operator.query(binding, "SELECT name FROM d1_migrations ORDER BY name");
    expect(applied.map(({ name }) => name)).toEqual(migrations);
  }
});
