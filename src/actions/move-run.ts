import type { MoveProblem } from "#domain/move.ts";
import {
  countingDatabase,
  type DataDatabase,
  type Databases,
  type QueryCounts,
} from "#store/db/database.ts";
import type { FileStore } from "#store/data/file-store.ts";
import { RunOrder } from "#store/data/move-guards.ts";
import { beginRun } from "#store/data/move-sides.ts";
import {
  renumberRun,
  saveMove,
  type Move,
  type MovePosition,
  type MoveUpdate,
} from "#store/home/moves.ts";
import type { BackgroundContext } from "./context.ts";

export type MoveContext = Pick<BackgroundContext, "databases" | "now"> & { files: FileStore };

/** Thrown when the run must end, because a member stopped the move or a later run has begun. */
export class RunOverError extends Error {}

/** Thrown when the move cannot continue. The source keeps the collections. */
export class MoveRefusedError extends Error {
  /** `detail` is the name of a database or a table. */
  constructor(problem: MoveProblem, detail = "") {
    super(`${problem} ${detail}`.trim());
  }
}

/** One run of a move. It saves its progress, so that the next run continues after a kill. */
export class MoveRun {
  readonly databases: Databases;
  readonly now: () => number;
  readonly files: FileStore;
  move: Move;
  order: RunOrder;
  readonly #counted: { db: DataDatabase; counts: Readonly<QueryCounts> }[] = [];
  #saves = 0;
  /** The number of R2 calls, which count like queries. */
  fileCalls = 0;

  constructor({ databases, now, files }: MoveContext, move: Move) {
    this.databases = databases;
    this.now = now;
    this.files = files;
    this.move = move;
    this.order = new RunOrder(move.run);
  }

  get source(): DataDatabase {
    return this.#database(this.move.source);
  }

  get target(): DataDatabase {
    return this.#database(this.move.target);
  }

  get both(): readonly [DataDatabase, DataDatabase] {
    return [this.source, this.target];
  }

  #database(name: string | null): DataDatabase {
    const known = this.#counted.find(({ db }) => db.name === name);
    if (known) return known.db;
    const found = this.databases.dataDatabases().find((each) => each.name === name);
    if (!found) throw new MoveRefusedError("unknown_database", name ?? "");
    const counted = countingDatabase(found);
    this.#counted.push(counted);
    return counted.db;
  }

  /** The approximate number of queries of the run. D1 limits the queries of an invocation. */
  get queries(): number {
    return this.#counted.reduce(
      (sum, { counts }) => sum + counts.queries,
      this.#saves + this.fileCalls,
    );
  }

  /** Makes both databases reject writes of earlier runs. @throws RunOverError */
  async begin(): Promise<void> {
    const { source, target, run } = this.move;
    const names = new Set([source, target]);
    const dbs = this.databases.dataDatabases().filter(({ name }) => names.has(name));
    const latest = await beginRun(dbs, run);
    if (latest === run) return;
    const renumbered = await renumberRun(this.databases.home, this.move, latest);
    if (!renumbered) throw new RunOverError();
    this.move = renumbered;
    this.order = new RunOrder(renumbered.run);
    await beginRun(dbs, renumbered.run);
  }

  /** @throws RunOverError */
  async save(update: MoveUpdate): Promise<void> {
    this.#saves += 1;
    const saved = await saveMove(this.databases.home, this.move, update, this.now());
    if (!saved) throw new RunOverError();
    this.move = saved;
  }

  savePosition(position: MovePosition, done: number): Promise<void> {
    return this.save({ position, done });
  }
}
