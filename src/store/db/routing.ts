import { homeName } from "#domain/bookmarks.ts";
import type { MoveWait, Timing } from "#domain/ports.ts";
import { problem } from "#domain/problem/problem.ts";
import type { Directory, PlacedName, Placement } from "./directory.ts";
import { guardCodes } from "./guard.ts";
import { classifyError } from "./retry.ts";

/**
 * Installations with several databases find the database of a collection when its statements run. Each batch checks in
 * its own transaction that this database owns the collection. An outdated directory entry is therefore always detected.
 */

/**
 * The epochs of a collection that a database must own. `missing` is the epoch of a collection without a row in `owner`.
 */
interface Fence {
  collectionId: number;
  missing: number;
  lowest: number;
  highest: number;
}

/** A database, or the part of a session in one database. */
export type Client = D1Database & {
  /** Makes all later reads use the primary, because a replica returned an outdated result. */
  usePrimary?: () => void;
};

interface Target {
  name: string;
  client: Client;
  fence: Fence;
  /** Whether only the primary may respond, because a replica may not yet have the end of a move. */
  isMoving: boolean;
}

/** Finds the database of a collection. */
interface Route {
  /** Routes with the same key lead to the same database. */
  readonly key: string;
  find(): Promise<Target>;
  /** Finds the database again after one rejected the collection. Returns undefined if the directory has not changed. */
  findAgain(refused: Target): Promise<Target | undefined>;
}

const anyEpoch = Number.MAX_SAFE_INTEGER;

/**
 * The route of background work, which is limited to one database. Accepts the collections that the database owns in any
 * epoch.
 */
const localRoute = (client: D1Database, collectionId: number): Route => ({
  key: `local ${collectionId}`,
  find: async () => ({
    name: "",
    client,
    fence: { collectionId, missing: 0, lowest: 0, highest: anyEpoch },
    isMoving: false,
  }),
  findAgain: async () => undefined,
});

function directoryRoute(
  directory: Directory,
  clients: ReadonlyMap<string, D1Database>,
  name: PlacedName,
): Route {
  const toTarget = (placement: Placement | undefined): Target => {
    const { collectionId, database, epoch, isCreating, isMoving } = placement ?? nowhere;
    const client = clients.get(database);
    // During a deployment, older isolates lack the newest databases.
    if (!client) throw problem.tryAgain(1);
    const missing = isCreating || epoch === 0 ? epoch : -1;
    return {
      name: database,
      client,
      fence: { collectionId, missing, lowest: epoch, highest: epoch },
      isMoving,
    };
  };
  return {
    key: "id" in name ? String(name.id) : `${name.kind}:${name.key}`,
    find: async () => toTarget(await directory.find(name)),
    findAgain: async (refused) => {
      const target = toTarget(await directory.findCurrent(name));
      const isSame =
        target.name === refused.name &&
        target.fence.collectionId === refused.fence.collectionId &&
        target.fence.lowest === refused.fence.lowest;
      return isSame ? undefined : target;
    },
  };
}

/** The home database. It responds that a collection without a placement does not exist. */
const nowhere: Placement = {
  collectionId: 0,
  database: homeName,
  epoch: 0,
  isCreating: false,
  isMoving: false,
};

const ownerCondition = (isUsable: string) =>
  `coalesce((select iif(${isUsable}, epoch, -1) from owner where collection_id = ?1), ?2) between ?3 and ?4`;
const readFence = `select 1 where ${ownerCondition("state <> 'moved'")}`;
// A write after the end of a freeze makes the move wait until that write is copied too.
const writeFence = `insert into guard select ${guardCodes.not_owner} where not ${ownerCondition("state = 'owned' or state = 'frozen' and frozen_until <= ?5")}`;

interface RoutedQuery {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Treats only statements that are certainly reads as reads. The fence of writes is also correct for reads. */
const isRead = ({ sql }: RoutedQuery) =>
  /^\s*select\b/i.test(sql) ||
  (/^\s*with\b/i.test(sql) && !/\b(insert|update|delete|replace)\b/i.test(sql));

class NotOwner extends Error {}

async function runFenced(
  { client, fence }: Target,
  queries: readonly RoutedQuery[],
  readsOnly: boolean,
  now: number,
): Promise<D1Result[]> {
  const { collectionId, missing, lowest, highest } = fence;
  const epochs = [collectionId, missing, lowest, highest];
  const check = readsOnly
    ? client.prepare(readFence).bind(...epochs)
    : client.prepare(writeFence).bind(...epochs, now);
  const statements = queries.map(({ sql, values }) => {
    const prepared = client.prepare(sql);
    return values.length > 0 ? prepared.bind(...values) : prepared;
  });
  try {
    const [checked, ...results] = await client.batch([check, ...statements]);
    if (readsOnly && checked?.results.length === 0) throw new NotOwner();
    return results;
  } catch (error) {
    const failure = classifyError(error);
    if (failure.kind === "guard" && failure.constraint === "not_owner") throw new NotOwner();
    throw error;
  }
}

/** The maximum time that a request waits for moves to finish. */
const maxWaitMs = 2000;
const pauseMs = 250;

async function waitForMove({ clock }: Timing, wait: MoveWait): Promise<void> {
  const now = clock.now();
  wait.endsAt ??= now + maxWaitMs;
  if (now >= wait.endsAt) throw problem.tryAgain(1);
  await clock.sleep(Math.min(pauseMs, wait.endsAt - now));
}

/** Runs statements in the database of the collection. Has the interface of a D1 database. */
export class RoutedClient {
  readonly #route: Route;
  readonly #owner: object;
  readonly #timing: Timing;

  /** Clients with the same owner and the same route are interchangeable. */
  constructor(owner: object, route: Route, timing: Timing) {
    this.#owner = owner;
    this.#route = route;
    this.#timing = timing;
  }

  static from(
    owner: object,
    { directory, clients }: { directory: Directory; clients: ReadonlyMap<string, D1Database> },
    name: PlacedName,
    timing: Timing,
  ): D1Database {
    return new RoutedClient(
      owner,
      directoryRoute(directory, clients, name),
      timing,
    ) as unknown as D1Database;
  }

  /** Returns the client of a collection in this database, without a directory. */
  static within(client: D1Database, collectionId: number, timing: Timing): D1Database {
    return new RoutedClient(
      client,
      localRoute(client, collectionId),
      timing,
    ) as unknown as D1Database;
  }

  static areSame(first: unknown, second: unknown): boolean {
    if (!(first instanceof RoutedClient && second instanceof RoutedClient)) return first === second;
    return first.#owner === second.#owner && first.#route.key === second.#route.key;
  }

  prepare(sql: string): RoutedStatement {
    return new RoutedStatement(this, sql, []);
  }

  async batch(queries: readonly RoutedQuery[]): Promise<D1Result[]> {
    const readsOnly = queries.every(isRead);
    const { clock, moveWait = {} } = this.#timing;
    let target = await this.#route.find();
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        if (target.isMoving) target.client.usePrimary?.();
        return await runFenced(target, queries, readsOnly, clock.now());
      } catch (error) {
        if (!(error instanceof NotOwner)) throw error;
      }
      target.client.usePrimary?.();
      // The first repetition corrects an outdated isolate or replica. Later ones wait for a move to finish.
      if (isRepeated) await waitForMove(this.#timing, moveWait);
      target = (await this.#route.findAgain(target)) ?? target;
    }
  }
}

class RoutedStatement implements RoutedQuery {
  readonly #client: RoutedClient;
  readonly sql: string;
  readonly values: readonly unknown[];

  constructor(client: RoutedClient, sql: string, values: readonly unknown[]) {
    this.#client = client;
    this.sql = sql;
    this.values = values;
  }

  bind(...values: readonly unknown[]): RoutedStatement {
    return new RoutedStatement(this.#client, this.sql, values);
  }

  async all(): Promise<D1Result> {
    const [result] = await this.#client.batch([this]);
    if (!result) throw new Error("A batch without a result.");
    return result;
  }

  run(): Promise<D1Result> {
    return this.all();
  }

  async first(): Promise<unknown> {
    return (await this.all()).results[0] ?? null;
  }

  /**
   * Rows without column names. Two columns with the same name would become one, so statements give each column its own
   * name.
   */
  async raw(): Promise<unknown[][]> {
    return (await this.all()).results.map((row) => Object.values(row as object) as unknown[]);
  }
}
