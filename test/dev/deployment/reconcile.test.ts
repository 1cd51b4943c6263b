import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import {
  reconcile,
  selectHeld,
  type HeldRow,
  type PlacementRow,
} from "../../../src/dev/deploy/reconcile.ts";
import { forgetMoves, selectMoves, type MoveRow } from "../../../src/dev/deploy/restored-moves.ts";
import { heldTables } from "../../../src/store/db/moved-tables.ts";

const migrations = new URL("../../../migrations/", import.meta.url);
const schema = readdirSync(migrations)
  .toSorted()
  .map((name) => readFileSync(new URL(name, migrations), "utf8"))
  .join("\n");

/** Members of Node's class that its types lack. */
type Connection = DatabaseSync & { serialize(): Uint8Array; deserialize(bytes: Uint8Array): void };

const names = ["DB", "DATA_01", "DATA_02"];
const emptyImage = (() => {
  const db = new DatabaseSync(":memory:") as Connection;
  db.exec(schema);
  // Small images make many histories cheap.
  const used = new Set([
    "placement",
    "owner",
    "item",
    "change",
    "tally",
    "former_definition",
    "collection_move",
    "moving",
    "move_log",
    "move_run",
    ...heldTables().map(({ name }) => name),
  ]);
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  db.exec("PRAGMA foreign_keys = off");
  for (const { name } of tables)
    if (!used.has(String(name)) && !String(name).startsWith("sqlite_"))
      db.exec(`DROP TABLE ${String(name)}`);
  db.exec("VACUUM");
  return db.serialize();
})();

/** An installation with three databases, whose collections are created, moved and deleted as the service does it. */
class Installation {
  readonly databases = new Map<string, Connection>();

  constructor(images: ReadonlyMap<string, Uint8Array>) {
    for (const [name, image] of images) this.restore(name, image);
  }

  restore(name: string, image: Uint8Array): void {
    const db = new DatabaseSync(":memory:") as Connection;
    db.deserialize(image);
    this.databases.set(name, db);
  }

  images(): Map<string, Uint8Array> {
    return new Map(Array.from(this.databases, ([name, db]) => [name, db.serialize()]));
  }

  run(name: string, sql: string): void {
    this.databases.get(name)?.exec(sql);
  }

  rows<Row>(name: string, sql: string): Row[] {
    return (this.databases.get(name)?.prepare(sql).all() ?? []) as Row[];
  }

  placements(): PlacementRow[] {
    return this.rows(
      "DB",
      "SELECT collection_id, kind, key, database, epoch, state FROM placement",
    );
  }

  #insert(name: string, id: number, key: string): void {
    this.run(
      name,
      `INSERT INTO collection (id, kind, key, version, revision, name, description, time_zone, receipt_prefix, state, fields,
         fields_version, created_at, updated_at) VALUES (${id}, 'form', '${key}', 1, 1, '', '', 'UTC', '', 'open', '[]', 1, 0, 0)`,
    );
  }

  /** `stopsAfter` is how many of its steps happen. */
  create(database: string, id: number, key: string, stopsAfter = 3): void {
    const steps = [
      () =>
        this.run(
          "DB",
          `INSERT INTO placement (collection_id, kind, key, database, epoch, state)
          VALUES (${id}, 'form', '${key}', '${database}', 1, 'creating')`,
        ),
      () => {
        this.#insert(database, id, key);
        this.run(
          database,
          `INSERT INTO owner (collection_id, epoch, state) VALUES (${id}, 1, 'owned')`,
        );
      },
      () => this.run("DB", `UPDATE placement SET state = 'placed' WHERE collection_id = ${id}`),
    ];
    for (const step of steps.slice(0, stopsAfter)) step();
  }

  /** A collection of an installation that had no data database yet. */
  createAtHome(id: number, key: string): void {
    this.#insert("DB", id, key);
  }

  move(id: number, from: string, to: string, epoch: number, stopsAfter = 4): void {
    const [row] = this.rows<{ key: string }>(from, `SELECT key FROM collection WHERE id = ${id}`);
    const own = (database: string, newEpoch: number, state: string) =>
      this.run(
        database,
        `INSERT OR REPLACE INTO owner (collection_id, epoch, state) VALUES (${id}, ${newEpoch}, '${state}')`,
      );
    const steps = [
      () => own(from, epoch - 1, "frozen"),
      () => own(from, epoch - 1, "moved"),
      () => {
        this.run(to, `DELETE FROM collection WHERE abs(id) = ${id}`);
        this.#insert(to, id, row?.key ?? "");
        own(to, epoch, "owned");
      },
      () => {
        this.run(
          "DB",
          `INSERT OR REPLACE INTO placement (collection_id, kind, key, database, epoch, state)
          VALUES (${id}, 'form', '${row?.key}', '${to}', ${epoch}, 'placed')`,
        );
        this.run(from, `UPDATE collection SET id = -id, key = '~' || key WHERE id = ${id}`);
      },
    ];
    for (const step of steps.slice(0, stopsAfter)) step();
  }

  /** Stores a change, which a copy keeps. */
  fill(database: string, id: number): void {
    const number = id * 2 ** 32 + 1;
    this.run(
      database,
      `INSERT INTO change (number, at, actor, action, item, item_id, version, fields, request_id)
        VALUES (${number}, 0, 'system', 'record.create', ${number}, 'rec_1', 1, '[]', '')`,
    );
  }

  erase(database: string, id: number, key: string): void {
    this.run(
      database,
      `DELETE FROM collection WHERE id = ${id};
      INSERT INTO deletion VALUES (${id}, 'form', '${key}', 0, 'system', 0, 'erased')`,
    );
  }

  /** Repairs everything, as the command does. */
  reconcile(): ReturnType<typeof reconcile> {
    const held = new Map(names.map((name) => [name, this.rows<HeldRow>(name, selectHeld)]));
    const moves = this.rows<MoveRow>("DB", selectMoves);
    const state = { placements: this.placements(), held, moves };
    const result = reconcile(state, 1000);
    for (const { database, sql } of [...forgetMoves(state), ...result.repairs])
      this.run(database, sql);
    return result;
  }

  /** What the service serves: the collections that requests reach, by their names, and their databases. */
  served(): Map<string, string> {
    const found = new Map<string, string>();
    const placements = this.placements();
    const placedIds = new Set(placements.map(({ collection_id: id }) => id));
    for (const { collection_id: id, key, database, epoch } of placements) {
      const sql = `SELECT 1 FROM collection c JOIN owner o ON o.collection_id = c.id AND o.state = 'owned' AND o.epoch = ${epoch}
        WHERE c.id = ${id} AND c.key = '${key}'`;
      if (this.rows(database, sql).length > 0) found.set(key, database);
    }
    for (const { id, key } of this.rows<{ id: number; key: string }>(
      "DB",
      "SELECT id, key FROM collection WHERE id > 0",
    ))
      if (!placedIds.has(id)) found.set(key, "DB");
    return found;
  }

  /** What breaks the rules that hold whenever the service serves. */
  violations(): string[] {
    const found: string[] = [];
    for (const { collection_id: id, database, epoch, state } of this.placements()) {
      const [owner] = this.rows<{ epoch: number; state: string }>(
        database,
        `SELECT epoch, state FROM owner WHERE collection_id = ${id}`,
      );
      // Otherwise each request for it would wait and be 503.
      const isRight =
        state === "placed" ? owner?.epoch === epoch && owner.state === "owned" : !owner;
      if (!isRight) found.push(`${id} in ${database}: ${state} ${epoch}, ${JSON.stringify(owner)}`);
    }
    const listed = names.flatMap((name) =>
      this.rows<{ key: string }>(name, "SELECT key FROM collection WHERE id > 0").map(
        ({ key }) => `${key} in ${name}`,
      ),
    );
    const served = Array.from(this.served(), ([key, name]) => `${key} in ${name}`);
    if (listed.toSorted().join() !== served.toSorted().join())
      found.push(`lists ${listed.join()}, serves ${served.join()}`);
    return found;
  }
}

const fresh = () => new Installation(new Map(names.map((name) => [name, emptyImage])));

describe("After a restore, the directory", () => {
  it("finds collections that were created after the moment to which the home database went back", () => {
    const all = fresh();
    const before = all.images();
    all.create("DATA_01", 1, "orders");
    all.restore("DB", before.get("DB") as Uint8Array);
    const { notes } = all.reconcile();
    expect(all.violations()).toEqual([]);
    expect([...all.served()]).toEqual([["orders", "DATA_01"]]);
    expect(notes).toEqual(["form:orders is in DATA_01 again."]);
  });

  it("gives back the name of a collection that the restored database does not have", () => {
    const all = fresh();
    const before = all.images();
    all.create("DATA_01", 1, "orders");
    all.restore("DATA_01", before.get("DATA_01") as Uint8Array);
    const { notes } = all.reconcile();
    expect(all.violations()).toEqual([]);
    expect(all.placements()).toMatchObject([{ collection_id: 1, state: "creating" }]);
    expect(notes).toEqual(["form:orders does not exist at that time."]);
  });

  it("follows a move that came after the moment, when the home database alone went back", () => {
    const all = fresh();
    all.create("DATA_01", 1, "orders");
    const before = all.images();
    all.move(1, "DATA_01", "DATA_02", 2);
    all.restore("DB", before.get("DB") as Uint8Array);
    all.reconcile();
    expect(all.violations()).toEqual([]);
    expect(all.placements()).toMatchObject([{ database: "DATA_02", epoch: 2 }]);
  });

  it("uses the former copy when the target of a move went back to before it, with an epoch that no isolate knows", () => {
    const all = fresh();
    all.create("DATA_01", 1, "orders");
    const before = all.images();
    all.move(1, "DATA_01", "DATA_02", 2);
    all.restore("DATA_02", before.get("DATA_02") as Uint8Array);
    all.reconcile();
    expect(all.violations()).toEqual([]);
    expect(all.placements()).toMatchObject([{ database: "DATA_01", epoch: 3 }]);
  });

  it("says where a collection was whose target went back long after the move", () => {
    const all = fresh();
    all.create("DATA_01", 1, "orders");
    const before = all.images();
    all.move(1, "DATA_01", "DATA_02", 2);
    // The former database keeps items, but nothing that shows them.
    all.run("DATA_01", "DELETE FROM collection");
    all.restore("DATA_02", before.get("DATA_02") as Uint8Array);
    const { notes } = all.reconcile();
    expect(all.violations()).toEqual([]);
    expect(notes).toEqual([
      "form:orders was in DATA_01 at that time. Undo this, or restore both databases.",
    ]);
  });

  it("does not serve the copy that the source of a move has again", () => {
    const all = fresh();
    all.createAtHome(1, "orders");
    const before = all.images();
    all.move(1, "DB", "DATA_02", 1);
    all.restore("DB", before.get("DB") as Uint8Array);
    const { notes } = all.reconcile();
    expect(all.violations()).toEqual([]);
    expect([...all.served()]).toEqual([["orders", "DATA_02"]]);
    expect(notes).toContain("DB erases its copy of form:orders: DATA_02 has it.");
    expect(all.rows("DB", "SELECT state FROM owner")).toEqual([{ state: "moved" }]);
  });

  it("erases a copy like that of a move, because the files of its items belong to the other database", () => {
    const all = fresh();
    all.create("DATA_01", 1, "orders");
    all.fill("DATA_01", 1);
    const before = all.images();
    all.move(1, "DATA_01", "DATA_02", 2);
    all.restore("DATA_01", before.get("DATA_01") as Uint8Array);
    all.reconcile();
    expect(all.rows("DATA_01", "SELECT * FROM deletion")).toEqual([]);
    const sql = "SELECT name, phase, source, target, erase_at, collections FROM collection_move";
    expect(all.rows("DB", sql)).toEqual([
      {
        name: "form:orders",
        phase: "kept",
        source: "DATA_01",
        target: "DATA_02",
        erase_at: 1000 + 7 * 86_400_000,
        collections: '[{"id":1,"name":"form:orders","epoch":1}]',
      },
    ]);
    expect(all.reconcile().repairs).toEqual([]);
  });

  it("erases a copy of which only the tally is left", () => {
    const all = fresh();
    all.create("DATA_01", 1, "orders");
    all.run("DATA_01", "INSERT INTO tally VALUES (1, 0, 0, 0, 0)");
    const before = all.images();
    all.move(1, "DATA_01", "DATA_02", 2);
    all.restore("DATA_01", before.get("DATA_01") as Uint8Array);
    all.reconcile();
    expect(all.rows("DB", "SELECT name, phase, source FROM collection_move")).toEqual([
      { name: "form:orders", phase: "kept", source: "DATA_01" },
    ]);
    expect(all.reconcile().repairs).toEqual([]);
  });

  it("leaves a copy to the move that was about to hide it", () => {
    const all = fresh();
    all.create("DATA_01", 1, "orders");
    all.fill("DATA_01", 1);
    all.move(1, "DATA_01", "DATA_02", 2, 3);
    all.run(
      "DB",
      `INSERT INTO collection_move (name, source, target, collections, phase, actor, requested_at, changed_at)
        VALUES ('form:orders', 'DATA_01', 'DATA_02', '[{"id":1}]', 'retiring', 'system', 0, 0)`,
    );
    all.reconcile();
    expect(all.violations()).toEqual([]);
    expect(all.rows("DB", "SELECT phase FROM collection_move")).toEqual([{ phase: "retiring" }]);
  });

  it("erases a copy itself if the target of a restored move remembers no move", () => {
    const all = fresh();
    all.create("DATA_01", 1, "orders");
    all.fill("DATA_01", 1);
    const collections = `'[{"id":1,"name":"form:orders","epoch":1}]'`;
    all.run(
      "DB",
      `INSERT INTO collection_move (name, source, target, collections, phase, actor, requested_at, changed_at)
        VALUES ('form:orders', 'DATA_01', 'DATA_02', ${collections}, 'copying', 'system', 0, 0)`,
    );
    const before = all.images();
    all.fill("DATA_02", 1);
    all.move(1, "DATA_01", "DATA_02", 2);
    all.move(1, "DATA_02", "DATA_01", 3);
    all.restore("DB", before.get("DB") as Uint8Array);
    all.reconcile();
    expect(all.violations()).toEqual([]);
    const sql = "SELECT phase, source, target, erase_at FROM collection_move ORDER BY id";
    expect(all.rows("DB", sql)).toEqual([
      { phase: "copying", source: "DATA_01", target: "DATA_02", erase_at: null },
      { phase: "kept", source: "DATA_02", target: "DATA_01", erase_at: 1000 + 7 * 86_400_000 },
    ]);
    expect(all.reconcile().repairs).toEqual([]);
  });

  it("leaves a copy to the move that its target remembers", () => {
    const all = fresh();
    all.create("DATA_01", 1, "orders");
    all.fill("DATA_02", 1);
    all.run(
      "DATA_02",
      `INSERT INTO owner (collection_id, epoch, state) VALUES (1, 1, 'moved');
       INSERT INTO moving (collection_id, role, digits, run) VALUES (1, 'target', '', 9)`,
    );
    all.run(
      "DB",
      `INSERT INTO collection_move (name, source, target, collections, phase, actor, requested_at, changed_at)
        VALUES ('form:orders', 'DATA_01', 'DATA_02', '[{"id":1}]', 'copying', 'system', 0, 0)`,
    );
    all.reconcile();
    expect(all.rows("DB", "SELECT phase FROM collection_move")).toEqual([{ phase: "copying" }]);
  });

  it("carries all files of a move, and erases all tables of a copy, again", () => {
    const all = fresh();
    for (const phase of ["retiring", "kept", "stopping", "copying"])
      all.run(
        "DB",
        `INSERT INTO collection_move (name, source, target, collections, phase, position, actor, requested_at, changed_at)
          VALUES ('form:orders', 'DB', 'DATA_02', '[{"id":2}]', '${phase}', '{}', 'system', 0, 0)`,
      );
    all.reconcile();
    expect(all.rows("DB", "SELECT phase, position FROM collection_move ORDER BY id")).toEqual([
      { phase: "retiring", position: null },
      { phase: "kept", position: null },
      { phase: "stopping", position: null },
      { phase: "copying", position: "{}" },
    ]);
  });

  it("forgets the work of moves, but not what a stopped one has to erase", () => {
    const all = fresh();
    for (const name of names) {
      const values = [1, 2].map((id) => `(${id}, '${name === "DB" ? "source" : "target"}', '', 9)`);
      all.run(
        name,
        `INSERT INTO moving (collection_id, role, digits, run) VALUES ${values.join()}`,
      );
      all.run(name, "INSERT INTO move_log (source, k1) VALUES ('item', 1)");
      all.run(name, "INSERT INTO move_run (id, run, step) VALUES (1, 9, 4)");
    }
    all.run(
      "DB",
      `INSERT INTO collection_move (name, source, target, collections, phase, actor, requested_at, changed_at)
        VALUES ('form:orders', 'DB', 'DATA_02', '[{"id":2}]', 'copying', 'system', 0, 0)`,
    );
    all.reconcile();
    const left = names.map((name) => all.rows(name, "SELECT collection_id AS id FROM moving"));
    expect(left).toEqual([[], [], [{ id: 2 }]]);
    for (const name of names) {
      expect(all.rows(name, "SELECT * FROM move_log")).toEqual([]);
      // No batch of a run from before the restore has any effect anymore.
      expect(all.rows(name, "SELECT run FROM move_run")).toEqual([{ run: 10 }]);
    }
  });

  it("raises the epoch of a collection that moved away and back since", () => {
    const all = fresh();
    all.create("DATA_01", 1, "orders");
    const before = all.images();
    all.move(1, "DATA_01", "DATA_02", 2);
    all.move(1, "DATA_02", "DATA_01", 3);
    all.restore("DATA_01", before.get("DATA_01") as Uint8Array);
    all.reconcile();
    expect(all.violations()).toEqual([]);
    expect(all.placements()).toMatchObject([{ database: "DATA_01", epoch: 4 }]);
  });

  it("changes nothing when all databases went back to one quiet moment", () => {
    const all = fresh();
    all.createAtHome(1, "old");
    all.create("DATA_01", 2, "orders");
    all.create("DATA_02", 3, "parcels");
    all.move(3, "DATA_02", "DATA_01", 2);
    expect(all.reconcile()).toEqual({ repairs: [], notes: [], lost: [] });
  });

  it("is right after any history, stopped anywhere, of which any databases went back to any moments", () => {
    for (let seed = 1; seed <= 150; seed += 1) expect([seed, play(seed)]).toEqual([seed, []]);
  });
});

/** Plays a random history, restores some databases, and returns what is wrong afterwards. */
function play(seed: number): string[] {
  let state = seed * 2_654_435_761;
  const random = (below: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
  const all = fresh();
  const snapshots = [all.images()];
  const placed = new Map<number, { key: string; database: string; epoch: number }>();
  all.createAtHome(1, "key0");
  placed.set(1, { key: "key0", database: "DB", epoch: 0 });
  for (let id = 2; id < 9; id += 1) {
    const database = names[1 + random(2)] ?? "DATA_01";
    const key = `key${id}`;
    all.create(database, id, key);
    placed.set(id, { key, database, epoch: 1 });
    snapshots.push(all.images());
    const [movedId, from] = [...placed][random(placed.size)] ?? [0, undefined];
    const to = names.filter((name) => name !== from?.database)[random(2)];
    if (from && to) {
      all.move(movedId, from.database, to, from.epoch + 1);
      placed.set(movedId, { ...from, database: to, epoch: from.epoch + 1 });
      snapshots.push(all.images());
    }
    const [erasedId, erased] = [...placed][random(placed.size)] ?? [0, undefined];
    if (erased && random(4) === 0) {
      all.erase(erased.database, erasedId, erased.key);
      placed.delete(erasedId);
      snapshots.push(all.images());
    }
  }
  const [lastId, last] = [...placed][random(placed.size)] ?? [0, undefined];
  const target = names.find((name) => name !== last?.database);
  if (last && target && random(2) === 0)
    all.move(lastId, last.database, target, last.epoch + 1, random(4));
  else all.create("DATA_01", 9, "key9", random(3));
  for (const name of names) {
    const image = snapshots[random(snapshots.length)]?.get(name);
    if (image && random(3) > 0) all.restore(name, image);
  }
  const owned = ownedKeys(all);
  const known = highestEpochs(all);
  all.reconcile();
  const found = all.violations();
  if (all.reconcile().repairs.length > 0) found.push("not settled");
  const served = all.served();
  // Even if one database has it again.
  const erased = erasedKeys(all);
  for (const key of owned) if (!erased.has(key) && !served.has(key)) found.push(`${key} is lost`);
  for (const { collection_id: id, epoch, state: placing } of all.placements())
    if (placing === "placed" && epoch < (known.get(id) ?? 0))
      found.push(`${id} has a former epoch`);
  return found;
}

function highestEpochs(all: Installation): Map<number, number> {
  const highest = new Map<number, number>();
  const note = (rows: { collection_id: number; epoch: number }[]) => {
    for (const { collection_id: id, epoch } of rows)
      highest.set(id, Math.max(epoch, highest.get(id) ?? 0));
  };
  note(all.placements());
  for (const name of names) note(all.rows(name, "SELECT collection_id, epoch FROM owner"));
  return highest;
}

const erasedKeys = (all: Installation) =>
  new Set(
    names.flatMap((name) =>
      all
        .rows<{ key: string }>(name, "SELECT key FROM deletion WHERE state = 'erased'")
        .map(({ key }) => key),
    ),
  );

/** The names of the collections that some database owns and has. */
const ownedKeys = (all: Installation): string[] =>
  names.flatMap((name) =>
    all
      .rows<{ key: string }>(
        name,
        `SELECT key FROM collection c LEFT JOIN owner o ON o.collection_id = c.id
          WHERE c.id > 0 AND (o.state IN ('owned', 'frozen') OR (o.state IS NULL AND ${name === "DB"}))`,
      )
      .map(({ key }) => key),
  );
