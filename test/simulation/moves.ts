import { isDeepStrictEqual } from "node:util";
import { activePhases, stoppablePhases } from "../../src/domain/move.ts";
import { isOfCollection, movedTables } from "../../src/store/db/moved-tables.ts";
import type { Random } from "../soak/random.ts";
import { allCollections, kindOf } from "./definitions.ts";
import type { History } from "./history.ts";
import { findOwners } from "./ownership.ts";
import type { SimulatedDatabase } from "./platform/database.ts";
import type { World } from "./world.ts";

/** Moves collections between the databases of a plan, and judges the moves. */

interface MoveRow {
  id: number;
  name: string;
  source: string | null;
  target: string;
  phase: string;
  problem: string | null;
  collections: string;
  frozen_ms: number | null;
}

/** The numbers of moves that began and that ended in each way, and of disturbances. */
export interface MoveCounts {
  /** Moves whose source has begun to log changes. */
  begun: number;
  flipped: number;
  stopped: number;
  /** Moves that a restore ended. */
  restored: number;
  /** Runs of the schedule that were killed during a move. */
  kills: number;
  /** Restores of one or all databases, with or without a move in progress. */
  restores: number;
}

export const noMoves = (): MoveCounts => ({
  begun: 0,
  flipped: 0,
  stopped: 0,
  restored: 0,
  kills: 0,
  restores: 0,
});

const listed = (phases: readonly string[]) => phases.map((phase) => `'${phase}'`).join();

/** Requests a move of any collection to another database. */
export function requestMove(world: World, random: Random): void {
  const { key } = random.pick(allCollections);
  requestMoveOf(world, random, kindOf(key), key);
}

/** Requests a move to another database, as `npm run databases -- move` does. */
export function requestMoveOf(world: World, random: Random, kind: string, key: string): void {
  const { home, databases, scheduler } = world;
  const [placed] = home.select<{ database: string }>(
    "select database from placement where key = ?",
    key,
  );
  const names = [...databases.keys()].filter((name) => name !== (placed?.database ?? "DB"));
  const { now } = scheduler;
  home.commit(
    `insert into collection_move (name, target, phase, actor, requested_at, changed_at)
      select ?, ?, 'requested', 'system', ?, ?
      where not exists (select 1 from collection_move where phase in (${listed(activePhases)}))`,
    `${kind}:${key}`,
    random.pick(names),
    now,
    now,
  );
}

/** A member stops the move. */
export const stopMove = ({ home }: World): void =>
  home.commit(
    `update collection_move set phase = 'stopping', problem = null, position = null
      where phase in (${listed(stoppablePhases)})`,
  );

/** Lets the days pass for which former databases keep their copies. */
export const expireCopies = ({ home }: World): void =>
  home.commit("update collection_move set erase_at = 0 where phase = 'kept'");

const isStartOfNotes = /^\s*create trigger if not exists move_item_insert/;
const isTakeOver = /^\s*update owner set epoch = \?2, state = 'owned'/;

/** Watches the moves of a world. */
export class Moves {
  readonly counts = noMoves();
  readonly #world: World;
  readonly #history: History;
  /** The moves that have begun since the last restore. */
  readonly #begun = new Set<number>();

  constructor(world: World, history: History) {
    this.#world = world;
    this.#history = history;
    for (const [name, db] of world.databases) {
      const observe = db.onCommit;
      db.onCommit = (commit) => {
        observe(commit);
        if (commit.writes.some(({ sql }) => isStartOfNotes.test(sql.text))) this.#countBegun();
        if (commit.writes.some(({ sql }) => isTakeOver.test(sql.text)))
          this.#judgeTakeOver(name, db);
      };
    }
  }

  /** Counts the moves that have begun. A run repeats the start of the log if the previous run was killed. */
  #countBegun(): void {
    const [id] = this.#listActive();
    if (id === undefined || this.#begun.has(id)) return;
    this.#begun.add(id);
    this.counts.begun += 1;
  }

  countKill(): void {
    if (this.#listActive().length > 0) this.counts.kills += 1;
  }

  /** Requires that the new database has the same rows as the former one had when it gave up the collection. */
  #judgeTakeOver(name: string, db: SimulatedDatabase): void {
    const world = this.#world;
    const [move] = world.home.select<MoveRow>(
      "select * from collection_move where phase = 'flipping'",
    );
    if (move?.target !== name) {
      this.#history.wrong(`${name} takes over, but ${JSON.stringify(move)} is moving`);
      return;
    }
    this.counts.flipped += 1;
    const source = world.database(move.source ?? "");
    const { scheduler } = world;
    scheduler.note(`${name} takes over ${move.name}`);
    for (const { id, name: collection } of JSON.parse(move.collections) as {
      id: number;
      name: string;
    }[])
      for (const table of movedTables()) {
        if (table.expires) continue;
        const sql = `select ${table.columns.map((column) => `"${column}"`).join()} from ${table.name}
          where ${isOfCollection(table, id, "left out")} order by ${table.key.join()}`;
        const select = (from: SimulatedDatabase) =>
          from.select<Record<string, unknown>>(sql).map((row) => ({ ...row }));
        const taken = select(db);
        const given = select(source).map((row, index) => ({
          ...row,
          // A run of the former version copies only the columns that it knows.
          ...(taken[index]?.["view_versions"] === null ? { view_versions: null } : {}),
        }));
        if (!isDeepStrictEqual(given, taken))
          this.#history.wrong(`${name} takes over ${collection} with another ${table.name}`);
      }
  }

  /** Counts a move that is missing after a restore as ended. */
  duringRestore(restore: () => void): void {
    const before = this.#listActive();
    this.counts.restores += 1;
    this.#begun.clear();
    restore();
    const after = this.#listActive();
    this.counts.restored += before.filter((id) => !after.includes(id)).length;
  }

  #listActive(): number[] {
    const sql = `select id from collection_move where phase in (${listed(activePhases)})`;
    return this.#world.home.select<{ id: number }>(sql).map(({ id }) => id);
  }

  hasUnfinished(): boolean {
    const { home } = this.#world;
    const phases = listed([...activePhases, "kept"]);
    return home.select(`select 1 from collection_move where phase in (${phases})`).length > 0;
  }

  /** Judges the state when all moves have ended and all copies are erased. */
  judgeEnd(): void {
    const { home, databases } = this.#world;
    const moves = home.select<MoveRow>("select * from collection_move");
    for (const move of moves) this.#judgeMove(move);
    for (const [name, db] of databases) {
      const left = {
        // If a former version ends a move, it leaves the triggers of tables that it does not know. Without a moving
        // collection, they log nothing. The next move removes them.
        triggers: `select name from sqlite_schema where type = 'trigger' and name not like 'move_deleted_item_%'`,
        notes: "select * from move_log",
        "moving collections": "select * from moving",
      };
      for (const [what, sql] of Object.entries(left))
        if (db.select(sql).length > 0)
          this.#history.wrong(`${name} still has ${what}: ${JSON.stringify(db.select(sql)[0])}`);
    }
    this.#judgeOwners();
    this.#judgeItems();
  }

  #judgeMove(move: MoveRow): void {
    const isOver = move.phase === "done" || move.phase === "stopped";
    const what = `the move ${move.id} of ${move.name} to ${move.target}`;
    if (!isOver) this.#history.wrong(`${what} does not end: ${move.phase}, ${move.problem}`);
    // A late batch of the former version can remove the triggers of a move. If the move creates them again, changes are
    // missing. The move then stops, and the collection stays where it is.
    const isUnequal = /unequal_copy (?!move_log)/.test(move.problem ?? "");
    if (isUnequal && this.#world.bundles.size === 1)
      this.#history.wrong(`${what}: ${move.problem}`);
    if (move.phase !== "stopped") return;
    if (/restored/.test(move.problem ?? "")) this.counts.restored += 1;
    else this.counts.stopped += 1;
  }

  /**
   * Requires that one database has each collection, that the directory names this database, and that the others have no
   * rows of it.
   */
  #judgeOwners(): void {
    const { home, databases } = this.#world;
    const owners = findOwners(this.#world);
    for (const { key } of allCollections) {
      const [placed] = home.select<{ id: number; database: string; moving: number }>(
        "select collection_id as id, database, moving from placement where key = ?",
        key,
      );
      const [stored] = this.#history
        .databaseOf(key)
        .select<{ id: number }>(
          "select abs(id) as id from collection where key in (?1, '~' || ?1)",
          key,
        );
      if (!stored) {
        this.#history.wrong(`no database has ${key}`);
        continue;
      }
      const expected = databases.get(placed?.database ?? "DB");
      if (owners.get(stored.id) !== expected || (placed && placed.id !== stored.id))
        this.#history.wrong(`the directory says that ${key} is in ${placed?.database}`);
      if (placed?.moving) this.#history.wrong(`the directory says that ${key} is moving`);
      for (const [name, db] of databases) {
        if (db === expected) continue;
        const owned = db.select(
          "select 1 from owner where collection_id = ? and state <> 'moved'",
          stored.id,
        );
        if (owned.length > 0) this.#history.wrong(`${name} owns ${key}, too`);
        for (const table of movedTables()) {
          const sql = `select * from ${table.name} where ${isOfCollection(table, stored.id, "left out")} limit 1`;
          const [row] = db.select(sql);
          if (row)
            this.#history.wrong(
              `${name} still has ${table.name} of ${key}: ${JSON.stringify(row)}`,
            );
        }
      }
    }
  }

  /** Requires that all items are in the database of their collection, at their last version. */
  #judgeItems(): void {
    for (const { key } of allCollections) {
      const stored = this.#history
        .databaseOf(key)
        .select<{ id: string; version: number }>(
          "select i.id, i.version from item i join collection c on abs(c.id) = i.collection_id where ltrim(c.key, '~') = ? order by i.id",
          key,
        )
        .map(({ id, version }) => `${id} ${version}`);
      const expected = this.#history
        .live(key)
        .map(({ id, states }) => `${id} ${states.at(-1)?.version}`)
        .toSorted();
      if (!isDeepStrictEqual(stored.toSorted(), expected))
        this.#history.wrong(`${key} has ${stored.join()}, expected ${expected.join()}`);
    }
  }
}
