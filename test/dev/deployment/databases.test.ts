import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandsOf } from "./commands.ts";
import { Operator } from "./operator.ts";

const operator = new Operator();
const query: Operator["query"] = (...args) => operator.query(...args);
const note = () => operator.note();
const settings = () => operator.settings();
const restore = (options: string) => operator.run(`npm run restore -- ${options}`);

/** The commands of the runbook. */
const runbook = commandsOf("docs/deployment.md", "Restore several databases").map((line) =>
  line.replace("npm run restore -- ", ""),
);

/** Stores a form, as the service does. */
async function create(binding: string, id: number, key: string): Promise<void> {
  await query(
    binding,
    `INSERT INTO collection (id, kind, key, version, revision, name, description, time_zone, receipt_prefix, state, fields,
       fields_version, created_at, updated_at) VALUES (${id}, 'form', '${key}', 1, 1, '', '', 'UTC', '', 'open', '[]', 1, 0, 0);
     INSERT INTO owner (collection_id, epoch, state) VALUES (${id}, 1, 'owned')`,
  );
  await place(id, key, binding, 1);
}

const place = (id: number, key: string, binding: string, epoch: number) =>
  query(
    "DB",
    `INSERT OR REPLACE INTO placement (collection_id, kind, key, database, epoch, state)
      VALUES (${id}, 'form', '${key}', '${binding}', ${epoch}, 'placed')`,
  );

/** Where the directory says that each form is. */
const placements = async () =>
  (await query("DB", "SELECT key, database, epoch, state FROM placement ORDER BY key")).map((row) =>
    Object.values(row).join(" "),
  );

beforeAll(async () => {
  await operator.start();
  await operator.run("npm run deploy -- --location weur");
  for (let count = 0; count < 2; count += 1) {
    await operator.run("npm run databases -- add --jurisdiction eu --yes");
    // Until the first one is used, the same command continues it.
    await query("DB", "UPDATE data_database SET used_from = 0");
  }
});

afterAll(() => operator.stop());

describe("The runbook for several databases", () => {
  it("takes all databases to one moment, and undoes it with the printed command", async () => {
    const [all = ""] = runbook;
    await create("DATA_01", 1, "kept");
    const before = await note();
    await create("DATA_02", 2, "later");
    await query("DATA_02", `INSERT INTO erased_item VALUES ('sub_ERASED', ${Date.now()})`);
    const output = await restore(all.replace("2026-11-21T09:30:00Z", before));
    expect(output).toContain("Restored DB, DATA_01, DATA_02.");
    expect(await placements()).toEqual(["kept DATA_01 1 placed"]);
    expect(await query("DATA_02", "SELECT id FROM collection")).toEqual([]);
    expect(await query("DB", "SELECT subject FROM owed_erasure")).toEqual([
      { subject: "sub_ERASED" },
    ]);
    expect(settings().vars).toMatchObject({ RESTORES: "1" });
    const audit =
      "SELECT subject FROM audit_entry WHERE action = 'database.restore' ORDER BY subject";
    expect((await query("DB", audit)).map(({ subject }) => subject)).toEqual([
      "database:DATA_01",
      "database:DATA_02",
      "database:DB",
    ]);
    const undo = /npm run restore -- (.*)/.exec(output)?.[1] ?? "";
    expect(await restore(undo)).toContain("Restored");
    expect(await placements()).toEqual(["kept DATA_01 1 placed", "later DATA_02 1 placed"]);
    expect(settings().vars).toMatchObject({ RESTORES: "2" });
  });

  it("takes one database back, and keeps the directory right about what it lost and what moved away", async () => {
    const [, one = ""] = runbook;
    await create("DATA_01", 3, "moving");
    const before = await note();
    await create("DATA_01", 4, "lost");
    // A move to the other database.
    await query("DATA_01", "UPDATE owner SET state = 'moved' WHERE collection_id = 3");
    await query("DATA_01", "UPDATE collection SET id = -3, key = '~moving' WHERE id = 3");
    await create("DATA_02", 3, "moving");
    await query("DATA_02", "UPDATE owner SET epoch = 2 WHERE collection_id = 3");
    await place(3, "moving", "DATA_02", 2);
    const output = await restore(one.replace("2026-11-21T09:30:00Z", before));
    expect(output).toContain("form:lost does not exist at that time.");
    expect(output).toContain("DATA_01 erases its copy of form:moving: DATA_02 has it.");
    expect(await placements()).toEqual([
      "kept DATA_01 1 placed",
      "later DATA_02 1 placed",
      "lost DATA_01 1 creating",
      "moving DATA_02 2 placed",
    ]);
  });

  it("finds what the data databases have when the home database alone goes back", async () => {
    const before = await note();
    await create("DATA_02", 5, "newest");
    await query("DB", "DELETE FROM data_database WHERE name = 'DATA_02'");
    const output = await restore(`--to ${before} --database DB`);
    expect(output).toContain("form:newest is in DATA_02 again.");
    expect(await placements()).toContain("newest DATA_02 1 placed");
    const sites = await query("DB", "SELECT name, location FROM data_database ORDER BY name");
    expect(sites).toEqual([
      { name: "DATA_01", location: "eu" },
      { name: "DATA_02", location: "eu" },
    ]);
  });

  it("keeps the erasures and the way back when a restore is killed, and does not resume halfway", async () => {
    const before = await note();
    await create("DATA_02", 7, "written");
    await query("DATA_02", `INSERT INTO erased_item VALUES ('sub_KILLED', ${Date.now()})`);
    const line = `npm run restore -- --to ${before}`;
    await operator.runUntilCall(line, /^POST .*time_travel\/restore/);
    await expect(operator.run("npm run deploy -- --resume")).rejects.toThrow(
      "A restore has paused this service, and has restored DB.",
    );
    await operator.runUntilCall(line, /^POST .*storage\/kv\/namespaces/);
    await expect(operator.run("npm run deploy")).rejects.toThrow(
      "has restored DB, DATA_01, DATA_02. Run the same `npm run restore` command again",
    );
    const output = await operator.run(line);
    const owed = await query("DB", "SELECT subject FROM owed_erasure");
    expect(owed).toContainEqual({ subject: "sub_KILLED" });
    expect(await placements()).not.toContain("written DATA_02 1 placed");
    const undo = /npm run restore -- (.*)/.exec(output)?.[1] ?? "";
    await restore(undo);
    expect(await placements()).toContain("written DATA_02 1 placed");
  });

  it("audits a restore once, although it was killed after that and run again", async () => {
    const entries = () =>
      query(
        "DB",
        "SELECT id FROM audit_entry WHERE action = 'database.restore' AND subject = 'database:DATA_01'",
      );
    const known = (await entries()).length;
    const line = `npm run restore -- --to ${await note()} --database DATA_01`;
    await operator.runUntilCall(line, /^POST .*storage\/kv\/namespaces/);
    expect(await entries()).toHaveLength(known + 1);
    await operator.run(line);
    expect(await entries()).toHaveLength(known + 1);
    await operator.run(line);
    expect(await entries()).toHaveLength(known + 2);
  });

  it("stops before the pause when a database cannot go back that far", async () => {
    const versions = settings().vars.RESTORES;
    await expect(restore("--to 2020-01-01T00:00:00Z")).rejects.toThrow(
      "DB cannot go back to 2020-01-01T00:00:00Z.",
    );
    await expect(restore("--to 2020-01-01T00:00:00Z --database DATA_09")).rejects.toThrow(
      "There is no database DATA_09",
    );
    expect(settings().vars.RESTORES).toBe(versions);
  });

  it("stops and restores nothing when the Worker does not pause", async () => {
    const { vars } = settings();
    const before = await note();
    await create("DATA_01", 6, "written");
    writeFileSync(join(operator.checkout, "busy"), "");
    await expect(restore(`--to ${before}`)).rejects.toThrow(
      "/health does not return 503 yet: 200. Nothing was restored. Run the same command again.",
    );
    rmSync(join(operator.checkout, "busy"));
    expect(await query("DATA_01", "SELECT key FROM collection WHERE id = 6")).toHaveLength(1);
    expect(settings().vars).toEqual(vars);
    expect(await restore(`--to ${before}`)).toContain("Restored DB, DATA_01, DATA_02.");
  });
});
