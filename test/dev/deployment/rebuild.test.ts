import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Operator } from "./operator.ts";

// Each command takes a second, and many seconds on a busy machine.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 });

const operator = new Operator();
const { account } = operator.cloud;
const bindings = ["DB", "DATA_01", "DATA_02"];
const suffixes: Record<string, string> = {
  DB: "",
  DATA_01: "-data-01-eu",
  DATA_02: "-data-02-weur",
};

/** Runs a statement in a database of an environment that a test has built from a backup. */
async function query(environment: string, binding: string, sql: string) {
  const name = `edge-forms-${environment}${suffixes[binding]}`;
  const [result] = await account.storage.query(account.findDatabase(name).uuid, sql);
  return result?.results ?? [];
}

/** The ID of the home database of an environment, as soon as it exists. */
const homeOf = (environment: string) =>
  [...account.databases.values()].find(({ name }) => name === `edge-forms-${environment}`)?.uuid;

const place = (id: number, key: string, binding: string, epoch: number) =>
  operator.query(
    "DB",
    `INSERT OR REPLACE INTO placement (collection_id, kind, key, database, epoch, state)
      VALUES (${id}, 'form', '${key}', '${binding}', ${epoch}, 'placed')`,
  );

const own = (binding: string, id: number, epoch: number, state: string) =>
  operator.query(
    binding,
    `INSERT OR REPLACE INTO owner (collection_id, epoch, state) VALUES (${id}, ${epoch}, '${state}')`,
  );

/** Stores a form with two items, as the service does. */
async function store(binding: string, id: number, key: string): Promise<void> {
  await operator.query(
    binding,
    `INSERT INTO collection (id, kind, key, version, revision, name, description, time_zone, receipt_prefix, state, fields,
       fields_version, created_at, updated_at) VALUES (${id}, 'form', '${key}', 1, 1, '', '', 'UTC', '', 'open', '[]', 1, 0, 0)`,
  );
  for (const n of [1, 2])
    await operator.query(
      binding,
      `INSERT INTO item (number, id, collection_id, version, definition_version, created_at, created_by, updated_at, updated_by, data)
        VALUES (${id} * 4294967296 + ${n}, 'sub_${key}_${n}', ${id}, 1, 1, 0, 'system', 0, 'system', '{"n":${n}}')`,
    );
}

async function create(binding: string, id: number, key: string): Promise<void> {
  await store(binding, id, key);
  await own(binding, id, 1, "owned");
  await place(id, key, binding, 1);
}

/** Moves a form, and lets the former database keep its items only, as a finished move does. */
async function move(id: number, key: string, from: string, to: string, epoch: number) {
  await own(from, id, epoch - 1, "moved");
  await operator.query(from, `DELETE FROM collection WHERE id = ${id}`);
  await operator.query(to, `DELETE FROM item WHERE collection_id = ${id}`);
  await store(to, id, key);
  await own(to, id, epoch, "owned");
  await place(id, key, to, epoch);
}

/** Where the directory of an environment says that each form is. */
const placements = async (environment: string) =>
  (
    await query(environment, "DB", "SELECT key, database, epoch, state FROM placement ORDER BY key")
  ).map((row) => Object.values(row).join(" "));

/** The databases that serve each form. */
async function owners(environment: string): Promise<string[]> {
  const sql = `SELECT c.key FROM collection c LEFT JOIN owner o ON o.collection_id = c.id
    WHERE c.id > 0 AND coalesce(o.state, 'owned') = 'owned'`;
  const keys = await Promise.all(
    bindings.map(async (binding) =>
      (await query(environment, binding, sql)).map(({ key }) => `${String(key)} in ${binding}`),
    ),
  );
  return keys.flat().toSorted();
}

const backup = (folder: string) => operator.run(`npm run backup -- --output ${folder}/backup.sql`);
const fileOf = (folder: string, binding: string) =>
  join(operator.checkout, folder, `backup.${binding}.sql`);
const build = (environment: string, folder: string) =>
  `npm run deploy -- --env ${environment} --location weur --from ${folder}/backup.DB.sql`;

/** Builds a backup of which each file is of another one. */
function mix(folder: string, sources: Record<string, string>): void {
  mkdirSync(join(operator.checkout, folder));
  for (const [binding, source] of Object.entries(sources))
    copyFileSync(fileOf(source, binding), fileOf(folder, binding));
}

beforeAll(async () => {
  await operator.start();
  await operator.run(`
    npm run deploy -- --location weur
    npm run databases -- add --jurisdiction eu --yes
    npm run databases -- add --location weur --yes`);
  await store("DB", 1, "at-home");
  await create("DATA_01", 2, "european");
  await create("DATA_02", 3, "western");
  await operator.query("DATA_01", `INSERT INTO erased_item VALUES ('sub_ERASED', ${Date.now()})`);
  // So that the new environment has to begin a higher timeline than the first one.
  await operator.run(`npm run restore -- --to ${await operator.note()}`);
  await operator.query("DB", "DELETE FROM owed_erasure");
  await backup("first");
  await move(2, "european", "DATA_01", "DATA_02", 2);
  await move(3, "western", "DATA_02", "DATA_01", 2);
  await backup("second");
});
afterAll(() => operator.stop());

describe("A backup of several databases", () => {
  it("names the files that are missing, and creates nothing", async () => {
    mix("partial", { DB: "first", DATA_02: "first" });
    const before = operator.cloud.calls.length;
    await expect(operator.run(build("partial", "partial"))).rejects.toThrow(
      "These files of the backup are missing: partial/backup.DATA_01.sql.",
    );
    expect(operator.cloud.calls).toHaveLength(before);
  });

  it("rejects the file of a database that the home database does not know", async () => {
    mix("foreign", { DB: "first", DATA_01: "first", DATA_02: "first" });
    copyFileSync(fileOf("first", "DATA_02"), fileOf("foreign", "DATA_07"));
    await expect(operator.run(build("foreign", "foreign"))).rejects.toThrow(
      "does not know the databases of backup.DATA_07.sql",
    );
  });

  it("builds the installation again, although the command is killed after each of its calls", async () => {
    const calls = new Set<string>();
    const line = build("copy", "first");
    // Its last effect: the home database forgets the steps. Then there is nothing to continue.
    const isFinished = () =>
      [...calls].some((call) => call.includes(`/${homeOf("copy")}/query {"sql":"DROP TABLE`));
    while (!isFinished() && (await operator.runUntilNewCall(line, calls))) {
      // Until the service is deployed, no other command may use what is loaded only in part.
      if ([...calls].at(-1)?.includes("'complete'") === true)
        await expect(operator.run("npm run deploy -- --env copy")).rejects.toThrow(
          "An earlier run has not loaded all of a backup.",
        );
    }
    expect([...calls].filter((call) => call.includes(`"ingest"`)).length).toBe(3);
    for (const part of [
      "'complete'",
      "'settled'",
      "UPDATE data_database SET used_from",
      "DROP TABLE",
    ])
      expect([...calls].some((call) => call.includes(part))).toBe(true);
    expect(await placements("copy")).toEqual([
      "european DATA_01 1 placed",
      "western DATA_02 1 placed",
    ]);
    expect(await owners("copy")).toEqual([
      "at-home in DB",
      "european in DATA_01",
      "western in DATA_02",
    ]);
    for (const [binding, key] of [
      ["DB", "at-home"],
      ["DATA_01", "european"],
      ["DATA_02", "western"],
    ])
      expect(
        await query("copy", binding ?? "", "SELECT id, data FROM item ORDER BY number"),
      ).toEqual([1, 2].map((n) => ({ id: `sub_${key}_${n}`, data: `{"n":${n}}` })));
    const tables = "SELECT name FROM sqlite_master WHERE name = 'backup_import'";
    for (const binding of bindings) expect(await query("copy", binding, tables)).toEqual([]);
  });

  it("has created each database in its place, with a bucket for files in a jurisdiction", () => {
    const copies = [...account.databases.values()].filter(({ name }) => name.includes("-copy"));
    expect(copies.map(({ name, jurisdiction }) => [name, jurisdiction])).toEqual([
      ["edge-forms-copy", undefined],
      ["edge-forms-copy-data-01-eu", "eu"],
      ["edge-forms-copy-data-02-weur", undefined],
    ]);
    expect([...account.buckets]).toContainEqual(["edge-forms-copy-files-eu", "eu"]);
    const deployed = account.script("edge-forms-copy").versions[0]?.bindings ?? [];
    expect(deployed).toContainEqual({
      name: "JURISDICTIONS",
      type: "plain_text",
      text: "DATA_01=eu",
    });
    for (const { uuid } of copies)
      expect(deployed).toContainEqual(expect.objectContaining({ type: "d1", id: uuid }));
  });

  it("serves a timeline above that of the backup, repeats erasures, and uses the databases a minute later", async () => {
    const deployed = account.script("edge-forms-copy").versions[0]?.bindings ?? [];
    expect(deployed).toContainEqual({ name: "RESTORES", type: "plain_text", text: "17" });
    expect(await query("copy", "DB", "SELECT subject FROM owed_erasure")).toEqual([
      { subject: "sub_ERASED" },
    ]);
    const sites = await query("copy", "DB", "SELECT * FROM data_database ORDER BY name");
    expect(sites).toEqual([
      { name: "DATA_01", location: "eu", used_from: expect.any(Number) },
      { name: "DATA_02", location: "weur", used_from: expect.any(Number) },
    ]);
    for (const site of sites) {
      expect(site["used_from"]).toBeGreaterThan(Date.now() - 600_000);
      expect(site["used_from"]).toBeLessThan(Date.now() + 600_000);
    }
    const audit = "SELECT subject FROM audit_entry WHERE request_id = 'npm run deploy'";
    expect((await query("copy", "DB", audit)).map(({ subject }) => subject)).toContain(
      "database:DATA_01",
    );
  });

  it("fills a new environment only", async () => {
    await expect(operator.run(build("copy", "first"))).rejects.toThrow(
      "--from fills a new database only, but DB has tables.",
    );
  });
});

describe("Exports of different moments", () => {
  it("let the newer owner serve a form that both databases have, and erase the other copy", async () => {
    // The form moved from DATA_01 to DATA_02 between their exports.
    mix("both", { DB: "first", DATA_01: "first", DATA_02: "second" });
    await operator.runUntilCall(build("both", "both"), /'file'.*/s);
    await expect(operator.run(build("both", "second"))).rejects.toThrow(
      "DB has tables of another backup. To start over with another backup, delete the new databases and wrangler.both.json",
    );
    const failure = operator.run(build("both", "both"));
    // The other form moved in the other direction, so no export has it.
    await expect(failure).rejects.toThrow(
      /The exports contradict each other:\n  form:western moved away from DATA_02 while the backup was made.*\nNothing was deployed\./,
    );
    expect(account.scripts.has("edge-forms-both")).toBe(false);
    const output = await operator.run(`${build("both", "both")} --allow-loss`);
    expect(output).toContain("DATA_01 erases its copy of form:european: DATA_02 has it.");
    expect(await placements("both")).toEqual([
      "european DATA_02 2 placed",
      "western DATA_02 1 creating",
    ]);
    expect(await owners("both")).toEqual(["at-home in DB", "european in DATA_02"]);
  });

  it("build the installation as it was after the forms had moved", async () => {
    expect(await operator.run(build("later", "second"))).toContain("Edge Forms answers");
    expect(await owners("later")).toEqual([
      "at-home in DB",
      "european in DATA_02",
      "western in DATA_01",
    ]);
  });

  it("are refused by the backup itself when a form moved to a database that was exported before", async () => {
    const insert = (source: string, target: string) =>
      operator.query(
        "DB",
        `INSERT INTO collection_move (id, name, source, target, phase, actor, requested_at, changed_at, moved_at)
          VALUES (1, 'form:western', '${source}', '${target}', 'kept', 'system', 0, 0, ${Date.now()})`,
      );
    await insert("DATA_02", "DATA_01");
    await expect(backup("third")).rejects.toThrow(
      "form:western moved from DATA_02 to DATA_01 in the meantime, so this backup may lack it.",
    );
    await operator.query("DB", "DELETE FROM collection_move");
    await insert("DATA_01", "DATA_02");
    expect(await backup("third")).toContain("restored and counted");
    await operator.query("DB", "DELETE FROM collection_move");
  });
});

it("A backup notes the restores of the service, which its databases do not know", () => {
  expect(readFileSync(fileOf("first", "DB"), "utf8")).toMatch(/;\n-- restores: 1\n$/);
  rmSync(join(operator.checkout, "first"), { recursive: true });
});
