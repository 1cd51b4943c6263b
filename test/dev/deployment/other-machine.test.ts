import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { UploadedBinding } from "./runtime.ts";
import { Operator } from "./operator.ts";

// Each command takes a second, and many seconds on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const operator = new Operator();
const { account, calls } = operator.cloud;
const runner = { CI: "true" };
const worker = "edge-forms";

/** The bindings of the newest version of the Worker by name, without secrets. */
const bindings = (): UploadedBinding[] =>
  newest()
    .bindings.filter(({ type }) => type !== "secret_text")
    .toSorted((a, b) => a.name.localeCompare(b.name));

/** The newest version of the Worker. */
function newest() {
  const [version] = account.script(worker).versions;
  if (!version) throw new Error("There is no version.");
  return version;
}

const varsOf = (all: UploadedBinding[]) =>
  Object.fromEntries(all.flatMap((each) => ("text" in each ? [[each.name, each.text]] : [])));

/** The calls of a command that change something. Queries are not among them. */
async function changesOf(run: () => Promise<unknown>): Promise<string[]> {
  const before = calls.length;
  await run();
  return calls.slice(before).filter((call) => !call.startsWith("GET ") && !call.endsWith("/query"));
}

/** Stores a form in a data database, as the service does. */
async function place(id: number, key: string, database: string): Promise<void> {
  const sql = `INSERT INTO placement (collection_id, kind, key, database, epoch, state)
    VALUES (${id}, 'form', '${key}', '${database}', 1, 'placed')`;
  await operator.query("DB", sql);
}

beforeAll(async () => {
  await operator.start();
  await operator.run(`
    npm run deploy -- --location weur --domain forms.example.com --contact you@acme.test
    npm run databases -- add --jurisdiction eu --yes`);
  await place(1, "visits", "DATA_01");
  await operator.run(`npm run restore -- --to ${await operator.note()}`);
});
afterAll(() => operator.stop());

describe("A machine without the settings file", () => {
  it("keeps the data databases, timeline, domain, namespace and bucket of the Worker on a deployment", async () => {
    const before = bindings();
    expect(varsOf(before)).toMatchObject({
      RESTORES: "1",
      ORIGIN: "https://forms.example.com",
      CONTACT_EMAIL: "you@acme.test",
    });
    expect(before.map(({ name }) => name)).toContain("DATA_01");
    operator.changeMachine();
    const output = await operator.run("npm run deploy", runner);
    expect(output).toContain("Edge Forms answers at https://forms.example.com");
    expect(output).toContain("DATA_01: No migrations to apply.");
    expect(bindings()).toEqual(before);
    const { domains, onWorkersDev } = account.script(worker);
    expect([domains, onWorkersDev]).toEqual([["forms.example.com"], false]);
  });

  it("exports every database in a backup", async () => {
    operator.changeMachine();
    const output = await operator.run("npm run backup -- --output backup.sql", runner);
    expect(output).toMatch(/backup\.DB\.sql: .*\nbackup\.DATA_01\.sql: /);
    expect(readFileSync(join(operator.checkout, "backup.DB.sql"), "utf8")).toContain("visits");
  });

  it("lists all databases", async () => {
    operator.changeMachine();
    expect(await operator.run("npm run databases -- list")).toMatch(
      /DATA_01 +edge-forms-data-01-eu +eu /,
    );
  });

  it("continues the timeline on the next restore", async () => {
    const moment = await operator.note();
    operator.changeMachine();
    expect(await operator.run(`npm run restore -- --to ${moment}`)).toContain(
      "Restored DB, DATA_01.",
    );
    expect(varsOf(bindings())).toMatchObject({ RESTORES: "2" });
    expect(account.namespaces.size).toBe(1);
  });

  it("finds a data database by the home database when the Worker serves an older version", async () => {
    const before = bindings();
    const script = account.script(worker);
    const { deployments, versions } = script;
    const oldest = versions.at(-1)?.id ?? "";
    // Cloudflare lists the last deployments. None of them knows the database or the restores.
    script.deployments = [{ id: "back", version: oldest, at: "" }];
    operator.changeMachine();
    await operator.run("npm run deploy", runner);
    expect(bindings().filter(({ type }) => type === "d1")).toEqual(
      before.filter(({ type }) => type === "d1"),
    );
    script.deployments.push(...deployments);
    operator.changeMachine();
    await operator.run("npm run deploy", runner);
    // A deployment before the rollback knows them.
    expect(varsOf(bindings())).toMatchObject({ RESTORES: "2" });
  });

  it("changes nothing when the account lacks a database with apps or forms", async () => {
    operator.changeMachine();
    const binding = bindings().find(({ name }) => name === "DATA_01");
    const database = account.database(binding && "id" in binding ? binding.id : "");
    account.databases.delete(database.uuid);
    for (const command of [
      "deploy",
      "backup",
      "databases -- list",
      "restore -- --to 2026-11-21T09:30:00Z",
    ]) {
      const changes = await changesOf(() =>
        expect(operator.run(`npm run ${command}`, runner)).rejects.toThrow(
          "DATA_01 has apps or forms, but this account has no database edge-forms-data-01-eu. Nothing was changed.",
        ),
      );
      expect(changes).toEqual([]);
    }
    account.databases.set(database.uuid, database);
  });

  it("drops a deleted data database that has never had an app or form", async () => {
    await operator.run("npm run databases -- add --location weur --yes");
    account.databases.delete(operator.ids.get("DATA_02") ?? "");
    await operator.run("npm run deploy");
    expect(bindings().map(({ name }) => name)).not.toContain("DATA_02");
    await operator.query("DB", "DELETE FROM data_database WHERE name = 'DATA_02'");
  });
});

describe("A machine with the settings file of an earlier deployment", () => {
  it("keeps what other machines have added and restored since", async () => {
    const file = operator.settings();
    const moment = await operator.note();
    operator.changeMachine();
    await operator.run(`
      npm run databases -- add --location apac --yes
      npm run restore -- --to ${moment} --database DB`);
    const before = bindings();
    operator.save(file);
    await operator.run("npm run deploy");
    expect(bindings()).toEqual(before);
    expect(before.map(({ name }) => name)).toContain("DATA_02");
  });

  it("prefers the file where both name something", async () => {
    const file = operator.settings();
    const vars = { ...file.vars, CONTACT_EMAIL: "new@acme.test" };
    operator.save({ ...file, vars });
    await operator.run("npm run deploy");
    expect(varsOf(bindings())).toMatchObject({ CONTACT_EMAIL: "new@acme.test" });
  });
});

describe("A deployment", () => {
  it("does not deploy when a migration fails in one of the databases", async () => {
    const { id } = newest();
    await operator.query("DATA_02", "CREATE TABLE in_the_way (id INTEGER PRIMARY KEY)");
    const file = join(operator.checkout, "migrations/9999_in_the_way.sql");
    writeFileSync(file, "CREATE TABLE in_the_way (id INTEGER PRIMARY KEY);\n");
    await expect(operator.run("npm run deploy")).rejects.toThrow(
      /DATA_01: Applied 1 migrations\.\nDATA_02 rejected the migration 9999_in_the_way\.sql: .*\nNothing was deployed\./,
    );
    expect(newest().id).toBe(id);
    await operator.query("DATA_02", "DROP TABLE in_the_way");
    expect(await operator.run("npm run deploy")).toContain("DATA_02: Applied 1 migrations.");
    expect(newest().id).not.toBe(id);
  });

  it("stops before it unbinds a data database that another machine adds in the meantime", async () => {
    const { id } = newest();
    const file = join(operator.checkout, "migrations/99991_meanwhile.sql");
    writeFileSync(file, "INSERT INTO data_database VALUES ('DATA_08', 'eu', 0);\n");
    await expect(operator.run("npm run deploy")).rejects.toThrow(
      "Another machine has added DATA_08 in the meantime. Nothing was deployed. Run the same command again.",
    );
    expect(newest().id).toBe(id);
    rmSync(file);
    await operator.query("DB", "DELETE FROM data_database WHERE name = 'DATA_08'");
  });

  it("creates no data database that an interrupted command has only named", async () => {
    const file = operator.settings();
    const name = "edge-forms-data-09-eu";
    const database = { binding: "DATA_09", database_name: name, database_id: "0".repeat(32) };
    operator.save({ ...file, d1_databases: [...file.d1_databases, database] });
    await operator.run("npm run deploy -- --location weur");
    expect([...account.databases.values()].map((each) => each.name)).not.toContain(name);
    expect(bindings().map((binding) => binding.name)).not.toContain("DATA_09");
  });

  it("does not resume a service that a restore has paused, unless asked", async () => {
    const paused = { name: "PAUSED", type: "plain_text" as const, text: "true" };
    const version = { ...newest(), id: "paused", bindings: [...newest().bindings, paused] };
    account.script(worker).versions.unshift(version);
    account.deploy(worker, "paused");
    for (const command of ["deploy", "databases -- add --location oc --yes"]) {
      const changes = await changesOf(() =>
        expect(operator.run(`npm run ${command}`)).rejects.toThrow(
          "A restore has paused this service. Run the same `npm run restore` command again to finish it.",
        ),
      );
      expect(changes).toEqual([]);
    }
    await operator.run("npm run deploy -- --resume");
    expect(varsOf(bindings())).not.toHaveProperty("PAUSED");
  });
});
