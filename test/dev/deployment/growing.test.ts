import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { commandsOf } from "./commands.ts";
import { Operator } from "./operator.ts";
import { runMovesOf } from "./service-moves.js";

// Each command starts wrangler several times, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 });

const operator = new Operator("D1");
/** The commands of the guide. */
const [addEurope = "", addWest = "", plan = "", move = "", list = "", restore = ""] = commandsOf(
  "docs/databases.md",
  "From one database to three",
);
const home = (sql: string) => operator.query("DB", sql);

/** Runs the schedule of the service, each time a minute later. */
async function runSchedule(times: number): Promise<void> {
  const bound = Array.from(operator.ids, async ([binding, id]) => {
    const db = await operator.cloud.account.runtime.binding(id);
    return [binding, db] as const;
  });
  await runMovesOf(Object.fromEntries(await Promise.all(bound)), times);
}

/** Stores an app or form of an installation with one database, with items. */
async function create(id: number, kind: "app" | "form", key: string, fields: object[], items = 0) {
  const set = JSON.stringify({ fields, retired: [] });
  await home(
    `INSERT INTO collection (id, kind, key, version, revision, name, description, time_zone, receipt_prefix, state, fields,
       fields_version, created_at, updated_at) VALUES (${id}, '${kind}', '${key}', 1, 1, '${key}', '', 'UTC', '', 'open', '${set}', 1, 0, 0);
     INSERT INTO tally (collection_id, last_place, live, last_created_at) VALUES (${id}, ${items}, ${items}, 0)`,
  );
  for (let n = 1; n <= items; n += 1)
    await home(
      `INSERT INTO item (number, id, collection_id, version, definition_version, created_at, created_by, updated_at, updated_by, data)
        VALUES (${id} * 4294967296 + ${n}, 'sub_${key}_${n}', ${id}, 1, 1, 0, 'system', 0, 'system', '{"n":${n}}')`,
    );
}

const itemsIn = async (binding: string) =>
  (await operator.query(binding, "SELECT id FROM item ORDER BY number")).map(({ id }) => id);
const purchases = ["sub_purchase_1", "sub_purchase_2", "sub_purchase_3"];

beforeAll(async () => {
  await operator.start();
  await operator.run("npm run deploy -- --location weur");
});
afterAll(() => operator.stop());

describe("The guide from one database to three", () => {
  it("adds two databases, one of them in the European Union", async () => {
    expect(await operator.run(addEurope)).toContain("DATA_01 is bound.");
    expect(await operator.run(addWest)).toContain("DATA_02 is bound.");
    const made = [...operator.cloud.account.databases.values()];
    expect(made.map(({ name, jurisdiction }) => [name, jurisdiction])).toEqual([
      ["edge-forms", undefined],
      ["edge-forms-data-01-eu", "eu"],
      ["edge-forms-data-02-weur", undefined],
    ]);
    // Files in the European Union have a bucket there.
    const bucket = { bucket_name: "edge-forms-files-eu", jurisdiction: "eu" };
    expect([...operator.cloud.account.buckets]).toContainEqual([bucket.bucket_name, "eu"]);
    const { r2_buckets: buckets, vars } = operator.settings();
    expect(buckets).toContainEqual({ binding: "FILES_EU", ...bucket });
    expect(vars).toMatchObject({ JURISDICTIONS: "DATA_01=eu" });
    await create(1, "app", "suppliers", [{ id: 1, key: "name", type: "text" }]);
    await create(
      2,
      "form",
      "purchase",
      [{ id: 1, key: "by", type: "reference", app: "suppliers" }],
      3,
    );
    await create(3, "form", "visit", []);
    await expect(operator.run(plan)).rejects.toThrow("This database is still being added.");
    expect(await operator.run(list)).toMatch(
      /\n\nDATA_02 accepts apps, forms and moves from 20\S+Z\.\n$/,
    );
    await home(
      `UPDATE data_database SET used_from = ${Number.MAX_SAFE_INTEGER} WHERE name = 'DATA_02'`,
    );
    // The command that added it was interrupted.
    expect(await operator.run(list)).toContain(
      "DATA_02 is not in use yet. To finish, run: npm run databases -- add --env production --location weur --yes",
    );
    await home("UPDATE data_database SET used_from = 0");
    expect(await operator.run(list)).not.toMatch(/accepts|not in use/);
  });

  it("shows what would move, and does nothing without --yes", async () => {
    const output = await operator.run(plan);
    expect(output).toContain("Moves from DB to DATA_02");
    expect(output).toContain("  app:suppliers (0 items)\n  form:purchase (3 items)\n");
    expect(output).not.toContain("visit");
    expect(output).toContain("Nothing was done. Add --yes to do it.");
    expect(await home("SELECT * FROM collection_move")).toEqual([]);
  });

  it("names the closest app or form, and the databases, of an unknown one", async () => {
    const run = (options: string) => operator.run(`npm run databases -- move ${options}`);
    await expect(run("form:purchas --to DATA_02")).rejects.toThrow("Did you mean form:purchase?");
    await expect(run("form:x --to DATA_02")).rejects.toThrow(
      "There are form:visit, form:purchase, app:suppliers.",
    );
    await expect(run("form:purchase --to DATA_07 --yes")).rejects.toThrow(
      "There are DB, DATA_01, DATA_02.",
    );
    await expect(run("form:purchase --to DB --yes")).rejects.toThrow("is in this database already");
    await expect(run("purchase --to DB")).rejects.toThrow("Name the app or form");
    await expect(run("form:visit --stop")).rejects.toThrow("form:visit is not moving.");
    await home("UPDATE collection SET location = 'eu' WHERE id = 3");
    await expect(run("form:visit --to DATA_02 --yes")).rejects.toThrow("chosen for good");
    await home("UPDATE collection SET location = NULL WHERE id = 3");
    expect(await home("SELECT * FROM collection_move")).toEqual([]);
  });

  it("starts one move, however often it runs, and stops it", async () => {
    expect(await operator.run(move)).toContain("The move starts within a minute.");
    expect(await operator.run(move)).toMatch(
      /^form:purchase moves to DATA_02 since 20[\d-]+T[\d:.]+Z: requested\.\n$/,
    );
    await expect(
      operator.run("npm run databases -- move form:visit --to DATA_01 --yes"),
    ).rejects.toThrow(/Another move is under way.*\n?.*form:purchase moves to DATA_02/);
    await runSchedule(1);
    const listed = await operator.run(list);
    expect(listed).toMatch(/DATA_01 +edge-forms-data-01-eu +eu /);
    expect(listed).toMatch(
      /form:purchase moves from DB to DATA_02 .*: following\. Waits about a minute/,
    );
    const stop = "npm run databases -- move app:suppliers --stop";
    expect(await operator.run(stop)).toContain("Stops the move of form:purchase.");
    expect(await operator.run(stop)).toContain("stopping");
    await runSchedule(1);
    expect(await operator.run(list)).not.toContain("form:purchase");
    expect(await itemsIn("DB")).toEqual(purchases);
    expect(await itemsIn("DATA_02")).toEqual([]);
    const audit = await home(
      "SELECT actor, action, subject, request_id FROM audit_entry WHERE action LIKE 'move.%'",
    );
    const entry = { actor: "system", subject: "form:purchase", request_id: "npm run databases" };
    expect(audit).toEqual([
      { ...entry, action: "move.start" },
      { ...entry, action: "move.stop" },
    ]);
  });

  it("moves the form with the app to which it refers", async () => {
    expect(await operator.run(move)).toContain("The move starts within a minute.");
    await runSchedule(4);
    expect(await home("SELECT phase FROM collection_move ORDER BY id DESC LIMIT 1")).toEqual([
      { phase: "kept" },
    ]);
    expect(await itemsIn("DATA_02")).toEqual(purchases);
    // The schedule counts the writes of each database.
    await home("INSERT INTO database_report VALUES ('DB', 1, 1, 1, 4711, null, 0)");
    const listed = await operator.run(list);
    expect(listed).toMatch(
      /form:purchase moved from DB to DATA_02\. DB keeps its copy until 20\d\d-\d\d-\d\d\.\n/,
    );
    expect(listed).toMatch(/Of 10 GB +Writes a minute +Apps and forms\n/);
    expect(listed).toMatch(/DB .* 4711 +1\nDATA_01 .* 0\nDATA_02 .* 2\n/);
    await expect(operator.run(move)).rejects.toThrow("is in this database already");
    await expect(operator.run("npm run databases -- move form:purchase --stop")).rejects.toThrow(
      "is not moving",
    );
  });

  it("takes all three databases back to one moment", async () => {
    const before = await operator.note();
    await operator.query("DATA_02", "DELETE FROM item WHERE id = 'sub_purchase_2'");
    const output = await operator.run(restore.replace("2026-11-21T09:30:00Z", before));
    expect(output).toContain("Restored DB, DATA_01, DATA_02.");
    expect(await itemsIn("DATA_02")).toEqual(purchases);
    const placements = await home("SELECT key, database, epoch FROM placement ORDER BY key");
    expect(placements).toEqual([
      { key: "purchase", database: "DATA_02", epoch: 1 },
      { key: "suppliers", database: "DATA_02", epoch: 1 },
    ]);
  });
});
